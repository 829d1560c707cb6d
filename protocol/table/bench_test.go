package table_test

import (
	"runtime"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// BenchmarkClone is what every message costs beside its proofs: the copy of
// the state before it, here of 51 cards in hands.
func BenchmarkClone(b *testing.B) {
	played := testmust.Have(tabletest.New(peter, tabletest.Config{Seats: 4, Options: map[string]string{"pack": "52"}}, 1))(b)
	testmust.Have(played.PlayUntil(table.Permute))(b)
	b.ReportAllocs()
	for b.Loop() {
		played.State.End(new(table.Fault), wire.Hash{})
	}
}

// BenchmarkMemory is what a table takes that has gone on for more heads than branches lie beside (52.10), with a
// clock and without one, as bytes in use that are free without it.
func BenchmarkMemory(b *testing.B) {
	for name, clock := range map[string]func(*wire.Genesis){"clock": nil, "none": func(g *wire.Genesis) {
		g.Clock = wire.Clock{Keepers: []string{}, Lines: []string{}}
	}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w := markstest.New(b, peter, tabletest.Config{Seats: 4, Deals: 3}, 56, clock)
				w.Moves(200, 0)
				state := w.State
				w = nil
				with := inUse()
				runtime.KeepAlive(state)
				state = nil
				b.ReportMetric(float64(with-inUse())/1000, "kB/table")
			}
		})
	}
}

func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
