package referee

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/record"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// recorded is the record of a table, made from its log.
func recorded(t *tabletest.Table) (string, error) {
	g := t.State.Genesis()
	var names []string
	for seat := range t.Config.Seats {
		names = append(names, t.State.SeatName(table.Seat(seat)))
	}
	r := record.NewRecorder(t.State.ID().String(), names, table.Config{Seats: len(names), Deals: g.Deals, Options: g.Options})
	for at := 1; at < len(t.Entries); at++ {
		e, err := wire.Parse(t.Entries[at])
		if err != nil {
			return "", err
		}
		if e.Message.Kind != wire.KindMove {
			continue
		}
		var body wire.MoveBody
		var m fivecarddraw.Move
		if err := wire.DecodeBody(e.Message.Body, &body); err != nil {
			return "", err
		}
		if err := wire.DecodeMove(body.Move, &m); err != nil {
			return "", err
		}
		before, _ := table.Public[fivecarddraw.State](t.States[at-1])
		after, _ := table.Public[fivecarddraw.State](t.States[at])
		r.Move(before, table.Seat(e.Message.Seat), m, after)
	}
	last, _ := table.Public[fivecarddraw.State](t.State)
	r.End(last)
	return string(r.Text()), nil
}

// A record that tells a hand that nobody saw, or another pot or payment than the referee,
// who made his own; and a true record in which the scorer finds something.
func TestRecords(t *testing.T) {
	first, step := 1, 5 // tables that have among them all that a record can tell
	if thorough.Tests() {
		first, step = 0, 1
	}
	for number := first; number < 60; number += step {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			c, w, err := playTable(number)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			got := testmust.Have(recorded(w.table))(t)
			if want := w.record(); got != want {
				t.Errorf("%v: the record of the log is\n%s\nand the referee's\n%s", c, got, want)
			}
			scored, err := record.Score([]byte(got))
			if err != nil || len(scored.Findings) > 0 || scored.Stops != "" || fmt.Sprint(scored.Result) != fmt.Sprint(w.result()) {
				t.Errorf("%v: scored as %+v, %v:\n%s", c, scored, err, got)
			}
			altered := strings.Replace(got, "pays ", "pays 1", 1)
			if scored, err := record.Score([]byte(altered)); err != nil || len(scored.Findings) != 1 {
				t.Errorf("%v: another payment is scored as %+v, %v", c, scored, err)
			}
		})
	}
}
