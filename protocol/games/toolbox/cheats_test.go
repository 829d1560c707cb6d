package toolbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// masked are values of the suite behind the seam.
func masked(list []proof.MaskedCard) (cards []masking.Card) {
	for _, c := range list {
		cards = append(cards, c.(masking.Card))
	}
	return cards
}

func (o *operated) joint() *masking.Key {
	_, key := o.State.Deck()
	return key.(*masking.Key)
}

// element is that of a face of the deck.
func (o *operated) element(f int) group.Element {
	return o.State.FaceDeck().Cards()[f].(masking.Card).B
}

func (o *operated) scalars(n int) []group.Scalar {
	o.Helper()
	return testmust.Have(group.Ristretto255().RandomScalars(o.Random, n))(o.T)
}

// cards is a message of cards with one proof.
func (o *operated) cards(d table.Duty, cards []masking.Card, p []byte, err error) []byte {
	o.Helper()
	body := wire.CardsBody{}
	for _, c := range cards {
		body.Cards = append(body.Cards, c.Bytes())
	}
	testmust.Do(o.T, err)
	return o.SignMessage(d.Seats[0], d.Kind, body, p)
}

// arranged is a pile that was arranged by a family and then changed, with a proof made by
// the factors of what was done.
func (o *operated) arranged(d table.Duty, by relations.Family, change func(s *relations.Arrangement, w *relations.ArrangementWitness)) []byte {
	o.Helper()
	s := relations.Arrangement{Family: by, Key: o.joint(), In: masked(o.State.MaskedCards(d.Cards))}
	w := relations.ArrangementWitness{Choice: 1, Factors: o.scalars(len(s.In))}
	s.Out = relations.ArrangeCards(s.Family, s.Key, s.In, w)
	change(&s, &w)
	p, err := relations.ProveArrangement(o.State.Context(d.Seats[0], d.Kind).Slot(0), s, w, o.Random)
	return o.cards(d, s.Out, p, err)
}

// minted is a card of a face, said to have one of faces.
func (o *operated) minted(d table.Duty, key *masking.Key, face int, faces ...int) []byte {
	o.Helper()
	r := o.scalars(1)[0]
	s := relations.Mint{Key: key, Card: masking.Mask(key, o.element(face), r)}
	for _, f := range faces {
		s.Faces = append(s.Faces, o.element(f))
	}
	p, err := relations.ProveMint(o.State.Context(d.Seats[0], d.Kind).Slot(0), s, relations.MintWitness{Factor: r}, o.Random)
	return o.cards(d, []masking.Card{s.Card}, p, err)
}

// returned is a hand card handed to a key, and another put in its place.
func (o *operated) returned(d table.Duty, to *masking.Key, as func(card masking.Card, factor group.Scalar) masking.Card) []byte {
	o.Helper()
	r := o.scalars(1)[0]
	secret := testmust.Have(masking.ParseSecret(group.Ristretto255(), o.Hands[d.Seats[0]].Secret.Bytes()))(o.T)
	s := relations.Transfer{From: o.State.CardKey(d.Seats[0]).(*masking.Key), To: to, Old: masked(o.State.MaskedCards(d.Cards))[0]}
	open := masking.Card{B: s.Old.B.Sub(group.Mul(secret.Scalar(), s.Old.A))}
	s.New = as(open, r)
	p, err := relations.ProveTransfer(o.State.Context(d.Seats[0], d.Kind).Slot(0), s, secret.Scalar(), r, o.Random)
	return o.cards(d, []masking.Card{s.New}, p, err)
}

// cheat is what a seat does in place of what it owes, and the check that it fails.
type cheat struct {
	name   string
	before []string // moves of seat A; the last one makes the step due
	seat   table.Seat
	check  table.Check
	forge  func(o *operated, d table.Duty) []byte
}

const (
	four  = `{"op":"create","pile":"p","faces":[0,1,2,3]}`
	deck  = `{"op":"deck"}`
	three = `{"op":"deal","pile":"deck","seat":"A","n":3}`
)

