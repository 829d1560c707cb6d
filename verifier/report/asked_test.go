package report_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tournament"
)

// asked is a table at which seats ask for proofs.
func asked(t *testing.T, seed uint64) *tabletest.Table {
	t.Helper()
	return newTable(t, "schwarzer-peter/v1", tabletest.Config{Seats: 3, Suite: clear.Asking{}}, seed)
}

// A table that only its seats can believe, and that a reader takes for a proved one; or of
// which nobody says that an answer is missing to what is known by now.
func TestSoundForItsSeats(t *testing.T) {
	over, left := asked(t, 1), asked(t, 2)
	testmust.Do(t, over.Play(-1))
	testmust.Have(left.PlayUntil(table.Answer))(t)
	for tag, d := range told(t, over) {
		l, _ := report.In(tag)
		if d.Verdict != verifier.ForSeats || d.Verdict.ExitCode() != 8 || d.Result == nil || strings.HasPrefix(d.Headline, strings.Split(l.Say("sound"), ".")[0]+".") {
			t.Errorf("%s: %s (%d): %s", tag, d.Verdict, d.Verdict.ExitCode(), d.Headline)
		}
		if !slices.Contains(d.Notes, l.Say("asked.note", "bits", 40)) || slices.Contains(d.Notes, l.Say("asked.told")) {
			t.Errorf("%s: %q", tag, d.Notes)
		}
	}
	for tag, d := range told(t, left) {
		l, _ := report.In(tag)
		if d.Verdict != verifier.Unfinished || !d.Asked.Open || !slices.Contains(d.Notes, l.Say("asked.told")) {
			t.Errorf("%s: %s, %+v: %q", tag, d.Verdict, d.Asked, d.Notes)
		}
	}
}

// Seats that leave a table when they are asked, until they are asked what they can answer; and
// sums to which a table adds that nobody but its seats can believe.
func TestTablesLeftWhenAsked(t *testing.T) {
	s := new(scene)
	var entries [][]byte
	for seed, until := range []table.Kind{table.Answer, "", table.Beacon} {
		tb := asked(t, uint64(seed))
		s.Table = tb
		if until == "" {
			testmust.Do(t, tb.Play(-1))
		} else if _, err := tb.PlayUntil(until); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, tb.Entries...)
	}
	s.sign(t, entries)
	o := s.options()
	o.Table, o.Catalogue.Game = wire.Hash{}, games.Lookup
	sum := testmust.Have(tournament.Verify(context.Background(), s, tournament.Options{Options: o}))(t)
	if len(sum.Tables) != 3 || len(sum.Standings) != 0 || sum.ExitCode() != verifier.Unfinished.ExitCode() {
		t.Errorf("%d tables, standings %v, exit code %d", len(sum.Tables), sum.Standings, sum.ExitCode())
	}
	sum.Tables = sum.Tables[1:2]
	testmust.Equal(t, sum.ExitCode(), 8, "alone: exit code")
	all := testmust.Have(tournament.Verify(context.Background(), s, tournament.Options{Options: o}))(t)
	players := all.Tables[0].Keys
	for i := range all.Tables { // as if they had sat at all of them, by other names
		all.Tables[i].Keys = nil
		for _, key := range players {
			name, rest, _ := strings.Cut(key, "+")
			all.Tables[i].Keys = append(all.Tables[i].Keys, fmt.Sprintf("%s-%d+%s", name, i, rest))
		}
	}
	for _, tag := range report.Languages() {
		l, _ := report.In(tag)
		if d := report.Sum(all, l, nil); !slices.Contains(d.Notes, l.Count("asked.tries", 2, "more", 3)) || d.Counts.ForSeats != 1 || d.Counts.Sound != 0 {
			t.Errorf("%s: %+v, %q", tag, d.Counts, d.Notes)
		}
	}
}

// Seats in league that leave their table, or end it with a foul, before its last deal is over: what
// only they can believe of a whole table would then be in the sums of its deals.
func TestPartialOfAskedTables(t *testing.T) {
	for _, fouls := range []bool{false, true} {
		tb := newTable(t, "schwarzer-peter/v1", tabletest.Config{Seats: 3, Deals: 2, Suite: clear.Asking{}}, 5)
		for tb.State.Begun() < 2 {
			testmust.Do(t, tb.Play(1))
		}
		d := testmust.Have(tb.PlayUntil(table.Answer))(t)
		entries := tb.Entries
		if fouls {
			answer := testmust.Have(tb.Sign(d.Seats[0], table.Answer, wire.AnswerBody{}, make([]byte, 64)))(t)
			entries = append(slices.Clone(entries), answer)
		}
		s := &scene{Table: tb}
		s.sign(t, entries)
		o := s.options()
		o.Table, o.Catalogue.Game = wire.Hash{}, games.Lookup
		sum := testmust.Have(tournament.Verify(context.Background(), s, tournament.Options{Options: o}))(t)
		sum.CountPartial()
		one := sum.Tables[0]
		if (one.Verdict == verifier.Foul) != fouls || one.Partial == nil || len(one.Partial.Deals) != 1 || one.Asked == nil || one.Asked.Told == fouls {
			t.Fatalf("%s: %+v, %+v", one.Verdict, one.Partial, one.Asked)
		}
		testmust.Equal(t, len(sum.Standings), 0, one.Verdict, "standings", sum.Standings)
	}
}
