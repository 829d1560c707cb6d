package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// Peers are servers that answer alike.
type Peers[P any] struct {
	After time.Duration // before another one is asked as well
	Each  time.Duration // for one call of one server

	list   []P
	turn   atomic.Uint64  // of who is asked first
	failed []atomic.Int64 // when each did last, in nanoseconds of the clock; 0: it does not
}

// avoid is for how long a server that has failed is asked last.
const avoid = 3 * time.Second

// NewPeers returns peers, of which the first is asked first as long as it answers.
func NewPeers[P any](after, each time.Duration, list ...P) *Peers[P] {
	return &Peers[P]{After: after, Each: each, list: list, failed: make([]atomic.Int64, len(list))}
}

// Members lists the peers.
func (p *Peers[P]) Members() []P { return p.list }

// reply is what one server has answered.
type reply[T any] struct {
	peer  int
	value T
	err   error
}

// AskPeers returns the first answer without an error. Final says which errors are answers too;
// nil: none are. If all fail, the error is that of all.
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

// order is in which order the peers are asked: those that failed lately come last.
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

// noteAnswer remembers who does. Those who were asked before and did not are asked last
// for a while.
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

// Rotate makes another peer be asked first.
func (p *Peers[P]) Rotate() { p.turn.Add(1) }
