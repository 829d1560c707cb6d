package toolbox_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
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
	if err == nil || !strings.Contains(err.Error(), "TB-SIZE") {
		t.Errorf("a hand of 257 cards may be permuted: %v", err)
	}
}
