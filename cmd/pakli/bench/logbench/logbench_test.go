package logbench_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/cmd/pakli/bench/logbench"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Messages that a table would refuse cost nothing to check, so that the benchmark would measure
// something else.
func TestMovesApply(t *testing.T) {
	s, _ := suite.Lookup(suite.Default)
	organiser := testmust.Have(logbench.NewOrganiser(s))(t)
	for _, size := range []int{0, 1024} {
		at := testmust.Have(organiser.Table(size))(t)
		entries := testmust.Have(at.Entries(4))(t)
		var state *table.State
		var err error
		for i, entry := range entries {
			e := testmust.Have(wire.Parse(entry))(t)
			if i == 0 {
				state, err = table.Open(e, logbench.Catalogue(s))
			} else {
				state, err = state.Apply(e, table.Facts{})
			}
			testmust.Do(t, err, "entry", i)
		}
		n := len(entries[len(entries)-1])
		testmust.Holdf(t, size <= 0 || n >= size-40 && n <= size+40, "a move has %d bytes, want about %d", n, size)
	}
}

// A receipt that proves nothing must end the measurement.
func TestReceiptsAreVerified(t *testing.T) {
	log, key, err := ledgertest.NewMemory("example.com/log")
	testmust.Do(t, err)
	good := (&logbench.Receipts{Key: key}).VerifyingAppender(log)
	f, err := logbench.Run(t.Context(), logbench.Appenders(2, 100, good), 10*time.Millisecond)
	testmust.Holdf(t, err == nil && f.Entries != 0 && f.Rate > 0 && f.P99 >= f.P50, "%+v, %v", f, err)
	lying := (&logbench.Receipts{Key: key}).VerifyingAppender(liar{log})
	_, err = logbench.Run(t.Context(), logbench.Appenders(2, 100, lying), time.Minute)
	testmust.Fail(t, err, "a receipt for another entry was taken")
	late, verify := (&logbench.Receipts{Key: key}).KeepingAppender(liar{log})
	if _, err := logbench.Run(t.Context(), logbench.Appenders(2, 100, late), 10*time.Millisecond); err != nil || verify() == nil {
		t.Errorf("receipts for other entries were taken in the end: %v", err)
	}
	broken := func(context.Context, []byte) error { return errors.New("broken") }
	_, err = logbench.Run(t.Context(), logbench.Appenders(2, 100, broken), time.Minute)
	testmust.Fail(t, err, "a client that fails was not noticed")
}

// liar appends another entry.
type liar struct{ tlog.Log }

func (l liar) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	return l.Log.Append(ctx, bytes.ToUpper(append(entry, 'x')))
}

// The yardstick must put everything on disk, as the measured log does.
func TestBadgerTakesAll(t *testing.T) {
	s := testmust.Have(logbench.OpenBadger(t.TempDir()))(t)
	f, err := logbench.Run(t.Context(), logbench.Appenders(8, 100, s.Append), 20*time.Millisecond)
	testmust.Holdf(t, err == nil && f.Entries != 0, "%+v, %v", f, err)
	testmust.Do(t, s.Close())
}

// A measurement must not end at the first call that a busy cluster does not answer in time, or wait
// for ever for an entry that was read before such a call.
func TestLoopGoesOn(t *testing.T) {
	order := ledgertest.NewOrder()
	var calls atomic.Int64
	order.SetFault(func(string) error {
		if calls.Add(1)%3 == 0 {
			return errors.New("too late")
		}
		return nil
	})
	l := logbench.OpenLoop(order)
	defer l.Close()
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for n := range 10 {
				err := l.Append(t.Context(), ledgertest.Entry(100*client+n))
				testmust.Hold(t, err == nil, err)
			}
		})
	}
	clients.Wait()
	testmust.Equal(t, order.Size(), 40, "entries")
}
