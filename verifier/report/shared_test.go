package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tournament"
)

// residues is a suite whose keys are numbers that anybody can factor.
var residues = schindelhauer.Prover(schindelhauer.New("schindelhauer-test/v1", 256))

// keyed are entries of a table of two, until all card keys are posted. The secret of its first seat is
// changed before.
func keyed(t *testing.T, seed uint64, change func(proof.Secret) proof.Secret) *tabletest.Table {
	t.Helper()
	tb := newTable(t, "schwarzer-peter/v1", tabletest.Config{Seats: 2, Options: map[string]string{"rules": "article"}, Suite: residues}, seed)
	tb.Hands[0].Secret = change(tb.Hands[0].Secret)
	if _, err := tb.PlayUntil(table.Shuffle); err != nil {
		t.Fatal(err)
	}
	return tb
}

// crossed is the secret of one prime of a and one of b.
func crossed(t *testing.T, a, b proof.Secret) proof.Secret {
	t.Helper()
	half := len(a.Bytes()) / 2
	primes := [][]byte{a.Bytes()[:half], b.Bytes()[:half]}
	slices.SortFunc(primes, slices.Compare)
	x, err := residues.ParseSecret(slices.Concat(primes...))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Two tables whose card keys share a prime, so that everybody can compute the secrets, and nobody says so; or one is
// blamed, who cannot have known. A key that is used twice gives nothing away, and is told as that.
func TestSharedFactors(t *testing.T) {
	var first, again proof.Secret
	tables := []*tabletest.Table{
		keyed(t, 1, func(x proof.Secret) proof.Secret { first = x; return x }),
		keyed(t, 2, func(x proof.Secret) proof.Secret { return crossed(t, first, x) }),
		keyed(t, 3, func(x proof.Secret) proof.Secret { again = x; return x }),
		keyed(t, 4, func(proof.Secret) proof.Secret { return again }),
	}
	s := &scene{Table: tables[0]}
	var entries [][]byte
	at := map[wire.Hash]int{} // of the key of its first seat
	for _, tb := range tables {
		at[tb.State.ID()] = len(entries) + keyOfFirst(t, tb)
		entries = append(entries, tb.Entries...)
	}
	s.sign(t, entries)
	o := s.options()
	o.Table, o.Catalogue.Game = wire.Hash{}, games.Lookup
	all, err := tournament.Verify(context.Background(), s, tournament.Options{Options: o})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Shared) != 2 || all.Shared[0].Same || !all.Shared[1].Same || all.ExitCode() != verifier.Unfinished.ExitCode() {
		t.Fatalf("shared %+v, exit code %d", all.Shared, all.ExitCode())
	}
	for _, table := range all.Tables {
		if table.Verdict != verifier.Unfinished || len(table.Findings) > 0 {
			t.Errorf("table %s: %s, %v", table.Table, table.Verdict, table.Findings)
		}
	}
	for _, tag := range report.Languages() {
		l, _ := report.In(tag)
		d := report.Sum(all, l, nil)
		for i, text := range []string{"shared.note", "shared.same"} {
			var keys []string
			for _, tb := range tables[2*i : 2*i+2] {
				id := tb.State.ID()
				keys = append(keys, fmt.Sprintf("seat-0 (%s, %d)", id.Code()[:wire.MinCode], at[id]))
			}
			if !slices.Contains(d.Notes, l.Say(text, "keys", strings.Join(keys, ", "))) {
				t.Errorf("%s: %s is not told: %q", tag, text, d.Notes)
			}
		}
	}
	if b, err := json.Marshal(all); err != nil || strings.Count(string(b), `"same":true`) != 1 {
		t.Errorf("as JSON: %v, %s", err, b)
	}
}

// keyOfFirst is which entry of a table has the card key of its first seat.
func keyOfFirst(t *testing.T, tb *tabletest.Table) int {
	t.Helper()
	return slices.IndexFunc(tb.Entries, func(entry []byte) bool {
		e, err := wire.Parse(entry)
		if err != nil {
			t.Fatal(err)
		}
		return e.Message != nil && e.Message.Kind == wire.KindKey && e.Message.Seat == 0
	})
}
