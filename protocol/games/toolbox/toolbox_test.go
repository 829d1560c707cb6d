package toolbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// Operations in any order that stop a table, blame an honest seat, or let an attack
// through.
func TestContract(t *testing.T) {
	tabletest.Run(t, verifiertest.Game,
		tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000},
		tabletest.Config{Seats: 3, Options: map[string]string{"faces": "8"}, Limit: 3_000},
	)
}

// A deal that began with cards that nobody mints, and whose seat somebody else takes: it waits for the new key,
// and must not be over when that has come.
func TestReseatBeforeDeck(t *testing.T) {
	for _, move := range []string{`{"op":"create","pile":"p","faces":[0]}`, `{"op":"random","pile":"p","faces":[0,1]}`} {
		o := newClear(t, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Ends: &wire.Ends{Late: wire.LateUndo, Resign: true}})
		o.does(a, move)
		testmust.Do(t, o.Add(o.ActOf(b, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})))
		hand, reseat, err := o.Substitute(b)
		if err == nil {
			err = o.Add(reseat)
		}
		if err == nil {
			err = o.SitDown(hand)
		}
		if err == nil {
			err = o.Play(1)
		}
		if err != nil || o.State.IsOver() || len(o.State.Duties()) == 0 {
			t.Errorf("%s: over %v, due %v; %v", move, o.State.IsOver(), o.State.Duties(), err)
		}
	}
}

// A table of new cards and no deck, of which what was minted lies about after all was
// undone; and one that cannot go on then.
func TestUndone(t *testing.T) {
	for seed := range uint64(40) {
		tb, err := tabletest.New(verifiertest.Game, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000,
			Ends: &wire.Ends{Late: wire.LateUndo, Agree: true}}, seed)
		if err == nil {
			err = tb.Play(int(seed) + 3)
		}
		testmust.Do(t, err)
		if tb.State.IsOver() || tb.State.Deal() == 0 {
			continue
		}
		for seat := range table.Seat(2) {
			testmust.Do(t, tb.Add(tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo})))
		}
		again := testmust.Have(tabletest.New(verifiertest.Game, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000}, seed))(t)
		for again.State.Deal() == 0 {
			testmust.Do(t, again.Play(1))
		}
		if got, want := tb.State.Cards(), again.State.Cards(); got != want && tb.State.Duties()[0].Kind == again.State.Duties()[0].Kind {
			t.Errorf("seed %d: %d cards lie, at the beginning it was %d", seed, got, want)
		}
		testmust.Do(t, tb.Play(30), "seed", seed)
	}
}

// cutsAt is the cut of a seat that wants the card at a place on top.
func (o *operated) cutsAt(d table.Duty, place int) {
	o.Helper()
	in := o.State.MaskedCards(d.Cards)
	_, key := o.State.Deck()
	out, w, err := clear.ArrangeBy(proof.Cut, place, key, in, o.Random)
	testmust.Do(o.T, err)
	body := wire.CardsBody{}
	for _, c := range out {
		body.Cards = append(body.Cards, c.Bytes())
	}
	p := testmust.Have(o.Prove(d.Seats[0], table.Cut, 0, proof.Arrange{Family: proof.Cut, Key: key, In: in, Out: out}, w))(o.T)
	testmust.Do(o.T, o.Add(o.SignMessage(d.Seats[0], table.Cut, body, p)))
}

// A random card that whoever cuts last chose, or whoever cuts first: if one seat of three is
// honest, whichever, each face comes as often as another, whatever places the other two
// want on top. 13 faces over 260 cards, thoroughly 1,300, or 13,000 with PAKLI_PLAYOUTS=10; chi-square
// with 12 degrees stays below 45, which by chance it does not one time in 10^5.
func TestRandom(t *testing.T) {
	const faces, perTable = 13, 10
	cards := 1_300 * tabletest.Patience()
	if !testmust.Thorough() {
		cards /= 5
	}
	chosen := testmust.SomeOf(t, 3, 1)
	for honest := range table.Seat(3) {
		if !chosen(int(honest)) {
			continue
		}
		t.Run("only seat "+honest.Letter()+" is honest", func(t *testing.T) {
			t.Parallel()
			var count [faces]int
			for n := range cards / perTable {
				played := testmust.Have(tabletest.New(verifiertest.Game, tabletest.Config{Seats: 3, Options: map[string]string{"faces": "13"}}, uint64(n)<<8+uint64(honest)))(t)
				o := &operated{verifiertest.PlayedTable{T: t, Table: played}}
				o.steps()
				for range perTable {
					count[o.random(honest)]++
				}
			}
			chi := 0.0
			for _, n := range count {
				d := float64(n - cards/faces)
				chi += d * d * faces / float64(cards)
			}
			testmust.Hold(t, chi <= 45, "faces came", count, "times", chi)
		})
	}
}

