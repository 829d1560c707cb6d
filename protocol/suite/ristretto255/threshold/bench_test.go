package threshold_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group/grouptest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
)

// BenchmarkThreshold: "at least 1 of 9 in 3" and "1 in 3", which nothing says in
// fewer bytes; and what other arguments are compared with.
func BenchmarkThreshold(b *testing.B) {
	x := handtest.Secret(b)
	for _, size := range []struct {
		name string
		n    int
		need int
		hand []card.Face
	}{
		{"at least 1 of 9 in 3", 3, 1, append(handtest.Faces(4, 12), 0)},
		{"1 in 3", 3, 1, handtest.Faces(0, 1)},
		{"9 in 9", 9, 9, handtest.Faces(0, 9)},
	} {
		s := holding(b, x, size.n, size.need, size.hand...)
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