// exchanged are two neighbours that changed places after all.
func exchanged(s *relations.Arrangement, w *relations.ArrangementWitness) {
	s.Out[0], s.Out[1] = s.Out[1], s.Out[0]
	w.Factors[0], w.Factors[1] = w.Factors[1], w.Factors[0]
}

func replaced(s *relations.Arrangement, w *relations.ArrangementWitness) {
	s.Out[0] = masking.Mask(s.Key, group.Ristretto255().HashToElement("another"), w.Factors[0])
}

func doubled(s *relations.Arrangement, w *relations.ArrangementWitness) {
	s.Out[1], w.Factors[1] = s.Out[0], w.Factors[0]
}

func arranged(by relations.Family, change func(*relations.Arrangement, *relations.ArrangementWitness)) func(*operated, table.Duty) []byte {
	return func(o *operated, d table.Duty) []byte { return o.arranged(d, by, change) }
}

func nothing(*relations.Arrangement, *relations.ArrangementWitness) {}

var cheats = []cheat{
	{"cut: two neighbours exchanged", []string{four, `{"op":"cut","pile":"p"}`}, a, table.CheckArrange, arranged(relations.Cut, exchanged)},
	{"cut: a card replaced", []string{four, `{"op":"cut","pile":"p"}`}, a, table.CheckArrange, arranged(relations.Cut, replaced)},
	{"cut: a card doubled", []string{four, `{"op":"cut","pile":"p"}`}, a, table.CheckArrange, arranged(relations.Cut, doubled)},
	{"cut: an insertion, proved as one", []string{four, `{"op":"cut","pile":"p"}`}, a, table.CheckArrange, arranged(relations.Insert, nothing)},
	{"cut: an insertion, proved as a cut", []string{four, `{"op":"cut","pile":"p"}`}, a, table.CheckArrange,
		arranged(relations.Insert, func(s *relations.Arrangement, _ *relations.ArrangementWitness) { s.Family = relations.Cut })},
	{"cut: masked under the own key alone", []string{four, `{"op":"cut","pile":"p"}`}, a, table.CheckArrange,
		func(o *operated, d table.Duty) []byte {
			return o.arranged(d, relations.Cut, func(s *relations.Arrangement, w *relations.ArrangementWitness) {
				s.Key = o.State.CardKey(a).(*masking.Key)
				s.Out = relations.ArrangeCards(s.Family, s.Key, s.In, *w)
			})
		}},
	{"cut: of a pile that has a card less", []string{four, `{"op":"cut","pile":"p"}`}, a, table.CheckValues,
		func(o *operated, d table.Duty) []byte {
			d.Cards = d.Cards[:3]
			return o.arranged(d, relations.Cut, nothing)
		}},
	{"cut: with the proof of a pile that has a card less", []string{four, `{"op":"cut","pile":"p"}`}, a, table.CheckArrange,
		func(o *operated, d table.Duty) []byte {
			less := d
			less.Cards = d.Cards[:3]
			other := o.ParseMessage(o.arranged(less, relations.Cut, nothing))
			return o.ForgedLie("", "", o.arranged(d, relations.Cut, nothing), func(m *wire.Message) { m.Proofs = other.Proofs }).Entry
		}},
	{"mix of one: another card", []string{`{"op":"create","pile":"p","faces":[0]}`, `{"op":"mix","pile":"p"}`}, a, table.CheckArrange,
		func(o *operated, d table.Duty) []byte {
			return o.arranged(d, relations.Cut, func(s *relations.Arrangement, w *relations.ArrangementWitness) {
				w.Choice = 0
				replaced(s, w)
			})
		}},
	{"random: the second who cuts chooses the face", []string{`{"op":"random","pile":"p","faces":[0,1,2]}`}, b, table.CheckArrange,
		func(o *operated, d table.Duty) []byte {
			return o.arranged(d, relations.Cut, func(s *relations.Arrangement, w *relations.ArrangementWitness) {
				s.Out[0] = masking.Mask(s.Key, o.element(2), w.Factors[0])
			})
		}},
	{"insert: two neighbours exchanged", []string{deck, three, `{"op":"insert","pile":"deck","cards":[0]}`}, a, table.CheckArrange,
		arranged(relations.Insert, func(s *relations.Arrangement, w *relations.ArrangementWitness) {
			n := len(s.Out)
			s.Out[n-1], s.Out[n-2] = s.Out[n-2], s.Out[n-1]
			w.Factors[n-1], w.Factors[n-2] = w.Factors[n-2], w.Factors[n-1]
		})},
	{"insert: another card", []string{deck, three, `{"op":"insert","pile":"deck","cards":[0]}`}, a, table.CheckArrange,
		arranged(relations.Insert, func(s *relations.Arrangement, w *relations.ArrangementWitness) {
			s.Out[1] = masking.Mask(s.Key, group.Ristretto255().HashToElement("another"), w.Factors[1])
		})},
	{"insert: a cut", []string{deck, three, `{"op":"insert","pile":"deck","cards":[0]}`}, a, table.CheckArrange,
		arranged(relations.Cut, func(s *relations.Arrangement, _ *relations.ArrangementWitness) { s.Family = relations.Insert })},
	{"mix: a card replaced", []string{four, `{"op":"mix","pile":"p"}`}, a, table.CheckShuffle,
		func(o *operated, d table.Duty) []byte {
			s := masking.ShuffleStatement{Key: o.joint(), In: masked(o.State.MaskedCards(d.Cards))}
			w := masking.Opening{Permutation: []uint16{1, 0, 3, 2}, Factors: o.scalars(4)}
			s.Out = masking.Remask(s.Key, s.In, w)
			s.Out[3] = masking.Mask(s.Key, o.element(5), w.Factors[3])
			p, err := bayergroth.Prover{}.Prove(o.State.Context(a, d.Kind).Slot(0), s, w, o.Random)
			return o.cards(d, s.Out, p, err)
		}},
	{"private: a face outside the set", []string{`{"op":"private","pile":"p","faces":[1,2,3]}`}, a, table.CheckMint,
		func(o *operated, d table.Duty) []byte { return o.minted(d, o.joint(), 5, 1, 2, 3) }},
	{"private: proved to be of a larger set", []string{`{"op":"private","pile":"p","faces":[1,2,3]}`}, a, table.CheckMint,
		func(o *operated, d table.Duty) []byte { return o.minted(d, o.joint(), 0, 0, 1, 2, 3) }},
	{"private: under the own key alone", []string{`{"op":"private","pile":"p","faces":[1,2,3]}`}, a, table.CheckMint,
		func(o *operated, d table.Duty) []byte {
			return o.minted(d, o.State.CardKey(a).(*masking.Key), 1, 1, 2, 3)
		}},
	{"mask: another face", []string{`{"op":"create","pile":"p","faces":[4]}`, `{"op":"mask","pile":"p"}`}, a, table.CheckMint,
		func(o *operated, d table.Duty) []byte { return o.minted(d, o.joint(), 5, 4) }},
	{"return: another card", []string{deck, three, `{"op":"return","pile":"deck","cards":[0]}`}, a, table.CheckTransfer,
		func(o *operated, d table.Duty) []byte {
			return o.returned(d, o.joint(), func(_ masking.Card, r group.Scalar) masking.Card {
				return masking.Mask(o.joint(), group.Ristretto255().HashToElement("another"), r)
			})
		}},
	{"return: for oneself, under the own key", []string{deck, three, `{"op":"return","pile":"deck","cards":[0]}`}, a, table.CheckTransfer,
		func(o *operated, d table.Duty) []byte {
			own := o.State.CardKey(a).(*masking.Key)
			return o.returned(d, own, func(open masking.Card, r group.Scalar) masking.Card { return masking.Mask(own, open.B, r) })
		}},
	{"a condition on a minted card", []string{deck, four, `{"op":"mask","pile":"p"}`, `{"op":"deal","pile":"p","seat":"A","n":1}`}, a, table.CheckHand,
		func(o *operated, _ table.Duty) []byte {
			move := json.RawMessage(fmt.Sprintf(`{"op":"state","cards":[%d],"faces":[0],"min":1,"max":1}`, o.State.Hand(a)[0]))
			return o.SignMessage(a, table.Move, wire.MoveBody{Move: move, Tokens: [][]byte{}}, []byte{1})
		}},
}

