package report_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
)

// locked is five-card draw with locks that are disclosed, up to a duty of a kind.
func locked(t *testing.T, k table.Kind) *tabletest.Table {
	t.Helper()
	tb := newTable(t, "five-card-draw/v1", tabletest.Config{Seats: 3, Suite: clear.Deferred{}}, 1)
	testmust.Have(tb.PlayUntil(k))(t)
	return tb
}

// told is what a report of a table as it is now says, in every language.
func told(t *testing.T, tb *tabletest.Table) map[string]*report.Document {
	t.Helper()
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	said := map[string]*report.Document{}
	for _, tag := range report.Languages() {
		said[tag] = s.document(t, tag)
	}
	return said
}

// A foul that is told of the disclosure that shows it, of two entries or of none; a reader
// who is not told where the wrong entry is, or where that was shown.
func TestFoulIsToldWhereItIs(t *testing.T) {
	tb := locked(t, table.Show)
	d := tb.State.Duties()[0]
	entry, err := tb.Message(d.Seats[0], d, nil)
	if err == nil {
		entry, err = tb.Forge(entry, func(m *wire.Message) {
			var b wire.TokensBody
			testmust.Do(t, wire.DecodeBody(m.Body, &b))
			b.Tokens[0], b.Tokens[1] = b.Tokens[1], b.Tokens[0]
			m.Body, _ = wire.EncodeBody(b)
		})
	}
	if err == nil {
		err = tb.Add(entry)
	}
	wrong := len(tb.Entries) - 1
	testmust.Do(t, err)
	testmust.Do(t, tb.Play(-1))
	for tag, d := range told(t, tb) {
		fouls := 0
		for _, s := range d.Trace {
			if s.Status == report.Foul {
				fouls++
				if s.Index != uint64(wrong) || s.Check != table.CheckStep || s.Why == "" {
					t.Errorf("%s: foul at entry %d: %s, %q", tag, s.Index, s.Check, s.Why)
				}
			}
		}
		last := d.Trace[len(d.Trace)-1]
		if fouls != 1 || last.Kind != table.Disclose || last.Status != report.Applied || last.Shows == nil || *last.Shows != uint64(wrong) {
			t.Errorf("%s: %d entries are foul, and the last is %+v", tag, fouls, last)
		}
		t.Log(d.Headline, d.Notes, last.Text)
	}
	teller := report.Tell(tb.Catalogue(), language(t, "en"))
	for i, entry := range tb.Entries {
		e := testmust.Have(wire.Parse(entry))(t)
		if s, err := teller.Next(uint64(i), e); err != nil || s.Status != report.Applied || (s.Shows != nil) != (i == len(tb.Entries)-1) {
			t.Fatalf("watched, entry %d is %+v (%v)", i, s, err)
		}
	}
	if f := teller.State().Foul(); f == nil || f.Seat != d.Seats[0] {
		t.Errorf("watched, the table ended by %v", f)
	}
	en := told(t, tb)["en"]
	if !strings.Contains(en.Headline, "not made with the lock") || !strings.Contains(strings.Join(en.Notes, " "), "entry") {
		t.Errorf("%s %v", en.Headline, en.Notes)
	}
}

// Locks that are owed, and of which a language has no words.
func TestWaitingForLocks(t *testing.T) {
	tb := locked(t, table.Disclose)
	for tag, d := range told(t, tb) {
		if d.Verdict != verifier.Unfinished {
			t.Fatalf("%s: %s", tag, d.Verdict)
		}
		t.Log(d.Headline)
	}
	testmust.Do(t, tb.Play(-1))
	for tag, d := range told(t, tb) {
		if d.Verdict != verifier.Sound {
			t.Fatalf("%s: %s", tag, d.Verdict)
		}
		t.Log(d.Trace[len(d.Trace)-1].Text)
	}
}

// A move that opens a card that is none, so that it is not made: who tells of the game must
// not tell what would have come of it, nor fail.
func TestMoveThatStopsPlay(t *testing.T) {
	for seed := range uint64(20) {
		tb := newTable(t, "five-card-draw/v1", tabletest.Config{Seats: 3, Suite: clear.Deferred{}}, seed)
		for len(tb.State.Duties()) > 0 {
			entry := testmust.Have(tb.Next())(t)
			forged := testmust.Have(tb.Forge(entry, func(m *wire.Message) {
				var b wire.MoveBody
				if m.Kind == table.Move && wire.DecodeBody(m.Body, &b) == nil && len(b.Tokens) > 1 {
					b.Tokens[0] = b.Tokens[1]
					m.Body, _ = wire.EncodeBody(b)
				}
			}))(t)
			testmust.Do(t, tb.Add(forged))
		}
		if f := tb.State.Foul(); f != nil {
			for _, d := range told(t, tb) {
				if d.Verdict != verifier.Foul || *d.Findings[0].Seat != f.Seat {
					t.Fatalf("%s", d.Headline)
				}
			}
			return
		}
	}
	t.Fatal("nobody showed a hand in 20 deals")
}
