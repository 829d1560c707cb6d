//go:build linux

package fivecarddraw_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// BenchmarkDeal plays a deal in which every seat calls, exchanges and shows. It measures its bytes on
// the log without card keys, and the time that one batch takes to verify it with them.
// docs/benchmarks.md has figures.
func BenchmarkDeal(b *testing.B) {
	s, _ := suite.Lookup(suite.Default)
	for _, seats := range []int{2, 6} {
		b.Run(fmt.Sprintf("%d seats", seats), func(b *testing.B) {
			t := testmust.Have(tabletest.New(game, tabletest.Config{Seats: seats, Suite: s, Options: options{"showdown": "all", "limit": "none", "ante": "0"}}, 1))(b)
			opened := false
			for len(t.State.Duties()) > 0 {
				d := t.State.Duties()[0]
				seat := d.Seats[0]
				var m []byte
				if d.Kind == table.Move {
					moves := t.Moves(seat) // fold first, then check or call
					switch at := public(t); {
					case len(moves) == 1:
						m = moves[0]
					case at.Stage == "exchange" || at.Stage == "show":
						m = moves[min(len(moves)-1, 7)] // three cards
						if at.Stage == "show" {
							m = moves[0]
						}
					case !opened:
						m, opened = moves[2], true
					default:
						m = moves[1]
					}
				}
				entry, err := t.HonestMessage(seat, d, m)
				if err == nil {
					err = t.Add(entry)
				}
				testmust.Do(b, err)
			}
			bytes := 0
			for _, e := range t.Entries[1+seats:] {
				bytes += len(e)
			}
			began := processor(b)
			for b.Loop() {
				testmust.Have(tabletest.Replay(t.Entries, t.Catalogue()))(b)
			}
			b.ReportMetric((processor(b)-began)/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(bytes), "bytes")
			b.ReportMetric(float64(len(t.Entries)-1-seats), "messages")
		})
	}
}

// processor is the time that this process has computed, in milliseconds, without other work on the
// machine.
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	testmust.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}
