package toolbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/verifier/verifiertest"
)

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
		_, err := o.State.Turned(a, json.RawMessage(`{"op":"state","cards":[`+cards+`],"faces":[0,1,2],"min":1,"max":1}`))
		fault := new(table.Fault)
		if !errors.As(err, &fault) || fault.Check != table.CheckHand {
			t.Errorf("cards %s: %v, want %s", cards, err, table.CheckHand)
		}
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
	_, err := o.State.Turned(a, json.RawMessage(`{"op":"permute"}`))
	testmust.FailSaying(t, err, "TB-SIZE", "a hand of 257 cards may be permuted")
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
			played := testmust.Have(tabletest.New(play.Of(wrong{duty: d}), tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}}, 1))(t)
			o := &operated{verifiertest.Played{T: t, Table: played}}
			o.steps()
			for _, move := range []string{deck, three, `{"op":"create","pile":"p","faces":[0]}`} {
				o.does(a, move)
			}
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "rules of toolbox/v1") {
					t.Errorf("panicked with %q", text)
				}
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
	testmust.Have(before.Terms(a, json.RawMessage(`{"op":"insert","pile":"p","cards":[1]}`)))(t)
	testmust.Do(t, o.Play(1))
	if d := o.State.Duties()[0]; d.Kind != table.Insert || len(d.Cards) != 4 {
		t.Errorf("%v is due, and it was inserted into the deck", d)
	}
}

// A move with an empty list, where one that is empty is left out: another verifier need not read it as this one does.
func TestStatesOfNoFace(t *testing.T) {
	o := newClear(t, tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}})
	o.does(a, deck)
	o.does(a, three)
	move := fmt.Sprintf(`{"op":"state","cards":[%d],"faces":[]}`, o.State.Hand(a)[0])
	testmust.FailSaying(t, testmust.ErrorOf(o.State.Turned(a, json.RawMessage(move))), "TB-FACES", move)
}
