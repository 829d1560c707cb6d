package ledger

import (
	"context"
	"time"
)

// Health is the state of a log, for its operator. It decides nothing.
type Health struct {
	Size        uint64        // entries under the published checkpoint
	Published   time.Duration // ago: the newest checkpoint, or the start
	Waiting     int           // entries in the queue
	Delay       time.Duration // for how long the oldest entry that is not answered has waited; 0: none is there
	Free        uint64        // bytes on the disk
	Needed      uint64        // bytes that have to be free
	StoreTables int           // of the store, on disk; looking for an entry asks them all
	Err         error         // why nothing can be appended, see Ready
}

// Health looks at the log. It does not block.
func (l *Ledger) Health() Health {
	if err := l.enterStore(); err != nil {
		return Health{Err: err}
	}
	defer l.leaveStore()
	p := l.published.Load()
	h := Health{Size: p.checkpoint.Size, Published: time.Since(p.at)}
	var oldest time.Time
	if h.Waiting, oldest = l.order.waitingState(); !oldest.IsZero() {
		h.Delay = time.Since(oldest)
	}
	h.StoreTables = l.store.Tables()
	h.Free, h.Needed, h.Err = l.store.Space()
	if h.Err == nil {
		h.Err = l.Ready(context.Background())
	}
	return h
}
