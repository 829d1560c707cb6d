package verifier_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/sitout"
	"github.com/pakli/pakli/verifier"
)

// A verdict that waits for a seat that sits the deal out, or that takes a deal of three
// seats for one of four and calls it foul.
func TestSeatOutsideTheDeal(t *testing.T) {
	sc := sceneOf(t, testmust.Have(tabletest.Play(play.Of(sitout.Rules{}), tabletest.Config{Seats: 4, Deals: 2, Suite: realSuite(t)}, 1))(t))
	for i, s := range sc.States {
		r := sc.verify(t, sc.log(t, sc.Entries[:i+1]))
		public, _ := table.Public[sitout.State](s)
		for _, o := range r.Owing {
			if o.Duty.Owes(public.Dealer) && o.Duty.Kind != table.Key && public.Stage != sitout.Call {
				t.Errorf("after %d entries: %v is waited for, and seat %d sits out", i+1, o.Duty, public.Dealer)
			}
		}
		if want := map[bool]verifier.Verdict{true: verifier.Sound, false: verifier.Unfinished}[i == len(sc.States)-1]; r.Verdict != want {
			t.Fatalf("after %d entries: %s", i+1, r.Verdict)
		}
	}
}