// told is the table of a cheat, up to the step that its seat owes, and what it does instead.
func (c cheat) told(t *testing.T, config tabletest.Config) (*tabletest.Table, []verifiertest.Lie) {
	t.Helper()
	config.Seats, config.Options = 2, map[string]string{"faces": "6"}
	o := newClear(t, config)
	for i, move := range c.before {
		if o.signs(a, move); i < len(c.before)-1 || c.check == table.CheckHand {
			o.steps()
		}
	}
	d := o.State.Duties()[0]
	for c.check != table.CheckHand && (d.Seats[0] != c.seat || d.Kind == table.Return && c.check != table.CheckTransfer) {
		testmust.Do(t, o.Play(1))
		d = o.State.Duties()[0]
	}
	lie := verifiertest.Lie{Name: c.name, Entry: c.forge(o, d), Check: c.check}
	return o.Table, []verifiertest.Lie{lie}
}

// Cheats with piles and new cards, each with the best proof that who did it can make.
func TestCheats(t *testing.T) {
	var list []verifiertest.Cheat
	for _, c := range cheats {
		list = append(list, verifiertest.Cheat{How: c.name, Told: c.told})
	}
	verifiertest.TryCheats(t, list, suite.Default)
}

// A pile that somebody mixes, cuts or inserts into who is not on turn, or arranges in another
// way than is due: void, and nobody's fault.
func TestNotOnTurn(t *testing.T) {
	o := newOperated(t, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}})
	o.signs(a, `{"op":"random","pile":"p","faces":[0,1,2]}`)
	due := o.State.Duties()
	testmust.Requiref(t, len(due) == 1 && due[0].Kind == table.Cut && slices.Equal(due[0].Seats, []table.Seat{a}), "%v is due", due)
	for _, d := range []table.Duty{
		{Kind: table.Cut, Seats: []table.Seat{b}, Cards: due[0].Cards},
		{Kind: table.Insert, Seats: []table.Seat{a}, Cards: due[0].Cards},
		{Kind: table.Mix, Seats: []table.Seat{a}, Cards: due[0].Cards},
	} {
		_, err := tabletest.Apply(o.State, o.arranged(d, relations.Cut, nothing))
		if f, ok := errors.AsType[*table.Fault](err); !ok || f.Class != table.Void || f.Check != table.CheckDue {
			t.Errorf("%s by seat %s: %v, want %s", d.Kind, d.Seats[0].Letter(), err, table.CheckDue)
		}
	}
}

