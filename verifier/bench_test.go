//go:build unix

package verifier_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/verifier"
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
