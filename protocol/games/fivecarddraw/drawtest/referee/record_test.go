package referee

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/record"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// recorded is the record of a table, made from its log.
func recorded(t *testing.T, played *tabletest.Table) string {
	t.Helper()
	g := played.State.Genesis()
	var names []string
	for seat := range played.Config.Seats {
		names = append(names, played.State.SeatName(table.Seat(seat)))
	}
	r := record.NewRecorder(played.State.ID().String(), names, table.Config{Seats: len(names), Deals: g.Deals, Options: g.Options})
	b := book.Of[fivecarddraw.State, fivecarddraw.Move](r)
	for at, entry := range played.Entries[1:] {
		m := testmust.Have(wire.Parse(entry))(t).Message
		var body wire.MoveBody
		if m.Kind == wire.KindMove {
			testmust.Do(t, wire.DecodeBody(m.Body, &body))
			testmust.Do(t, b.Add(played.States[at], played.States[at+1], table.Seat(m.Seat), body.Move))
		}
	}
	testmust.Do(t, b.Close(played.State))
	return string(r.Text())
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
			testmust.Do(t, err, c)
			got := recorded(t, w.table)
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
