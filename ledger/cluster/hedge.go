package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Peers are interchangeable servers.
type Peers[P any] struct {
	After time.Duration // before another one is asked as well
	Each  time.Duration // bounds one call of one server

	list   []P
	turn   atomic.Uint64  // offset of the peer that is asked first
	failed []atomic.Int64 // time of each peer's last failure, in nanoseconds since 1970; 0 if it answers
}

// avoid is how long a server is asked last after a failure.
const avoid = 3 * time.Second

// NewPeers returns peers. The first is asked first as long as it answers.
func NewPeers[P any](after, each time.Duration, list ...P) *Peers[P] {
	return &Peers[P]{After: after, Each: each, list: list, failed: make([]atomic.Int64, len(list))}
}

// Members lists the peers.
func (p *Peers[P]) Members() []P { return p.list }

// reply is the answer of one server.
type reply[T any] struct {
	peer  int
	value T
	err   error
}

// AskPeers returns the first answer without an error. An error for which final returns true is an
// answer too; a nil final accepts none. If all peers fail, AskPeers returns all their errors.
func AskPeers[P, T any](ctx context.Context, p *Peers[P], final func(error) bool, call func(ctx context.Context, peer P) (T, error)) (T, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	order := p.order()
	replies := make(chan reply[T], len(order))
	begin := func(peer int) {
		go func() {
			ctx, cancel := context.WithTimeout(ctx, p.Each)
			defer cancel()
			value, err := call(ctx, p.list[peer])
			replies <- reply[T]{peer, value, err}
		}()
	}
	return collect(ctx, p, order, final, begin, replies)
}

// collect begins one call after another and waits for an answer.
func collect[P, T any](ctx context.Context, p *Peers[P], order []int, final func(error) bool, begin func(peer int), replies <-chan reply[T]) (T, error) {
	var errs []error
	var none T
	begun := 0
	next := func() {
		if begun < len(order) {
			begin(order[begun])
			begun++
		}
	}
	next()
	later := time.NewTicker(p.After)
	defer later.Stop()
	for len(errs) < len(order) {
		select {
		case r := <-replies:
			if r.err == nil || final != nil && final(r.err) {
				p.noteAnswer(r.peer, order, begun)
				return r.value, r.err
			}
			p.blame(r.peer)
			errs = append(errs, r.err)
			next()
		case <-later.C:
			next()
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
	return none, errors.Join(errs...)
}

// order returns the order in which peers are asked: those that failed lately come last.
func (p *Peers[P]) order() (list []int) {
	var bad []int
	first := int(p.turn.Load() % uint64(len(p.list)))
	for i := range p.list {
		i = (i + first) % len(p.list)
		if at := p.failed[i].Load(); at != 0 && time.Since(time.Unix(0, at)) < avoid {
			bad = append(bad, i)
		} else {
			list = append(list, i)
		}
	}
	return append(list, bad...)
}

// noteAnswer records that a peer answered. Peers that were asked earlier and have not answered are
// asked last for a while.
func (p *Peers[P]) noteAnswer(peer int, order []int, begun int) {
	p.failed[peer].Store(0)
	for _, other := range order[:begun] {
		if other == peer {
			return
		}
		p.blame(other)
	}
}

func (p *Peers[P]) blame(peer int) { p.failed[peer].Store(time.Now().UnixNano()) }

// Rotate makes the next peer be asked first.
func (p *Peers[P]) Rotate() { p.turn.Add(1) }
