package client_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// BenchmarkAppend measures durable, signed appends over loopback, each with its
// receipt verified and its checkpoint found consistent, by one client and by
// 64 callers of one.
func BenchmarkAppend(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := newSite(b, false)
			c := s.client(b)
			var n atomic.Int64
			entry := func() []byte { return fmt.Appendf(make([]byte, 0, 1024), "%0*d", 1000, n.Add(1)) }
			b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
			if callers == 1 {
				for b.Loop() {
					testmust.Have(c.Append(b.Context(), entry()))(b)
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := c.Append(b.Context(), entry()); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
