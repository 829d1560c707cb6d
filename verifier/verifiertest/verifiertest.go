// Package verifiertest puts tables of tests on a log, and sees what log and verifier make
// of entries that must not be applied. It lays decks in a wanted order, and plays tables of the toolbox.
package verifiertest

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// Log is a log with its way in, and a table on it.
type Log struct {
	*admission.Admission
	Memory *ledgertest.Memory
	Key    note.Verifier
	table  *tabletest.Table
}

// NewLog is a log that has taken all entries of a table.
func NewLog(t *testing.T, played *tabletest.Table) Log {
	t.Helper()
	memory, key, err := ledgertest.NewMemory("log.example/cheats")
	if err != nil {
		t.Fatal(err)
	}
	a, err := admission.Open(t.Context(), memory, played.Catalogue(), admission.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log := Log{a, memory, key, played}
	for _, entry := range played.Entries {
		if _, err := log.post(t, entry); err != nil {
			t.Fatalf("honest play is refused: %v", err)
		}
	}
	return log
}

func (l Log) post(t *testing.T, entry []byte) (admission.PostedEntry, error) {
	t.Helper()
	e, err := bulletin.Parse(entry)
	if err != nil {
		return admission.PostedEntry{}, err
	}
	return l.Post(t.Context(), e)
}

// Verify is what the verifier says of the table.
func (l Log) Verify(t *testing.T) *verifier.Report {
	t.Helper()
	r, err := verifier.Verify(t.Context(), l.Memory, verifier.Options{Table: l.table.State.ID(), Log: []note.Verifier{l.Key}, Catalogue: l.table.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Fault is why an entry is refused, or nil.
func (l Log) Fault(t *testing.T, entry []byte) *table.Fault {
	t.Helper()
	_, err := l.post(t, entry)
	fault, _ := errors.AsType[*table.Fault](err)
	return fault
}

func (l Log) size(t *testing.T) uint64 {
	t.Helper()
	c, err := l.Memory.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c.Size
}

// Lie is an entry that must not be applied: a foul of its signer, or void and nobody's
// fault.
type Lie struct {
	Name  string
	Entry []byte
	Check table.Check // that it fails; of form and authority, or none: it is void
	Rule  string      // that the error names, if any
}

func (l Lie) isVoid() bool { return l.Check == "" || l.Check[0] == 'T' }

// seatOf is whose lie it is.
func (l Lie) seatOf(t *testing.T) table.Seat {
	t.Helper()
	e, err := wire.Parse(l.Entry)
	if err != nil {
		t.Fatalf("%s: %v", l.Name, err)
	}
	return table.Seat(e.Message.Seat)
}

// checkFound checks what a lie was taken for.
func (l Lie) checkFound(t *testing.T, f *table.Fault) {
	t.Helper()
	switch {
	case f == nil:
		t.Errorf("%s: it is taken", l.Name)
	case l.isVoid() && f.Class != table.Void, !l.isVoid() && (f.Class != table.Foul || f.Seat != l.seatOf(t)), l.Check != "" && f.Check != l.Check, !strings.Contains(f.Error(), l.Rule):
		t.Errorf("%s: %v, %v; want seat %s found by %s %s", l.Name, f.Class, f, l.seatOf(t).Letter(), l.Check, l.Rule)
	}
}

// CheckRefused holds that a log whose tables refuse fouls takes none of the lies, and that play
// goes on, unless the cheat is stuck and has left himself no honest message.
func CheckRefused(t *testing.T, played *tabletest.Table, stuck bool, lies ...Lie) {
	t.Helper()
	log := NewLog(t, played)
	before := log.size(t)
	for _, l := range lies {
		l.checkFound(t, log.Fault(t, l.Entry))
	}
	if now := log.size(t); now != before {
		t.Errorf("the log grew from %d to %d entries", before, now)
	}
	if len(played.State.Duties()) == 0 {
		return
	}
	next, err := played.Next()
	if err == nil {
		_, err = log.post(t, next)
	}
	if (err != nil) != stuck {
		t.Errorf("play goes on with %v, want an error: %v", err, stuck)
	}
}

// CheckRecorded holds that each of the lies is found where fouls are recorded, and that a log
// which takes the first of them, and nothing more, is verified as a foul of its seat there;
// or, if it is void, as nobody's.
func CheckRecorded(t *testing.T, played *tabletest.Table, lies ...Lie) {
	t.Helper()
	for _, l := range lies {
		_, err := tabletest.Apply(played.State, l.Entry)
		fault, _ := errors.AsType[*table.Fault](err)
		l.checkFound(t, fault)
	}
	log, first := NewLog(t, played), lies[0]
	posted, err := log.post(t, first.Entry)
	if first.isVoid() {
		if r := log.Verify(t); err == nil || r.Verdict == verifier.Foul || len(r.Findings) > 0 {
			t.Errorf("%s: recorded with %v, %s %v: nobody is to blame", first.Name, err, r.Verdict, r.Findings)
		}
		return
	}
	if first.checkFound(t, posted.Fault); err != nil {
		t.Fatal(err)
	}
	if next, err := played.Next(); err == nil {
		if f := log.Fault(t, next); f == nil || f.Class != table.Void {
			t.Errorf("after the foul: %v, want nothing to be taken and nobody blamed", f)
		}
	}
	log.checkBlames(t, first.Name, first.seatOf(t), first.Check, posted.Receipt.Index)
}

// CheckBlamed holds that a log which has taken all of a table is verified as a foul of a seat,
// found by a check, at an entry of the table; that was applied, and others have shown it.
func CheckBlamed(t *testing.T, played *tabletest.Table, name string, seat table.Seat, check table.Check, entry int) {
	t.Helper()
	NewLog(t, played).checkBlames(t, name, seat, check, uint64(entry))
}

func (l Log) checkBlames(t *testing.T, name string, seat table.Seat, check table.Check, index uint64) {
	t.Helper()
	r := l.Verify(t)
	here := func(f verifier.Finding) bool { return *f.Seat == seat && f.Check == check && *f.Index == index }
	if r.Verdict != verifier.Foul || len(r.Findings) != 1 || !here(r.Findings[0]) {
		t.Errorf("%s: %s, %v; want one foul of seat %s by %s at %d", name, r.Verdict, r.Findings, seat.Letter(), check, index)
	}
}
