//go:build unix

package verifier_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
	"golang.org/x/mod/sumdb/note"
)

// tableLogsEnv names a directory for the logs of BenchmarkTables: mirrors, with
// the verifier key of the log beside them, which pakli-verify can read as well.
// Logs that are not there are played and written, which takes minutes.
const tableLogsEnv = "PAKLI_TOURNAMENT"

// Tables of one deal of tarokk in a log, a dozen of them played at a time, verified
// on all processors.
func BenchmarkTables(b *testing.B) {
	dir := os.Getenv(tableLogsEnv)
	if dir == "" {
		b.Skipf("%s names no directory for the logs", tableLogsEnv)
	}
	for _, n := range []int{10, 100, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			log := filepath.Join(dir, strconv.Itoa(n))
			if _, err := os.Stat(log); err != nil {
				writeTables(b, log, n)
			}
			key := testmust.Have(os.ReadFile(log + ".vkey"))(b)
			v := testmust.Have(tlog.ParseVerifierKey(string(key)))(b)
			o := verifier.Options{Log: []note.Verifier{v}, Catalogue: table.Catalogue{Game: games.Lookup, Suite: lookupSuite}}
			defer processor(b, n)()
			for b.Loop() {
				t, err := tableset.VerifyTables(context.Background(), tiles.Directory(log), tableset.Options{Options: o})
				testmust.Require(b, err == nil && t.ExitCode() == 0 && len(t.Tables) == n, err, t)
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "deals/s")
		})
	}
}

func writeTables(b *testing.B, dir string, n int) {
	b.Helper()
	tables := make([]entered, n)
	var players sync.WaitGroup
	for worker := range 2 {
		players.Go(func() {
			for seed := worker; seed < n; seed += 2 {
				t, err := tarokks.play(realSuite(b), uint64(seed))
				if err != nil {
					b.Error(err)
					return
				}
				tables[seed] = entered{fmt.Sprint(seed), t.State.ID(), t.Entries}
			}
		})
	}
	if players.Wait(); b.Failed() {
		b.FailNow()
	}
	skey, vkey, err := note.GenerateKey(nil, "log.example")
	testmust.Do(b, err)
	sc := &scene{}
	sc.signer = testmust.Have(note.NewSigner(skey))(b)
	testmust.Do(b, os.WriteFile(dir+".vkey", []byte(vkey), 0o644))
	log := sc.log(b, interleaved(tables, 1))
	testmust.Have(tiles.CopyLog(context.Background(), log, dir, func([]byte) [][32]byte { return nil }))(b)
}

// What wrong proofs cost tables of sixteen deals: of none, one, half and all of
// its tables the last proof is wrong.
func BenchmarkFouls(b *testing.B) {
	played := deals(b, tarokks)
	for _, wrong := range []int{0, 1, benchDeals / 2, benchDeals} {
		tables := make([]entered, benchDeals)
		for i, sc := range played {
			tables[i] = entered{"", sc.State.ID(), sc.Entries}
			if i < wrong {
				tables[i].entries = wrongAtLast(b, sc)
			}
		}
		sc := sceneOf(b, nil)
		log := sc.log(b, interleaved(tables, 1))
		o := verifier.Options{Log: []note.Verifier{sc.key}, Catalogue: table.Catalogue{Game: games.Lookup, Suite: lookupSuite}}
		b.Run(fmt.Sprint(wrong), func(b *testing.B) {
			defer processor(b, benchDeals)()
			for b.Loop() {
				t, err := tableset.VerifyTables(context.Background(), log, tableset.Options{Options: o, Workers: 1})
				testmust.Require(b, err == nil && len(t.Standings) == 4*(benchDeals-wrong), err, t)
			}
		})
	}
}

// wrongAtLast alters the last message of a table that has a proof, so that all
// before it is as it was.
func wrongAtLast(b *testing.B, sc *scene) [][]byte {
	b.Helper()
	entries := slices.Clone(sc.Entries)
	for i, e := range slices.Backward(entries) {
		parsed := testmust.Have(wire.Parse(e))(b)
		if parsed.Message == nil || len(parsed.Message.Proofs) == 0 {
			continue
		}
		p := parsed.Message.Proofs[0]
		entries[i] = testmust.Have(sc.Forge(e, func(m *wire.Message) { m.Proofs[0] = flipped(p, len(p)-1) }))(b)
		return entries[:i+1]
	}
	b.Fatal("no proof at all")
	return nil
}
