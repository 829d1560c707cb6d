package skat_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	seam "github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/record"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// recorded plays a list by chance, and returns its record and its end.
func recorded(t *testing.T, c tabletest.Config, seed uint64) (*record.Recorder, skat.State) {
	t.Helper()
	choice := rand.New(rand.NewPCG(seed, 92))
	played := testmust.Have(tabletest.New(game, c, seed))(t)
	r := record.NewRecorder("table", []string{"ada", "bela", "cleo", "dora"}[:c.Seats], table.Config{})
	b := seam.NewRecord[skat.State, skat.Move](r)
	for len(played.State.Duties()) > 0 {
		before := played.State
		entry := testmust.Have(drawnMessage(played, choice))(t)
		testmust.Do(t, played.Add(entry))
		m := testmust.Have(wire.Parse(entry))(t).Message
		var body wire.MoveBody
		if m.Kind == wire.KindMove {
			testmust.Do(t, wire.DecodeBody(m.Body, &body))
			testmust.Do(t, b.AddMove(before, played.State, table.Seat(m.Seat), body.Move))
		}
	}
	testmust.Do(t, b.Close(played.State))
	last, _ := table.Public[skat.State](played.State)
	return r, last
}

// A record that says something else than was played: of random lists each line is read
// as what was written, and the scorer, who has nothing but the line, finds no broken rule
// and the scores of the table.
func TestRecorder(t *testing.T) {
	verdicts := map[record.Verdict]int{}
	untold := 0
	first, end := uint64(4), uint64(8) // lists of which two pass a deal in
	if testmust.Thorough() {
		first, end = 0, 20
	}
	for seed := first; seed < end; seed++ {
		c := tabletest.Config{Seats: 3 + int(seed%2), Deals: 8, Options: map[string]string{"early": []string{"open", "prove"}[seed%3/2]}}
		r, last := recorded(t, c, seed)
		lines := strings.Split(strings.TrimSpace(string(r.Lines())), "\n")
		for i, line := range lines {
			d, err := record.ParseLine(line)
			testmust.Requiref(t, err == nil, "%v\n%s", err, line)
			again := d.Line()
			testmust.Requiref(t, again == line, "written\n%s\nand read as\n%s", line, again)
			s := record.Score(d)
			verdicts[s.Verdict]++
			if len(s.Findings)+len(s.Customs) > 0 || s.Verdict != record.Scored && s.Verdict != record.PassedIn && s.Verdict != record.Untold {
				t.Fatalf("seed %d: %s %v %v\n%s", seed, s.Verdict, s.Findings, s.Customs, line)
			}
			if past := last.Past[i]; s.Result == nil && past.Result != nil {
				untold++ // its matadors were proved and not shown
				testmust.Requiref(t, c.Options["early"] != "open", "seed %d: %s, but no score\n%s", seed, past.How, line)
			} else if past.Result != nil && s.Result.Score != past.Result.Score {
				t.Fatalf("seed %d: scores %d, and the table %d\n%s", seed, s.Result.Score, past.Result.Score, line)
			}
		}
		testmust.Equal(t, len(lines), len(last.Past), "seed", seed, "lines of deals")
	}
	t.Logf("%v, %d not told", verdicts, untold)
	testmust.Holdf(t, untold == verdicts[record.Untold] && untold <= verdicts[record.Scored]/2 && verdicts[record.PassedIn] != 0,
		"%v, %d not told", verdicts, untold)
}
