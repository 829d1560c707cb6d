//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
)

// What a soak asks of the log every second, and what it may take.
const (
	soakWrites     = 1_000
	soakReads      = 500
	soakGoroutines = 20                // more than at first
	soakMemory     = 1_500 * (1 << 20) // bytes, not counting mapped files
)

// TestSoak lets a log run for a while with the same load, and looks at what it
// holds: goroutines do not grow, memory stays bounded, and in the end every entry
// is there. The long form is
//
//	PAKLI_SOAK=2h GOMEMLIMIT=1GiB go test -C internal/trials/faults -run TestSoak -timeout 3h -v
func TestSoak(t *testing.T) {
	duration := 3 * time.Second
	if s := os.Getenv("PAKLI_SOAK"); s != "" {
		duration = testmust.Have(time.ParseDuration(s))(t)
	}
	dir := filepath.Join(t.TempDir(), "log")
	w := newWitness(t, create(t, dir))
	l, _, err := openLog(dir, badgerstore.Options{MinFree: 1})
	testmust.Do(t, err)
	defer l.Close()
	var s soak
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	s.every(ctx, soakWrites, func(i int) error {
		entry := append(fmt.Appendf(nil, "entry %d ", i), make([]byte, rand.IntN(1000))...)
		begun := time.Now()
		r, err := l.Append(context.Background(), entry)
		s.took(time.Since(begun), int(r.Index)+1)
		return err
	})
	s.every(ctx, soakReads, func(int) error {
		size := s.largest()
		if size == 0 {
			return nil
		}
		_, err := l.Inclusion(context.Background(), rand.Uint64N(uint64(size)), uint64(size))
		return err
	})
	time.Sleep(duration / 3)
	runtime.GC()
	goroutines, memory := runtime.NumGoroutine(), anonymous(t)
	<-ctx.Done()
	s.group.Wait()
	runtime.GC()
	testmust.Require(t, s.err == nil, s.err)
	now := runtime.NumGoroutine()
	testmust.Holdf(t, now <= goroutines+soakGoroutines, "%d goroutines, %d after a third of the time", now, goroutines)
	after := anonymous(t)
	if after > soakMemory {
		t.Errorf("%d MiB of memory", after>>20)
	}
	testmust.Do(t, w.check(l))
	c, err := l.Checkpoint(t.Context())
	testmust.Holdf(t, err == nil && int(c.Size) == s.size, "%d entries, acknowledged %d, %v", c.Size, s.size, err)
	slices.Sort(s.times)
	w.total = len(s.times)
	w.figures("%v with %d writes and %d reads a second: goroutines %d, then %d; memory %d MiB, then %d MiB; receipts p50 %v, p99 %v, max %v",
		duration, soakWrites, soakReads, goroutines, runtime.NumGoroutine(), memory>>20, after>>20,
		s.times[len(s.times)/2], s.times[len(s.times)*99/100], s.times[len(s.times)-1])
}

// A soak is the load and what it has seen.
type soak struct {
	group sync.WaitGroup

	mu    sync.Mutex
	times []time.Duration
	size  int
	err   error
}

// every calls f so many times a second from several goroutines, until ctx ends.
func (s *soak) every(ctx context.Context, perSecond int, f func(i int) error) {
	const clients = 10
	for c := range clients {
		s.group.Go(func() {
			tick := time.NewTicker(time.Second * clients / time.Duration(perSecond))
			defer tick.Stop()
			for i := c; ; i += clients {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if err := f(i); err != nil {
					s.mu.Lock()
					s.err = err
					s.mu.Unlock()
					return
				}
			}
		})
	}
}

func (s *soak) took(d time.Duration, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times, s.size = append(s.times, d), max(s.size, size)
}

func (s *soak) largest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// anonymous returns the bytes of memory of this process that are no mapped file.
func anonymous(t *testing.T) (bytes int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	_, line, _ := strings.Cut(string(status), "RssAnon:")
	testmust.Have(fmt.Sscanf(line, "%d kB", &bytes))(t)
	return bytes << 10
}