// A hand that was permuted with a minted card in it: any place may have the minted card
// afterwards, so of none of them is a condition proved.
func TestPermutedMark(t *testing.T) {
	o := newOperated(t, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}})
	o.does(a, `{"op":"deck"}`)
	o.does(a, `{"op":"deal","pile":"deck","seat":"A","n":2}`)
	o.does(a, `{"op":"create","pile":"p","faces":[0]}`)
	o.does(a, `{"op":"mask","pile":"p"}`)
	o.does(a, `{"op":"deal","pile":"p","seat":"A","n":1}`)
	o.does(a, `{"op":"permute"}`)
	for _, cards := range []string{"0,1", "0", "1", "7"} {
		_, err := o.State.TurnedCards(a, json.RawMessage(`{"op":"state","cards":[`+cards+`],"faces":[0,1,2],"min":1,"max":1}`))
		fault := new(table.Fault)
		testmust.Holdf(t, errors.As(err, &fault) && fault.Check == table.CheckHand, "cards %s: %v, want %s", cards, err, table.CheckHand)
	}
}

// A hand that no shuffle can hold: the seat that has it permuted could never do it, and the
// table would wait for it for ever.
func TestLargeHand(t *testing.T) {
	o := newClear(t, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "200"}})
	o.does(a, `{"op":"deck"}`)
	o.does(a, `{"op":"deal","pile":"deck","seat":"A","n":200}`)
	o.does(a, `{"op":"create","pile":"p","faces":[`+strings.Repeat("0,", 56)+`0]}`)
	o.does(a, `{"op":"mask","pile":"p"}`)
	o.does(a, `{"op":"deal","pile":"p","seat":"A","n":57}`)
	testmust.FailSaying(t, testmust.ErrorOf(o.State.TurnedCards(a, json.RawMessage(`{"op":"permute"}`))), "TB-SIZE", "a hand of 257 cards may be permuted")
}

