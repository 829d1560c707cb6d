package player

import (
	"slices"
	"sync"
	"time"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Crowd lets seats of one process share what they have rehearsed: a message that one of them has
// applied before posting it, with all its proofs, is not checked again by the others. It is for
// bots, whose process would otherwise check each proof once for each of them. Nothing from
// elsewhere is in it. The zero value is ready, and any number of goroutines may use it.
type Crowd struct {
	mu     sync.Mutex
	tables map[wire.Hash][]rehearsedStep // the newest last
}

// rehearsedStep is a message and the state after it. The message names its parent and so everything
// before it, which is why there is only one such state.
type rehearsedStep struct {
	entry wire.Hash
	after *table.State
}

// remembered is how many steps of a table a crowd keeps. A seat that is farther behind applies them
// itself.
const remembered = 16

// crowded is the courtesy within a crowd: all its seats are there, and as slow as the process.
const crowded = time.Second

// courtesyTime returns how long a seat lets each seat before it go first. A nil Crowd is a seat
// without one.
func (c *Crowd) courtesyTime() time.Duration {
	if c != nil {
		return crowded
	}
	return courtesy
}

// stateAfter returns the state after a message on s, or nil if it is not known. A foul ends a table
// without moving its head, so nothing is known after one.
func (c *Crowd) stateAfter(s *table.State, e *wire.Entry) *table.State {
	if e.Message == nil || e.Message.Parent != s.Head() || s.Foul() != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	steps := c.tables[s.ID()]
	if i := slices.IndexFunc(steps, func(t rehearsedStep) bool { return t.entry == e.Hash }); i >= 0 {
		return steps[i].after
	}
	return nil
}

// addStep keeps the state after a message. With a clock it keeps nothing: the clock needs the
// message's index in the log, which nobody knows yet.
func (c *Crowd) addStep(e *wire.Entry, after *table.State) {
	if !after.Genesis().Clock.IsNone() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tables == nil {
		c.tables = map[wire.Hash][]rehearsedStep{}
	}
	steps := append(c.tables[after.ID()], rehearsedStep{e.Hash, after})
	c.tables[after.ID()] = steps[max(0, len(steps)-remembered):]
}

// ForgetTable forgets a table.
func (c *Crowd) ForgetTable(id wire.Hash) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tables, id)
}
