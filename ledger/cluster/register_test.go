package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/cluster"
	"github.com/pakli/pakli/ledger/tlog"
)

const origin = "example.com/register"

func promise(size uint64) ledger.Promise {
	return ledger.Promise{Size: size, Root: tlog.LeafHash(fmt.Append(nil, size))}
}

func file(t *testing.T) *cluster.File {
	t.Helper()
	return testmust.Have(cluster.OpenFile(origin, t.TempDir()))(t)
}

// A register invents a promise, or replaces one that is not the one named.
func TestSwap(t *testing.T) {
	r, ctx := file(t), t.Context()
	testmust.FailBy(t, testmust.ErrorOf(r.Load(ctx)), ledger.ErrNoPromise, "an empty register")
	testmust.FailBy(t, testmust.ErrorOf(r.Swap(ctx, ledger.Promise{}, promise(1))), ledger.ErrNoPromise, "a swap of nothing")
	for _, p := range []ledger.Promise{promise(1), promise(2)} {
		now, err := r.Make(ctx, p)
		testmust.Holdf(t, err == nil && now == promise(1), "made %v, %v", now, err)
	}
	changed := testmust.Have(r.PromiseChanged(ctx, promise(1)))(t)
	now, err := r.Swap(ctx, promise(7), promise(8))
	testmust.Holdf(t, err == nil && now == promise(1), "a swap of another promise: %v, %v", now, err)
	now, err = r.Swap(ctx, promise(1), promise(2))
	testmust.Holdf(t, err == nil && now == promise(2), "%v, %v", now, err)
	<-changed
	changed = testmust.Have(r.PromiseChanged(ctx, promise(1)))(t)
	<-changed // it is past
}

// Two front ends both make the next promise.
func TestSwapsRace(t *testing.T) {
	r, ctx := file(t), t.Context()
	testmust.Have(r.Make(ctx, promise(0)))(t)
	var won atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			next := promise(uint64(i + 1))
			if now, err := r.Swap(ctx, promise(0), next); err == nil && now == next {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	testmust.Equal(t, won.Load(), 1, "made the next promise")
}

// A smaller cosigned size replaces a larger one.
func TestCosigned(t *testing.T) {
	r := file(t)
	for _, size := range []uint64{5, 9, 7} {
		c := tlog.Checkpoint{Origin: origin, Size: size, Note: fmt.Appendf(nil, "%s\n%d\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— x AAAAAAAA\n", origin, size)}
		testmust.Do(t, r.PutCosigned(t.Context(), c))
	}
	note, err := r.CosignedNote(t.Context())
	c, bad := tlog.ParseCheckpoint(note)
	testmust.Holdf(t, err == nil && bad == nil && c.Size == 9, "%v, %v, %v", c.Size, err, bad)
}

// Bytes parse as a promise but encode to others, or a promise of another log is accepted.
func FuzzParse(f *testing.F) {
	left := promise(12)
	left.Left = "0123456789abcdef"
	for _, p := range []ledger.Promise{promise(0), promise(1 << 40), left} {
		f.Add(cluster.MarshalPromise(origin, p))
		f.Add(cluster.MarshalPromise("elsewhere", p))
	}
	f.Add([]byte("pakli promise v1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := cluster.ParsePromise(origin, text)
		if err != nil {
			return
		}
		again := cluster.MarshalPromise(origin, p)
		testmust.Holdf(t, string(again) == string(text), "%q is %q", text, again)
	})
}

// A register that does not answer causes an error with its address in a bounded time, and no promise.
func TestNobodyAnswers(t *testing.T) {
	cluster.SetCallTime(t, 20*time.Millisecond)
	r := testmust.Have(cluster.OpenEtcd(origin, nil, "http://127.0.0.1:1", "http://127.0.0.1:2"))(t)
	defer r.Close()
	p, err := r.Load(context.Background())
	testmust.Holdf(t, err != nil && !errors.Is(err, ledger.ErrNoPromise), "%v, %v", p, err)
	testmust.Fail(t, testmust.ErrorOf(r.Swap(context.Background(), promise(0), promise(1))))
}

var errAway = errors.New("away")

// A call waits for a dead or hanging server although another one answers, or later calls still begin
// with that server.
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

// If all servers fail, the error names each, in a bounded time. A failure that is an answer is not
// retried.
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
