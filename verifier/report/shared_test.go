package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tableset"
)

// residues is a suite whose keys are numbers that anybody can factor, and asking one of the same keys
// where seats ask for proofs.
var (
	residues = schindelhauer.Prover(schindelhauer.New("schindelhauer-test/v1", 256))
	asking   = schindelhauer.AskedProver(schindelhauer.NewAsking("schindelhauer-test-chosen40/v1", 256))
)

// keyed are entries of a table of two, until all card keys are posted. The secret of its first seat is
// changed before.
func keyed(t *testing.T, seed uint64, change func(proof.Secret) proof.Secret) *tabletest.Table {
	t.Helper()
	return keyedWith(t, residues, seed, change)
}

func keyedWith(t *testing.T, suite proof.Prover, seed uint64, change func(proof.Secret) proof.Secret) *tabletest.Table {
	t.Helper()
	tb := newTable(t, "schwarzer-peter/v1", tabletest.Config{Seats: 2, Options: map[string]string{"rules": "article"}, Suite: suite}, seed)
	tb.Hands[0].Secret = change(tb.Hands[0].Secret)
	testmust.Have(tb.PlayUntil(table.Shuffle))(t)
	return tb
}

// crossed is the secret of one prime of a and one of b.
func crossed(t *testing.T, suite proof.Prover, a, b proof.Secret) proof.Secret {
	t.Helper()
	half := len(a.Bytes()) / 2
	primes := [][]byte{a.Bytes()[:half], b.Bytes()[:half]}
	slices.SortFunc(primes, slices.Compare)
	return testmust.Have(suite.ParseSecret(slices.Concat(primes...)))(t)
}

// Two tables whose card keys share a prime, so that everybody can compute the secrets, and nobody says so; or one is
// blamed, who cannot have known. A key that is used twice gives nothing away, and is told as that.
func TestSharedFactors(t *testing.T) {
	var first, again proof.Secret
	tables := []*tabletest.Table{
		keyed(t, 1, func(x proof.Secret) proof.Secret { first = x; return x }),
		keyed(t, 2, func(x proof.Secret) proof.Secret { return crossed(t, residues, first, x) }),
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
	all := testmust.Have(tableset.VerifyTables(context.Background(), s, tableset.Options{Options: o}))(t)
	testmust.Requiref(t, len(all.Shared) == 2 && !all.Shared[0].Same && all.Shared[1].Same && all.ExitCode() == verifier.Unfinished.ExitCode(),
		"shared %+v, exit code %d", all.Shared, all.ExitCode())
	for _, table := range all.Tables {
		testmust.Holdf(t, table.Verdict == verifier.Unfinished && len(table.Findings) == 0, "table %s: %s, %v", table.Table, table.Verdict, table.Findings)
	}
	for _, tag := range report.Languages() {
		l, _ := report.LanguageOf(tag)
		d := report.Sum(all, l, nil)
		for i, text := range []string{"shared.note", "shared.same"} {
			var keys []string
			for _, tb := range tables[2*i : 2*i+2] {
				id := tb.State.ID()
				keys = append(keys, fmt.Sprintf("seat-0 (%s, %d)", id.Code()[:wire.MinCode], at[id]))
			}
			testmust.Hold(t, slices.Contains(d.Notes, l.Say(text, "keys", strings.Join(keys, ", "))), tag, text, "is not told", d.Notes)
		}
	}
	b, err := json.Marshal(all)
	testmust.Holdf(t, err == nil && strings.Count(string(b), `"same":true`) == 1, "as JSON: %v, %s", err, b)
}

// shown is one table of a log.
type shown struct {
	*scene
	id wire.Hash
}

// Extract implements tableset.Extract.
func (s shown) Extract(tlog.Checkpoint) (iter.Seq2[uint64, []byte], error) {
	return func(yield func(uint64, []byte) bool) {
		for i, entry := range s.entries {
			e, err := wire.Parse(entry)
			if err == nil && (e.Hash == s.id || e.Message != nil && e.Message.Table == s.id) && !yield(uint64(i), entry) {
				return
			}
		}
	}, nil
}

// The same of bundles, which may be of several logs, and of suites with the same keys; where seats ask
// for proofs a key has an anchor beside it. A copy of a table in another log, with which no seat shares its own key.
func TestSharedFactorsOfBundles(t *testing.T) {
	var first, other proof.Secret
	logs := [][]*tabletest.Table{{
		keyed(t, 1, func(x proof.Secret) proof.Secret { first = x; return x }),
		keyedWith(t, asking, 2, func(x proof.Secret) proof.Secret { return crossed(t, asking, first, x) }),
		keyed(t, 3, func(x proof.Secret) proof.Secret { other = x; return x }),
	}, {
		keyedWith(t, asking, 4, func(x proof.Secret) proof.Secret { return crossed(t, asking, other, x) }),
		keyed(t, 5, func(x proof.Secret) proof.Secret { return x }),
	}}
	logs = append(logs, logs[1])
	var o tableset.AgainstOptions
	var names []string
	files := map[string]shown{}
	for i, tables := range logs {
		s := &scene{Table: tables[0]}
		var entries [][]byte
		for _, tb := range tables {
			entries = append(entries, tb.Entries...)
			name := fmt.Sprintf("%d/%s", i, tb.State.ID())
			names, files[name] = append(names, name), shown{s, tb.State.ID()}
		}
		s.signAs(t, fmt.Sprint("log.example/", i), entries)
		o.Log = append(o.Log, s.key)
	}
	o.Catalogue = table.Catalogue{Game: games.Lookup, Suite: func(name string) (proof.Suite, bool) {
		if name == asking.Name() {
			return asking, true
		}
		return residues, true
	}}
	all, err := tableset.VerifyExtractsOfLogs(context.Background(), names, func(name string) (tableset.Extract, wire.Hash, error) {
		return files[name], files[name].id, nil
	}, o)
	testmust.Do(t, err)
	var told []string
	for _, s := range all.Shared {
		for _, k := range s.Keys {
			first := slices.IndexFunc(names, func(name string) bool { return strings.HasSuffix(name, k.Table.String()) })
			told = append(told, fmt.Sprint(first, s.Same))
		}
	}
	slices.Sort(told)
	want := "0 false, 1 false, 2 false, 3 false"
	testmust.Holdf(t, len(all.Shared) == 2 && strings.Join(told, ", ") == want, "in %d groups %q, want %q in 2", len(all.Shared), told, want)
}

// keyOfFirst is which entry of a table has the card key of its first seat.
func keyOfFirst(t *testing.T, tb *tabletest.Table) int {
	t.Helper()
	return slices.IndexFunc(tb.Entries, func(entry []byte) bool {
		e := testmust.Have(wire.Parse(entry))(t)
		return e.Message != nil && e.Message.Kind == wire.KindKey && e.Message.Seat == 0
	})
}
