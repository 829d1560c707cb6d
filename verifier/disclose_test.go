package verifier_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/table/tabletest/highcard"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// locked is a table of a suite that defers, in a log.
func locked(t *testing.T, deals int, options map[string]string) *scene {
	t.Helper()
	return sceneOf(t, testmust.Have(tabletest.New(play.Of(highcard.Rules{}), tabletest.Config{Seats: 4, Deals: deals, Options: options, Suite: clear.Deferred{}}, 3))(t))
}

// until plays until somebody owes a duty of a kind.
func (sc *scene) until(t *testing.T, k table.Kind) table.Duty {
	t.Helper()
	return testmust.Have(sc.PlayUntil(k))(t)
}

// A table whose locks are not all disclosed and that is called sound; a seat that has
// disclosed and is named, or one that has not and is not; a wrong entry since which it is
// said to owe.
func TestSoundWhenAllIsDisclosed(t *testing.T) {
	sc := locked(t, 2, map[string]string{"silent": "forfeits"})
	sc.until(t, table.Disclose)
	since := uint64(len(sc.Entries) - 1)
	owing := []table.Seat{0, 1, 2, 3}
	for len(owing) > 0 {
		r := sc.verify(t, sc.log(t, sc.Entries))
		var named []table.Seat
		for _, o := range r.Owing {
			if named = append(named, o.Duty.Seats...); o.Since != since || o.Duty.Kind != table.Disclose {
				t.Errorf("%+v, want a disclosure since entry %d", o, since)
			}
		}
		if r.Verdict != verifier.Unfinished || r.Result != nil || !slices.Equal(named, owing) {
			t.Fatalf("%s %v, named %v, want %v", r.Verdict, r.Result, named, owing)
		}
		for _, c := range []table.Check{table.CheckStep, table.CheckDispute} { // what reads as if all were checked
			if !slices.Contains(r.Checks, verifier.Check{ID: c, Outcome: verifier.NotReached}) {
				t.Errorf("%d seats are silent, and %s is said to have passed: %v", len(owing), c, r.Checks)
			}
		}
		if last := len(owing) == 1; (r.Forfeit != nil) != last || last && (r.Forfeit.Seat != owing[0] || r.Forfeit.Name != "seat-3") {
			t.Errorf("%d seats are silent: %+v", len(owing), r.Forfeit)
		}
		entry := testmust.Have(sc.Message(owing[0], table.Duty{Kind: table.Disclose}, nil))(t)
		testmust.Do(t, sc.Add(entry))
		owing = owing[1:]
	}
	r := sc.verify(t, sc.log(t, sc.Entries))
	want, _ := sc.State.Result()
	if r.Verdict != verifier.Sound || !slices.Equal(r.Result, want) || r.Forfeit != nil {
		t.Errorf("%s %v, want sound %v", r.Verdict, r.Result, want)
	}
	for _, c := range []table.Check{table.CheckLock, table.CheckStep, table.CheckDispute} {
		if !slices.Contains(r.Checks, verifier.Check{ID: c, Outcome: verifier.Passed}) {
			t.Errorf("%s has not passed: %v", c, r.Checks)
		}
	}
}

// A token that is wrong, found by a dispute: the verdict must name the seat that gave it and
// that entry, not who disputed, who disclosed last or where that was; and count the
// disclosure as applied.
func TestBlameAtTheEarlierEntry(t *testing.T) {
	sc := locked(t, 1, nil)
	d := sc.until(t, table.Show)
	entry := testmust.Have(sc.Message(d.Seats[0], d, nil))(t)
	entry = testmust.Have(sc.Forge(entry, func(m *wire.Message) {
		var b wire.TokensBody
		testmust.Do(t, wire.DecodeBody(m.Body, &b))
		b.Tokens[0], b.Tokens[1] = b.Tokens[1], b.Tokens[0]
		m.Body, _ = wire.EncodeBody(b)
	}))(t)
	testmust.Do(t, sc.Add(entry))
	wrong := uint64(len(sc.Entries) - 1)
	testmust.Do(t, sc.Play(-1))
	last := uint64(len(sc.Entries) - 1)
	entries := append(slices.Clone(sc.Entries), sc.Entries[3])
	r := sc.verify(t, sc.log(t, entries))
	if r.Verdict != verifier.Foul || len(r.Owing) > 0 || r.Applied != int(last) {
		t.Fatalf("%s, %d applied of %d: %+v", r.Verdict, r.Applied, last, r.Owing)
	}
	f := r.Findings[0]
	if f.Check != table.CheckStep || *f.Seat != d.Seats[0] || *f.Index != wrong || f.ShownBy == nil || *f.ShownBy != last {
		t.Errorf("%+v at %d, shown by %v; want %s by seat %d at %d, shown by %d", f, *f.Index, f.ShownBy, table.CheckStep, d.Seats[0], wrong, last)
	}
	for _, c := range r.Checks {
		if want := map[table.Check]verifier.Outcome{table.CheckStep: verifier.Failed, table.CheckDispute: verifier.NotReached}[c.ID]; want != "" && c.Outcome != want {
			t.Errorf("%s: %s, want %s", c.ID, c.Outcome, want)
		}
	}
}
