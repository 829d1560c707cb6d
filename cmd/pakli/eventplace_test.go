package main

import (
	"testing"

	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
)

// A ruling about another table than its arbiter means: one that a stranger has begun for the same
// place, before or after, or none; and an appeal against another ruling.
func TestWhatIsRuledOn(t *testing.T) {
	counts, ruling := wire.HashEntry([]byte("counts")), wire.HashEntry([]byte("ruling"))
	verified := func() (*events.Verified, error) {
		return &events.Verified{
			Judgement: &event.Judgement{Tables: []event.Seated{{Round: 1, Number: 1}, {Round: 1, Number: 2, Table: &event.Table{ID: counts}}}},
			History:   &event.History{Rulings: []*event.Ruling{{Decision: &event.Decision{Hash: ruling, Index: 17}}}},
		}, nil
	}
	for place, want := range map[[2]string]string{{"1", "2"}: counts.String(), {"1", "1"}: "", {"2", "2"}: "", {"0", "1"}: "", {"1", "x"}: ""} {
		if got, err := tableAt(verified, place[0], place[1]); got != want || (err == nil) != (want != "") {
			t.Errorf("table %v: %q, %v", place, got, err)
		}
	}
	for text, want := range map[string]string{"17": ruling.String(), ruling.String()[:8]: ruling.String(), "1": "", ruling.String()[:4]: ""} {
		if got, err := rulingNamed(verified, text); got != want || (err == nil) != (want != "") {
			t.Errorf("ruling %s: %q, %v", text, got, err)
		}
	}
}
