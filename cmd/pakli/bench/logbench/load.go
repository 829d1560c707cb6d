// Package logbench puts load on a log and measures it: clients append one entry after another to a
// ledger in this process or over REST. In the same run it measures the bounds of any such log on the
// machine ([Badger], [Ed25519]). pakli bench log prints its figures; internal/trials/load and
// internal/trials/peers, which belong to another module, use it too.
//
// Machines are busy and differ. So everything is measured in rounds, alternating with its yardstick.
// The best round of each counts, and only ratios are comparable. It is no test, and promises nothing
// to anybody.
package logbench

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Figure is what clients saw that append concurrently. Times are in microseconds from the call to the
// answer. CPU is this process's time on all cores for each entry, clients included.
type Figure struct {
	Entries int     `json:"entries"`
	Rate    float64 `json:"rate_per_s"`
	P50     float64 `json:"p50_us"`
	P99     float64 `json:"p99_us"`
	CPU     float64 `json:"cpu_us"`
}

// Best returns the greater rate and the smaller times of two rounds: other work on the machine makes
// them worse. Either may be zero.
func (f Figure) Best(g Figure) Figure {
	if f.Entries == 0 || g.Entries == 0 {
		return Figure{f.Entries + g.Entries, f.Rate + g.Rate, f.P50 + g.P50, f.P99 + g.P99, f.CPU + g.CPU}
	}
	return Figure{f.Entries + g.Entries, max(f.Rate, g.Rate), min(f.P50, g.P50), min(f.P99, g.P99), min(f.CPU, g.CPU)}
}

// A Client appends its next entry and returns once the answer has been verified. more is false if it
// has no more entries.
type Client func(ctx context.Context) (more bool, err error)

// Run lets all clients append for the span, or until they have no more entries, but each at least
// once.
func Run(ctx context.Context, clients []Client, span time.Duration) (Figure, error) {
	times := make([][]time.Duration, len(clients))
	failed := make([]error, len(clients))
	var wg sync.WaitGroup
	start, busy := time.Now(), processorTime()
	for i, c := range clients {
		wg.Go(func() { times[i], failed[i] = c.run(ctx, start.Add(span)) })
	}
	wg.Wait()
	took := time.Since(start)
	busy = processorTime() - busy
	all := slices.Concat(times...)
	for _, err := range append(failed, ctx.Err()) {
		if err != nil {
			return Figure{}, err
		}
	}
	if len(all) == 0 {
		return Figure{}, errors.New("logbench: nothing was appended")
	}
	slices.Sort(all)
	at := func(q float64) float64 { return float64(all[int(q*float64(len(all)-1))].Nanoseconds()) / 1e3 }
	n := float64(len(all))
	return Figure{Entries: len(all), Rate: n / took.Seconds(), P50: at(0.5), P99: at(0.99), CPU: busy.Seconds() * 1e6 / n}, nil
}

func (c Client) run(ctx context.Context, until time.Time) (times []time.Duration, err error) {
	for begin := time.Now(); ctx.Err() == nil; {
		more, err := c(ctx)
		if err != nil || !more {
			return times, err
		}
		end := time.Now()
		times = append(times, end.Sub(begin))
		if begin = end; !begin.Before(until) {
			break
		}
	}
	return times, ctx.Err()
}
