package tarokk_test

import (
	"os"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/mutants"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tournament"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// crowd says among how many honest games mutants are put, at how many tables at a
// time, and how often.
type crowd struct{ honest, tables, rounds int }

func crowds() crowd {
	if os.Getenv("PAKLI_MUTANTS") == "all" {
		return crowd{100, 12, 1 << 20}
	}
	return crowd{10, 4, 10}
}

// played is a table in a log with others, with the place of one entry of it.
type played struct {
	id      wire.Hash
	entries [][]byte
	at      int
	index   uint64 // of that entry in the log
}

// A batch that says otherwise than a check of one message: each mutant is put into
// a log with mutants of other tables, among honest games, which all go into the
// same batches. In the long form these are a hundred games, and for each kind of
// entry of a deal all alterations that the short form of TestMutants makes.
func TestMutantsAmongHonestGames(t *testing.T) {
	thorough.Only(t, "many games are played")
	c := crowds()
	honest := honestGames(t, c.honest)
	var scenes []*scene
	for i := range c.tables {
		scenes = append(scenes, seeded(t, uint64(i+2)))
	}
	list := scenes[0].everyKind()
	rounds := min(c.rounds, (len(list)+c.tables-1)/c.tables)
	fouls := 0
	for round := range rounds {
		tables := append([]*played{}, honest...)
		var faults []*table.Fault
		for i, s := range scenes {
			n := (round*c.tables + i) * len(list) / (rounds * c.tables)
			at := list[n].at
			all := s.mutantsOf(at)
			m := all[list[n].of%len(all)] // another deal may offer fewer moves
			fault, err := mutants.Judge(s.Table, at, m, newCampaign().Legal)
			if err != nil {
				t.Fatalf("entry %d, %s: %v", at, m.Name, err)
			}
			entries := append([][]byte{}, s.Entries...)
			entries[at] = m.Entry
			faults = append(faults, fault)
			if fault != nil && fault.Class == table.Foul {
				fouls++
			}
			tables = append(tables, &played{id: s.State.ID(), entries: entries, at: at})
		}
		together(t, tables, faults)
	}
	if fouls < rounds*c.tables/3 {
		t.Errorf("only %d of %d mutants are fouls", fouls, rounds*c.tables)
	}
	t.Logf("%d mutants, %d of them fouls, %d at a time among %d honest games", rounds*c.tables, fouls, c.tables, c.honest)
}

// honestGames are short games of two.
func honestGames(t *testing.T, n int) []*played {
	t.Helper()
	peter, ok := games.Lookup("schwarzer-peter/v1")
	if !ok {
		t.Fatal("no game")
	}
	var list []*played
	for seed := range uint64(n) {
		c := tabletest.Config{Seats: 2, Options: options{"rules": "article"}, Suite: defaultSuite(t)}
		s := testmust.Have(tabletest.Play(peter, c, seed+1000))(t)
		list = append(list, &played{id: s.State.ID(), entries: s.Entries})
	}
	return list
}

// seeded is a deal to its end, with keys of its own.
func seeded(t *testing.T, seed uint64) *scene {
	r := playthroughs[0]
	r.whole, r.seed = true, seed
	return r.play(t, defaultSuite(t))
}

// numbered is one mutant of an entry.
type numbered struct{ at, of int }

// everyKind lists the mutants of the first entry of each kind. Tables of one script
// have the same kinds of entries in the same places, at least up to the play.
func (s *scene) everyKind() []numbered {
	var list []numbered
	seen := map[string]bool{}
	for at := 1; at < len(s.Entries) && at < firstPlay; at++ {
		if kind := mutants.Kind(s.T, s.Table, at); !seen[kind] {
			seen[kind] = true
			for of := range s.mutantsOf(at) {
				list = append(list, numbered{at, of})
			}
		}
	}
	return list
}

// mutantsOf are some mutants of one entry.
func (s *scene) mutantsOf(at int) []mutants.Mutant {
	return testmust.Have(mutants.Of(s.Table, at, mutants.Effort{Bytes: 2, Moves: 8}, vocabulary))(s.T)
}

// firstPlay is where the first card is played in the tables of seeded.
const firstPlay = 42

// together verifies all tables of a log at once: honest ones are sound, and of each
// mutant the report says what a check of it alone does.
func together(t *testing.T, tables []*played, faults []*table.Fault) {
	t.Helper()
	var entries [][]byte
	for i, more := 0, true; more; i++ {
		more = false
		for _, p := range tables { // all are played at once
			if i < len(p.entries) {
				more = true
				if i == p.at {
					p.index = uint64(len(entries))
				}
				entries = append(entries, p.entries[i])
			}
		}
	}
	var ids []wire.Hash
	for _, p := range tables {
		ids = append(ids, p.id)
	}
	log, key := verifiertest.Open(t, entries)
	all, err := tournament.Verify(t.Context(), log, tournament.Options{Tables: ids, Options: verifier.Options{
		Log: []note.Verifier{key}, Catalogue: table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}}})
	if err != nil {
		t.Fatal(err)
	}
	honest := len(tables) - len(faults)
	for i, r := range all.Tables {
		switch p := tables[i]; {
		case r.Err != nil:
			t.Errorf("table %d: %v", i, r.Err)
		case i < honest && r.Verdict != verifier.Sound:
			t.Errorf("honest table %d: %s", i, r.Headline())
		case i >= honest:
			if err := verifiertest.Agrees(r.Report, p.at, p.index, faults[i-honest]); err != nil {
				t.Errorf("table %d, entry %d: %v", i, p.at, err)
			}
		}
	}
}
