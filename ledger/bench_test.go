package ledger_test

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/pakli/pakli/ledger"
)

const benchEntry = 1 << 10

// BenchmarkAppend measures durable, signed appends of 1 KB entries, and next to
// them what Badger alone can do: one synced transaction per entry for one
// client, and one per group of waiting entries for many. "ratio" is the
// ledger's rate over Badger's of the same run.
//
//	go test -run=- -bench=Append -benchtime=5s ./ledger
func BenchmarkAppend(b *testing.B) {
	bare := make(map[int]float64)
	for _, clients := range []int{1, 64, 512} {
		b.Run(fmt.Sprintf("badger/clients=%d", clients), func(b *testing.B) {
			bare[clients] = benchClients(b, clients, newBareBadger(b).append)
		})
		b.Run(fmt.Sprintf("ledger/clients=%d", clients), func(b *testing.B) {
			l := benchLedger(b)
			rate := benchClients(b, clients, func(entry []byte) error {
				_, err := l.Append(context.Background(), entry)
				return err
			})
			if bare[clients] > 0 {
				b.ReportMetric(rate/bare[clients], "ratio")
			}
		})
	}
}

func benchLedger(b *testing.B) *ledger.Ledger {
	b.Helper()
	dir := b.TempDir()
	key, err := ledger.CreateKey(dir, "example.com/bench", rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	o := ledger.Options{Signer: key.Signer}
	if err := ledger.Create(dir, o); err != nil {
		b.Fatal(err)
	}
	l, err := ledger.Open(dir, o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	return l
}

// benchClients appends b.N entries from concurrent clients, reports latencies,
// and returns entries per second.
func benchClients(b *testing.B, clients int, add func([]byte) error) float64 {
	var next atomic.Uint64
	latencies := make([][]time.Duration, clients)
	var wg sync.WaitGroup
	b.ResetTimer()
	start := time.Now()
	for c := range clients {
		wg.Go(func() {
			entry := make([]byte, benchEntry)
			rand.Read(entry)
			for n := next.Add(1); n <= uint64(b.N); n = next.Add(1) {
				binary.BigEndian.PutUint64(entry, n)
				begin := time.Now()
				if err := add(entry); err != nil {
					b.Error(err)
					return
				}
				latencies[c] = append(latencies[c], time.Since(begin))
			}
		})
	}
	wg.Wait()
	rate := float64(b.N) / time.Since(start).Seconds()
	b.StopTimer()
	reportLatencies(b, slices.Concat(latencies...))
	b.ReportMetric(rate, "entries/s")
	return rate
}

func reportLatencies(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
}

// bareBadger commits whatever is waiting in one synced transaction: an entry
// under its index, nothing else.
type bareBadger struct {
	queue chan bareEntry
}

type bareEntry struct {
	entry []byte
	done  chan error
}

func newBareBadger(b *testing.B) *bareBadger {
	b.Helper()
	db, err := badger.Open(badger.DefaultOptions(b.TempDir()).WithSyncWrites(true).WithLogger(nil).
		WithCompression(options.None).WithBlockCacheSize(0).WithNumVersionsToKeep(1).WithDetectConflicts(false).
		WithValueThreshold(128 << 10).WithValueLogFileSize(1 << 20).WithMetricsEnabled(false).
		WithChecksumVerificationMode(options.OnTableAndBlockRead))
	if err != nil {
		b.Fatal(err)
	}
	s := &bareBadger{queue: make(chan bareEntry, 2048)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.commitAll(db)
	}()
	b.Cleanup(func() {
		close(s.queue)
		<-done
		db.Close()
	})
	return s
}

func (s *bareBadger) append(entry []byte) error {
	e := bareEntry{entry: slices.Clone(entry), done: make(chan error, 1)}
	s.queue <- e
	return <-e.done
}

func (s *bareBadger) commitAll(db *badger.DB) {
	index := uint64(0)
	for first := range s.queue {
		group := []bareEntry{first}
		for more := true; more && len(group) < 2048; {
			select {
			case e, ok := <-s.queue:
				if more = ok; ok {
					group = append(group, e)
				}
			default:
				more = false
			}
		}
		txn := db.NewTransaction(true)
		var err error
		for _, e := range group {
			index++
			if err == nil {
				err = txn.Set(binary.BigEndian.AppendUint64([]byte("e"), index), e.entry)
			}
		}
		if err == nil {
			err = txn.Commit()
		}
		for _, e := range group {
			e.done <- err
		}
	}
}
