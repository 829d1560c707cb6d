package httpapi

import (
	"net/netip"
	"sync"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/protocol/wire"
)

// attachments are the bodies whose blobs are being read. A seat that is due can always
// send one: it has one at a time, the latest, and when there is room for no more, the
// address with the most of them gives up its oldest.
type attachments struct {
	most int

	mu   sync.Mutex
	open map[seatID]*attachment
	next uint64
}

type seatID struct {
	table wire.Hash
	seat  int
}

// attachment is one such body.
type attachment struct {
	address netip.Prefix
	number  uint64 // they are counted
	cut     func()
}

func newAttachments(most int) *attachments {
	return &attachments{most: most, open: map[seatID]*attachment{}}
}

// makeRoom makes room for a body; cut is called if it has to make room for another
// one, and must not wait. Leave must be called once, and is false then.
func (a *attachments) makeRoom(of seatID, address netip.Prefix, cut func()) (leave func() (stood bool)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.open[of]; ok {
		a.dropBody(of)
	} else if len(a.open) >= a.most {
		a.dropBody(a.bodyToDrop())
	}
	b := &attachment{address: limit.CustomerOf(address), number: a.next, cut: cut}
	a.next++
	a.open[of] = b
	return func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.open[of] != b {
			return false
		}
		delete(a.open, of)
		return true
	}
}

func (a *attachments) dropBody(of seatID) {
	a.open[of].cut()
	delete(a.open, of)
}

// bodyToDrop returns whose body has to go.
func (a *attachments) bodyToDrop() (of seatID) {
	held := map[netip.Prefix]int{}
	for _, b := range a.open {
		held[b.address]++
	}
	var worst *attachment
	for id, b := range a.open {
		if worst == nil || held[b.address] > held[worst.address] ||
			held[b.address] == held[worst.address] && b.number < worst.number {
			of, worst = id, b
		}
	}
	return of
}
