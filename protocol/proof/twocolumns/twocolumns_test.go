package twocolumns_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/proof/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/proof/twocolumns"
)

var argument twocolumns.Argument

func TestConformance(t *testing.T) {
	shuffletest.Run(t, argument, func(n int) int { return 32 * (5*max(3, (n+1)/2) + 31) })
	for n, want := range map[int]int{2: 1472, 32: 3552, 41: 4352, 42: 4352, 52: 5152} {
		if got := twocolumns.Size(n); got != want {
			t.Errorf("Size(%d) = %d, want %d", n, got, want)
		}
	}
}

func Benchmark(b *testing.B) { shuffletest.Benchmark(b, argument) }
