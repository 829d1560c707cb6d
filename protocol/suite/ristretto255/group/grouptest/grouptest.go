// Package grouptest measures work in multiplications of the group, so that
// figures of different machines, and of a busy one, can be compared.
package grouptest

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
)

// Measure runs op as a benchmark. It reports the least time that one of the
// units of work in op took, in microseconds, and the same as a multiple of the
// least time of one constant-time multiplication of an element by a scalar,
// measured between the runs of op.
func Measure(b *testing.B, units int, op func()) {
	b.Helper()
	s, err := group.RandomScalar(rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	p := group.HashToElement("grouptest")
	least, unit := time.Duration(1<<62), time.Duration(1<<62)
	for b.Loop() {
		start := time.Now()
		op()
		least = min(least, time.Since(start))
		for range 4 {
			start = time.Now()
			group.Mul(s, p)
			unit = min(unit, time.Since(start))
		}
	}
	b.ReportMetric(float64(least)/float64(units)/1e3, "µs-least")
	b.ReportMetric(float64(least)/float64(units)/float64(unit), "mults")
}
