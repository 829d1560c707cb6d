//go:build unix

package verifier_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// benchDeals is how many tables of one deal the benchmarks verify in turn.
const benchDeals = 16

// bench is a game whose deals the benchmarks measure, with its number of tables.
type bench struct {
	game   table.Game
	config tabletest.Config
	tables int
}

var (
	tarokks   = bench{play.NewGame(tarokk.Rules{}), tabletest.Config{Seats: 4, Deals: 1, Options: map[string]string{"seat-draw": "false"}}, benchDeals}
	skats     = bench{play.NewGame(skat.Rules{}), tabletest.Config{Seats: 3, Deals: 1}, benchDeals}
	skatLists = bench{play.NewGame(skat.Rules{}), tabletest.Config{Seats: 3, Deals: 36}, 1}
)

// deals plays one-deal tables of a game with sensible players and the default suite, without a draw
// for seats.
func deals(b *testing.B, of bench) []*scene {
	b.Helper()
	var list []*scene
	for seed := range uint64(of.tables) {
		list = append(list, sceneOf(b, testmust.Have(of.play(realSuite(b), seed))(b)))
	}
	return list
}

func (of bench) play(s proof.Suite, seed uint64) (*tabletest.Table, error) {
	of.config.Suite = s
	t, err := tabletest.New(of.game, of.config, seed)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for len(t.State.Duties()) > 0 {
		d := t.State.Duties()[0]
		var move json.RawMessage
		if seat := d.Seats[0]; d.Kind == table.Move {
			if move, err = t.Choose(seat, r); err != nil {
				return nil, err
			}
		}
		entry, err := t.HonestMessage(d.Seats[0], d, move)
		if err != nil {
			return nil, err
		}
		if err := t.Add(entry); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// processor measures the processor time of one operation, including the garbage collector's work. On
// a busy machine it says more than elapsed time does.
func processor(b *testing.B, operations int) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		testmust.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	return func() {
		b.ReportMetric(float64((used()-before).Microseconds())/float64(operations*b.N), "cpu-µs/op")
	}
}

// BenchmarkDeal verifies a whole deal from the bytes of the log: the checkpoint, the tree,
// signatures, proofs and rules. "alone" checks the proofs of each message when the message comes,
// "batch" checks those of the whole table together; of a list, a deal is its share. The same run
// measures one multiplication in variable time for comparison.
func BenchmarkDeal(b *testing.B) {
	b.Run("tarokk", tarokks.verify)
	b.Run("skat", skats.verify)
	b.Run("list", skatLists.verify)
}

func (of bench) verify(b *testing.B) {
	played := deals(b, of)
	bytes, messages := 0, 0
	for _, sc := range played {
		messages += len(sc.Entries)
		for _, e := range sc.Entries {
			bytes += len(e)
		}
	}
	b.Run("multiplication", func(b *testing.B) {
		x := testmust.Have(group.Ristretto255().RandomScalar(rand.NewChaCha8([32]byte{})))(b)
		p := group.Ristretto255().HashToElement("bench")
		defer processor(b, 1)()
		for b.Loop() {
			group.Ristretto255().VartimeMultiMul([]group.Scalar{x}, []group.Element{p})
		}
	})
	b.Run("alone", func(b *testing.B) {
		defer processor(b, of.config.Deals)()
		for i := 0; b.Loop(); i++ {
			testmust.Have(tabletest.Replay(played[i%of.tables].Entries, played[0].Catalogue()))(b)
		}
	})
	b.Run("batch", func(b *testing.B) {
		logs := make([]shown, of.tables)
		for i, sc := range played {
			logs[i] = sc.log(b, sc.Entries)
		}
		defer processor(b, of.config.Deals)()
		for i := 0; b.Loop(); i++ {
			sc := played[i%of.tables]
			r, err := verifier.Verify(context.Background(), logs[i%of.tables], verifier.Options{
				Table: sc.State.ID(), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()})
			testmust.Require(b, err == nil && r.Verdict == verifier.Sound, r, err)
		}
		all := float64(of.tables * of.config.Deals)
		b.ReportMetric(float64(bytes)/all, "bytes/deal")
		b.ReportMetric(float64(messages)/all, "messages/deal")
	})
}

// tableLogsEnv names a directory with the logs of BenchmarkTables: mirrors, each with the verifier
// key of its log, which pakli-verify can read as well. The benchmark plays and writes missing logs,
// which takes minutes.
const tableLogsEnv = "PAKLI_TOURNAMENT"

// BenchmarkTables verifies one-deal tables of tarokk in a log, a dozen of them in play at a time, on
// all processors.
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

// BenchmarkFouls measures the cost of wrong proofs at tables of sixteen deals, when the last proof is
// wrong in none, one, half or all of the tables.
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

// wrongAtLast alters the last message that has a proof, so that all messages before it stay the same.
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
