package verifiertest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// Open is a log of entries that takes whatever it is given, under a key that is always the same.
func Open(t testing.TB, entries [][]byte) (*ledgertest.Memory, note.Verifier) {
	t.Helper()
	private, public, err := note.GenerateKey(rand.NewChaCha8([32]byte{'l', 'o', 'g'}), "log.example")
	if err != nil {
		t.Fatal(err)
	}
	memory := testmust.Have(ledgertest.NewMemoryOf(testmust.Have(note.NewSigner(private))(t)))(t)
	for _, entry := range entries {
		if _, err := memory.Append(t.Context(), entry); err != nil {
			t.Fatal(err)
		}
	}
	return memory, testmust.Have(note.NewVerifier(public))(t)
}

// Report is what the verifier says of a table in such a log.
func Report(t testing.TB, entries [][]byte, id wire.Hash, c table.Catalogue) (*verifier.Report, error) {
	t.Helper()
	log, key := Open(t, entries)
	return verifier.Verify(t.Context(), log, verifier.Options{Table: id, Log: []note.Verifier{key}, Catalogue: c})
}

// AgreesWith compares a report with what the replay makes of an entry of the table, and with its
// index in the log.
func AgreesWith(r *verifier.Report, at int, index uint64, fault *table.Fault) error {
	switch {
	case fault != nil && fault.Class == table.Foul:
		if r.Verdict != verifier.Foul || len(r.Findings) != 1 {
			return fmt.Errorf("%s %v, want %v", r.Verdict, r.Findings, fault)
		}
		if f := r.Findings[0]; *f.Seat != fault.Seat || *f.Index != index || f.Check != fault.Check || r.Applied != at-1 {
			return fmt.Errorf("seat %d, entry %d, %s; want %v at %d", *f.Seat, *f.Index, f.Check, fault, at)
		}
	case len(r.Findings) > 0 || r.Verdict != verifier.Sound && r.Verdict != verifier.Unfinished:
		return fmt.Errorf("%s %v, want nobody blamed", r.Verdict, r.Findings)
	case fault != nil && r.Applied != at-1, fault == nil && r.Applied < at:
		return fmt.Errorf("%d messages applied: %v", r.Applied, fault)
	}
	return nil
}

// VerifyShown shows the verifier a table with another entry in the place of one, and three after it, and
// returns the report, which must be what the replay says.
func VerifyShown(t testing.TB, played *tabletest.Table, at int, entry []byte, fault *table.Fault) *verifier.Report {
	t.Helper()
	after := played.Entries[at+1 : min(len(played.Entries), at+4)]
	r, err := Report(t, slices.Concat(played.Entries[:at], [][]byte{entry}, after), played.State.ID(), played.Catalogue())
	if err == nil {
		err = AgreesWith(r, at, uint64(at), fault)
	}
	if err != nil {
		t.Errorf("entry %d: the verifier: %v", at, err)
	}
	return r
}
