package ledger

import (
	"context"
	"time"
)

// Health is the state of a log for its operator. It decides nothing.
type Health struct {
	Size        uint64        // entries under the published checkpoint
	Published   time.Duration // time since the newest checkpoint, or since the start
	Waiting     int           // entries in the queue
	Delay       time.Duration // how long the oldest unanswered entry has waited; 0 if there is none
	Free        uint64        // bytes on the disk
	Needed      uint64        // bytes that have to be free
	StoreTables int           // tables of the store on disk; a look-up asks all of them
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
