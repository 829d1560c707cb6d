package logbench_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pakli/pakli/cmd/pakli/logbench"
	"github.com/pakli/pakli/ledger/ledgertest"
)

// A measurement that ends at the first call which a busy cluster does not answer in time, or waits for
// ever for an entry that was read before such a call.
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
				if err := l.Append(t.Context(), ledgertest.Entry(100*client+n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
	if got := order.Size(); got != 40 {
		t.Errorf("%d entries", got)
	}
}
