package events_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// A time-out that a keeper reopens, and that the standings count all the same: both are told, until
// somebody has decided, at the table or by a ruling on it.
func TestReopenedStandings(t *testing.T) {
	v := cup(t).verify()
	before := inJSON(v.Standings)
	at := v.Judgement.Tables[0].Table
	seat, index := table.Seat(0), at.Last
	for i := range v.Tables {
		if v.Tables[i].Table == at.ID {
			v.Tables[i].Endings = []verifier.Ending{{Index: index, Ended: table.Ended{Kind: wire.KindTimeout, Seat: &seat}, Reopened: &verifier.Reopened{Keeper: "anna", Since: time.Unix(1_900_000_000, 0)}}}
		}
	}
	points := make([]int, len(at.Terms.Seats))
	points[0], points[1] = -500, 500
	at.Lines = append(at.Lines, event.Line{Payments: points, Layer: event.ByClock, Index: index})
	v.Reopen()
	if len(v.Reopened) != 1 || v.Reopened[0].Number != v.Judgement.Tables[0].Number || inJSON(v.WithoutReopened) != before || inJSON(v.Standings) == before {
		t.Errorf("reopened %+v\nwith    %v\nwithout %v\nbefore  %s", v.Reopened, v.Standings, v.WithoutReopened, before)
	}
	v.History.Rulings = append(v.History.Rulings, &event.Ruling{RulingBody: &wire.RulingBody{About: wire.About{Table: at.ID.String()}, Do: "stands"}, Decision: new(event.Decision)})
	v.Reopen()
	if v.Reopened != nil || v.WithoutReopened != nil {
		t.Errorf("ruled, and open: %+v", v.Reopened)
	}
	v.History.Rulings = nil
	for i := range v.Tables {
		for _, e := range v.Tables[i].Endings {
			e.Reopened.Decided = &index
		}
	}
	v.Reopen()
	if v.Reopened != nil {
		t.Errorf("decided at the table, and open: %+v", v.Reopened)
	}
}

func inJSON(list []event.Standing) string {
	b, _ := json.Marshal(list)
	return string(b)
}
