package ledger_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
)

// An operator must see that the log stands still while players wait, and must
// not be alarmed where nobody does.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, key := create(t)
		stuck, resume := make(chan int), make(chan struct{})
		var once sync.Once
		l := testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: small, Committed: func(entries int, took time.Duration) {
			if took < 0 {
				t.Errorf("a batch took %v", took)
			}
			once.Do(func() { stuck <- entries; <-resume })
		}}))(t)
		time.Sleep(time.Minute)
		if h := l.Health(); h.Err != nil || h.Size != 0 || h.Delay != 0 || h.Waiting != 0 || h.Free < h.Needed || h.Needed == 0 || h.Published != time.Minute {
			t.Errorf("nothing to do: %+v", h)
		}
		fill(t, l, 0, 1)
		if n := <-stuck; n != 1 {
			t.Errorf("a batch of %d entries, want 1", n)
		}
		done := make(chan struct{})
		go func() { fill(t, l, 1, 2); close(done) }()
		time.Sleep(time.Second)
		if h := l.Health(); h.Size != 1 || h.Delay != time.Second {
			t.Errorf("stuck: %+v", h)
		}
		close(resume)
		<-done
		synctest.Wait() // until it has been answered
		if h := l.Health(); h.Size != 2 || h.Err != nil {
			t.Errorf("going on: %+v", h)
		}
		before := l.Health().StoreTables
		closeLog(t, l)
		if h := l.Health(); h.Err == nil {
			t.Error("a closed log is well")
		}
		if got := open(t, dir, key).Health().StoreTables; got != before+1 {
			t.Errorf("%d tables after closing, %d before; want one more", got, before)
		}
	})
}
