package cluster_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/cluster"
)

var errAway = errors.New("away")

// A call that waits for a server which is dead, or hangs, though another one answers; and
// calls that go on beginning with it.
func TestAsk(t *testing.T) {
	for name, bad := range map[string]func(ctx context.Context) error{
		"dead":  func(context.Context) error { return errAway },
		"hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		synctest.Test(t, func(t *testing.T) {
			p := cluster.NewPeers(300*time.Millisecond, time.Second, "bad", "good")
			asked := 0
			ask := func() time.Duration {
				begun := time.Now()
				got, err := cluster.AskPeers(t.Context(), p, nil, func(ctx context.Context, peer string) (string, error) {
					if peer == "bad" {
						asked++
						return "", bad(ctx)
					}
					return peer, nil
				})
				testmust.Holdf(t, err == nil && got == "good", "%s: %q, %v", name, got, err)
				return time.Since(begun)
			}
			took := ask()
			testmust.Holdf(t, took <= 300*time.Millisecond, "%s: the first call took %v", name, took)
			for range 10 {
				took := ask()
				testmust.Holdf(t, took <= 0, "%s: another one took %v", name, took)
			}
			testmust.Equal(t, asked, 1, name, "how often it was asked")
			time.Sleep(4 * time.Second)
			ask() // it may be back by now
			testmust.Equal(t, asked, 2, name, "it was not asked again")
		})
	}
}

// All fail: an error that names each, in a bounded time; what is an answer too is not asked again.
func TestAskAllFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := cluster.NewPeers(300*time.Millisecond, time.Second, 1, 2, 3)
		var calls atomic.Int64
		begun := time.Now()
		_, err := cluster.AskPeers(t.Context(), p, nil, func(ctx context.Context, n int) (int, error) {
			calls.Add(1)
			<-ctx.Done()
			return 0, ctx.Err()
		})
		took := time.Since(begun)
		testmust.Holdf(t, err != nil && calls.Load() == 3 && took <= 2*time.Second, "%d calls in %v: %v", calls.Load(), took, err)
		final := func(err error) bool { return errors.Is(err, errAway) }
		calls.Store(0)
		_, err = cluster.AskPeers(t.Context(), p, final, func(context.Context, int) (int, error) { calls.Add(1); return 0, errAway })
		testmust.Holdf(t, errors.Is(err, errAway) && calls.Load() == 1, "%d calls: %v", calls.Load(), err)
		synctest.Wait()
	})
}
