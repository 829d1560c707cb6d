package toolbox_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/toolbox/toolboxtest"
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
	tabletest.Run(t, toolboxtest.Game,
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
		if err != nil || o.State.Over() || len(o.State.Duties()) == 0 {
			t.Errorf("%s: over %v, due %v; %v", move, o.State.Over(), o.State.Duties(), err)
		}
	}
}

// A table of new cards and no deck, of which what was minted lies about after all was
// undone; and one that cannot go on then.
func TestUndone(t *testing.T) {
	for seed := range uint64(40) {
		tb, err := tabletest.New(toolboxtest.Game, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000,
			Ends: &wire.Ends{Late: wire.LateUndo, Agree: true}}, seed)
		if err == nil {
			err = tb.Play(int(seed) + 3)
		}
		testmust.Do(t, err)
		if tb.State.Over() || tb.State.Deal() == 0 {
			continue
		}
		for seat := range table.Seat(2) {
			testmust.Do(t, tb.Add(tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo})))
		}
		again := testmust.Have(tabletest.New(toolboxtest.Game, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000}, seed))(t)
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
	in := o.State.Masked(d.Cards)
	_, key := o.State.Deck()
	out, w, err := clear.ArrangeBy(proof.Cut, place, key, in, o.Random)
	testmust.Do(o.T, err)
	body := wire.CardsBody{}
	for _, c := range out {
		body.Cards = append(body.Cards, c.Bytes())
	}
	p := testmust.Have(o.Prove(d.Seats[0], table.Cut, 0, proof.Arrange{Family: proof.Cut, Key: key, In: in, Out: out}, w))(o.T)
	testmust.Do(o.T, o.Add(o.Signed(d.Seats[0], table.Cut, body, p)))
}

// A random card that whoever cuts last chose, or whoever cuts first: if one seat of three is
// honest, whichever, each face comes as often as another, whatever places the other two
// want on top. 13 faces over 260 cards, thoroughly 1,300, or 13,000 with PAKLI_PLAYOUTS=10; chi-square
// with 12 degrees stays below 45, which by chance it does not one time in 10^5.
func TestRandom(t *testing.T) {
	const faces, perTable = 13, 10
	cards := 1_300 * tabletest.Patience()
	if !thorough.Tests() {
		cards /= 5
	}
	chosen := thorough.Some(t, 3, 1)
	for honest := range table.Seat(3) {
		if !chosen(int(honest)) {
			continue
		}
		t.Run("only seat "+honest.Letter()+" is honest", func(t *testing.T) {
			t.Parallel()
			var count [faces]int
			for n := range cards / perTable {
				played := testmust.Have(tabletest.New(toolboxtest.Game, tabletest.Config{Seats: 3, Options: map[string]string{"faces": "13"}}, uint64(n)<<8+uint64(honest)))(t)
				o := &operated{verifiertest.Played{T: t, Table: played}}
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
			if chi > 45 {
				t.Errorf("faces came %v times: %.1f", count, chi)
			}
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
	if !ok {
		o.Fatal("a random card without a face")
	}
	return int(f)
}