// random is the face of a random card, where one seat cuts as it should.
func (o *operated) random(honest table.Seat) (face int) {
	o.Helper()
	o.signs(a, `{"op":"random","pile":"p","faces":[0,1,2,3,4,5,6,7,8,9,10,11,12]}`)
	var top table.Card
	for d := o.State.Duties()[0]; d.Kind == table.Cut; d = o.State.Duties()[0] {
		if top = d.Cards[0]; d.Seats[0] != honest {
			o.cutsAt(d, 5)
			continue
		}
		testmust.Do(o.T, o.Play(1))
	}
	cards, _ := o.State.Deck()
	open := cards[top]
	for _, h := range o.Hands {
		open = o.State.Encoding().Strip(open, h.Secret.Token(open))
	}
	f, ok := o.State.Face(open)
	testmust.Require(o, ok, "a random card without a face")
	return int(f)
}

// thrower is a table at which numbers are thrown, and the share of each seat.
type thrower struct {
	*operated
	shares []toolbox.Value
}

func newThrower(t *testing.T, seats int) *thrower {
	t.Helper()
	th := &thrower{newClear(t, tabletest.Config{Seats: seats, Options: map[string]string{"faces": "6"}}), make([]toolbox.Value, seats)}
	for seat := range th.shares {
		testmust.Have(th.Random.Read(th.shares[seat][:]))(t)
	}
	return th
}

func (th *thrower) public() toolbox.State {
	s, _ := table.Public[toolbox.State](th.State)
	return s
}

// coin begins a throw by seat A, commit is the answer of another.
func (th *thrower) coin(n int) {
	th.Helper()
	th.signs(a, fmt.Sprintf(`{"op":"coin","n":%d,"value":"%x"}`, n, toolbox.Commitment(a, th.public().Throws+1, th.shares[a])))
}

func (th *thrower) commit(seat table.Seat) string {
	return fmt.Sprintf(`{"op":"commit","value":"%x"}`, toolbox.Commitment(seat, th.public().Throws, th.shares[seat]))
}

func (th *thrower) reveal(seat table.Seat) string {
	return fmt.Sprintf(`{"op":"reveal","value":"%x"}`, th.shares[seat])
}

// refused says how a seat's move is judged.
func (th *thrower) refused(seat table.Seat, move string) *table.Fault {
	th.Helper()
	entry, err := th.HonestMessage(seat, table.Duty{Kind: table.Move, Seats: []table.Seat{seat}}, json.RawMessage(move))
	if err == nil {
		_, err = tabletest.Apply(th.State, entry)
	}
	f, ok := errors.AsType[*table.Fault](err)
	if !ok {
		th.Fatalf("seat %s: %s: %v", seat.Letter(), move, err)
	}
	return f
}

// foul wants a seat's move to break rule TB-19, and nobody else blamed for it.
func (th *thrower) foul(seat table.Seat, move string) {
	th.Helper()
	f := th.refused(seat, move)
	if f.Class != table.Foul || f.Check != table.CheckRules || f.Seat != seat || !strings.Contains(f.Error(), "TB-19") {
		th.Errorf("seat %s: %s: %v", seat.Letter(), move, f)
	}
}

// owing wants these seats to owe a move, and no other.
func (th *thrower) owing(seats ...table.Seat) {
	th.Helper()
	d := th.State.Duties()
	testmust.Holdf(th, len(d) == 1 && d[0].Kind == table.Move && slices.Equal(d[0].Seats, seats), "%v is owed, want a move of %v", d, seats)
}

// A throw that does not end, at which a seat may do something else, or whose number is none
// of those that it was of. Seats commit and reveal in any order.
func TestNumber(t *testing.T) {
	for seats := 2; seats <= 4; seats++ {
		th := newThrower(t, seats)
		for throw, of := range []int{2, 6, toolbox.MaxThrown} {
			th.coin(of)
			for seat := table.Seat(seats - 1); seat > 0; seat-- {
				th.signs(seat, th.commit(seat))
			}
			for seat := range table.Seat(seats) {
				testmust.Holdf(t, th.public().Throw.Number == nil, "there is a number before the share of seat %s", seat.Letter())
				th.signs(seat, th.reveal(seat))
			}
			s := th.public()
			testmust.Requiref(t, s.Throws == throw+1 && s.Throw.Number != nil && *s.Throw.Number >= 0 && *s.Throw.Number < of,
				"%d seats: throw %d of %d: %+v", seats, throw, of, s.Throw)
		}
		th.does(a, deck)
	}
}

// A number that comes more often than another, though one seat of three draws its share at
// random: the others' are what they like. Chi-square of 1,000 with 9 degrees stays below
// 28, which by chance it does not one time in 1,000; what is drawn is fixed.
func TestNumberIsUniform(t *testing.T) {
	const of, throws = 10, 1_000
	for honest := range table.Seat(3) {
		random, count := rand.New(rand.NewPCG(1, uint64(honest))), [of]int{}
		for range throws {
			shares := make([]toolbox.Value, 3)
			for i := range shares[honest] {
				shares[honest][i] = byte(random.Uint32())
			}
			count[number(t, of, shares)]++
		}
		chi := 0.0
		for _, n := range count {
			d := float64(n - throws/of)
			chi += d * d * of / throws
		}
		testmust.Holdf(t, chi <= 28, "only seat %s is honest: numbers came %v times: %.1f", honest.Letter(), count, chi)
	}
}

