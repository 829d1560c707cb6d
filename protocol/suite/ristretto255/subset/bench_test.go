package subset_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/group/grouptest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
)

// BenchmarkSubset: 9 cards in a set of 20, which other arguments say in fewer
// bytes; and 4 in a set of 4, which none does.
func BenchmarkSubset(b *testing.B) {
	x := handtest.Secret(b)
	for _, size := range []struct {
		name string
		k, n int
	}{{"9 in 20", 9, 20}, {"4 in 4", 4, 4}} {
		s := holding(b, x, size.n, handtest.Faces(0, size.k)...)
		bytes, err := prove(x, s)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(size.name+"/prove", func(b *testing.B) {
			grouptest.Measure(b, 1, func() {
				if _, err := prove(x, s); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(float64(len(bytes)), "bytes")
		})
		b.Run(size.name+"/verify", func(b *testing.B) {
			grouptest.Measure(b, 1, func() {
				if err := verify(s, bytes); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