// wrong asks for another duty than a cut.
type wrong struct {
	toolbox.Rules
	duty table.Duty
}

func (w wrong) Duties(s toolbox.State) []table.Duty {
	duties := w.Rules.Duties(s)
	if duties[0].Kind == table.Cut {
		return []table.Duty{w.duty}
	}
	return duties
}

// Rules that mix a card of which a token is off, or one twice: its holder could tell by the
// token where it lies. That no seat is blamed for rules that ask for what cannot be.
func TestRulesAskForWhatCannotBe(t *testing.T) {
	one := []table.Seat{a}
	for name, d := range map[string]table.Duty{
		"a hand card is mixed":           {Kind: table.Mix, Seats: one, Cards: []table.Card{0, 4}},
		"a hand card is cut":             {Kind: table.Cut, Seats: one, Cards: []table.Card{4, 0}},
		"a card is inserted into a hand": {Kind: table.Insert, Seats: one, Cards: []table.Card{0, 1, 4}},
		"a card is cut with itself":      {Kind: table.Cut, Seats: one, Cards: []table.Card{4, 4}},
		"a card is cut that is not":      {Kind: table.Cut, Seats: one, Cards: []table.Card{99}},
		"an open card is shown":          {Kind: table.Show, Seats: []table.Seat{a, b}, Cards: []table.Card{6}},
		"a card of no face is minted":    {Kind: table.Mint, Seats: one, Sets: []card.Set{{}}},
		"a card is minted by two":        {Kind: table.Mint, Seats: []table.Seat{a, b}, Sets: []card.Set{card.SetOf(0)}},
		"nobody mints one of two faces":  {Kind: table.Mint, Sets: []card.Set{card.SetOf(0, 1)}},
		"a face of another deck":         {Kind: table.Mint, Seats: one, Sets: []card.Set{card.SetOf(6)}},
	} {
		t.Run(name, func(t *testing.T) {
			played := testmust.Have(tabletest.New(play.NewGame(wrong{duty: d}), tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}}, 1))(t)
			o := &operated{verifiertest.PlayedTable{T: t, Table: played}}
			o.steps()
			for _, move := range []string{deck, three, `{"op":"create","pile":"p","faces":[0]}`} {
				o.does(a, move)
			}
			defer func() {
				text := fmt.Sprint(recover())
				testmust.Holdf(t, strings.Contains(text, "rules of toolbox/v1"), "panicked with %q", text)
			}()
			o.signs(a, `{"op":"cut","pile":"deck"}`)
			t.Errorf("%v is due", o.State.Duties())
		})
	}
}

// A move that changes what another move from the same state has led to: who tries one and
// has another refused would see other steps due than everybody else.
func TestMovesFromOneState(t *testing.T) {
	o := newClear(t, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}})
	o.does(a, deck)
	o.does(a, three)
	o.does(a, `{"op":"create","pile":"p","faces":[`+strings.Repeat("0,", 159)+`0]}`)
	o.does(a, `{"op":"mask","pile":"p"}`) // five messages
	before := o.State
	o.signs(a, `{"op":"insert","pile":"deck","cards":[0]}`)
	testmust.Have(before.MoveTerms(a, json.RawMessage(`{"op":"insert","pile":"p","cards":[1]}`)))(t)
	testmust.Do(t, o.Play(1))
	d := o.State.Duties()[0]
	testmust.Holdf(t, d.Kind == table.Insert && len(d.Cards) == 4, "%v is due, and it was inserted into the deck", d)
}

// A move with an empty list, where one that is empty is left out: another verifier need not read it as this one does.
func TestStatesOfNoFace(t *testing.T) {
	o := newClear(t, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}})
	o.does(a, deck)
	o.does(a, three)
	move := fmt.Sprintf(`{"op":"state","cards":[%d],"faces":[]}`, o.State.Hand(a)[0])
	testmust.FailSaying(t, testmust.ErrorOf(o.State.TurnedCards(a, json.RawMessage(move))), "TB-FACES", move)
}