// number is what comes of shares by the rules alone.
func number(t *testing.T, of int, shares []toolbox.Value) int {
	t.Helper()
	s, _, err := toolbox.Rules{}.Setup(table.Config{Seats: len(shares), Options: map[string]string{}})
	apply := func(seat int, m toolbox.Move, v toolbox.Value) {
		m.Value = &v
		if err == nil {
			s, _, err = toolbox.Rules{}.Apply(s, table.Input[toolbox.Move]{Seat: table.Seat(seat), Move: m})
		}
	}
	for seat, share := range shares {
		m := toolbox.Move{Op: "commit"}
		if seat == 0 {
			m = toolbox.Move{Op: "coin", N: of}
		}
		apply(seat, m, toolbox.Commitment(table.Seat(seat), 1, share))
	}
	for seat, share := range shares {
		apply(seat, toolbox.Move{Op: "reveal"}, share)
	}
	testmust.Do(t, err)
	return *s.Throw.Number
}

// A number that does not follow from every share, or from whose share it is.
func TestNumberIsOfAllShares(t *testing.T) {
	shares := []toolbox.Value{{1}, {2}, {3}}
	was, exchanged := number(t, toolbox.MaxThrown, shares), []toolbox.Value{{2}, {1}, {3}}
	testmust.Hold(t, number(t, toolbox.MaxThrown, exchanged) != was, "two seats exchange their shares, and the number stays")
	for seat := range shares {
		for i := range shares[seat] {
			other := slices.Clone(shares)
			other[seat][i] ^= 0x80
			testmust.Hold(t, number(t, toolbox.MaxThrown, other) != was, "byte", i, "of the share of seat", seat, "has no effect")
		}
	}
}

// Who wants another number than comes: each way to it is a foul of who tries it, and the throw
// goes on; who shows no share, having seen what comes, is the one whom it waits for.
func TestNumberCheats(t *testing.T) {
	th := newThrower(t, 3)
	const c = table.Seat(2)
	zeros := strings.Repeat("0", 64)
	for _, move := range []string{`{"op":"coin","n":2}`, `{"op":"coin","n":1,"value":"` + zeros + `"}`, `{"op":"coin","value":"` + zeros + `"}`,
		`{"op":"coin","n":2147483648,"value":"` + zeros + `"}`, `{"op":"coin","n":-2,"value":"` + zeros + `"}`, th.reveal(a), `{"op":"commit","value":"` + zeros + `"}`} {
		th.foul(a, move)
	}
	th.coin(6)
	th.owing(b, c)
	th.foul(b, th.reveal(b)) // before all have committed
	th.foul(b, `{"op":"commit"}`)
	th.foul(b, `{"op":"coin","n":2,"value":"`+zeros+`"}`) // a throw in the throw
	th.foul(b, deck)
	th.foul(b, `{"op":"end"}`)
	f := th.refused(a, th.commit(a))
	testmust.Holdf(t, f.Class == table.Void && f.Check == table.CheckDue, "a second commitment: %v", f)
	for name, value := range map[string]string{"capitals": strings.Repeat("A", 64), "62 digits": zeros[2:], "66 digits": zeros + "00", "no digits": strings.Repeat("x", 64)} {
		f := th.refused(b, `{"op":"commit","value":"`+value+`"}`)
		testmust.Holdf(t, f.Class == table.Foul && f.Check == table.CheckRules, "%s: %v", name, f)
	}
	th.signs(b, fmt.Sprintf(`{"op":"commit","value":"%x"}`, *th.public().Throw.Commitments[a])) // copied
	th.signs(c, th.commit(c))
	th.owing(a, b, c)
	th.foul(c, th.reveal(b)) // of another seat
	th.signs(a, th.reveal(a))
	th.foul(b, th.reveal(a)) // what opens the commitment at the seat that it is copied from
	th.signs(c, th.reveal(c))
	th.foul(b, `{"op":"reveal"}`)
	th.owing(b)
}

// A commitment of an earlier throw, whose share all know by now, opened again.
func TestNumberOfAnotherThrow(t *testing.T) {
	th := newThrower(t, 2)
	th.coin(6)
	old := th.commit(b)
	th.signs(b, old)
	th.signs(a, th.reveal(a))
	th.signs(b, th.reveal(b))
	th.coin(6)
	th.signs(b, old)
	th.signs(a, th.reveal(a))
	th.foul(b, th.reveal(b))
	th.owing(b)
}

// A value that has two spellings: two messages would say the same.
func FuzzValue(f *testing.F) {
	for _, text := range []string{"", strings.Repeat("0", 64), strings.Repeat("fF", 32), strings.Repeat("a", 63), strings.Repeat("z", 64)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v toolbox.Value
		if v.UnmarshalText([]byte(text)) != nil {
			return
		}
		again, err := v.MarshalText()
		testmust.Holdf(t, err == nil && string(again) == text, "%q becomes %q, %v", text, again, err)
	})
}
