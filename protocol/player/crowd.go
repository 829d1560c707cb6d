package player

import (
	"slices"
	"sync"
	"time"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Crowd lets seats of one process share what they have rehearsed: a message that one of them
// has applied before it left, with all its proofs, is not checked again by the others. It is for
// bots, whose process would check each proof once for each of them; nothing that came from
// elsewhere is in it. Its zero value is ready; it is for any number of goroutines.
type Crowd struct {
	mu     sync.Mutex
	tables map[wire.Hash][]rehearsedStep // the newest last
}

// rehearsedStep is a message and the state after it. The message names its parent, and with that all
// that came before: the state after it is one.
type rehearsedStep struct {
	entry wire.Hash
	after *table.State
}

// remembered is how many steps of a table a crowd keeps: a seat that is farther behind
// applies them itself.
const remembered = 16

// crowded is courtesy among a crowd, all of which are there, and as slow as the process.
const crowded = time.Second

// courtesyTime is how long a seat of the crowd, or of none, lets each seat before it go first.
func (c *Crowd) courtesyTime() time.Duration {
	if c != nil {
		return crowded
	}
	return courtesy
}

// stateAfter is the state after a message on s, if it is known. A foul ends a table, and leaves its head.
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

// addStep notes the state after a message. A clock reads where in the log that is, which
// nobody knows yet: with one, nothing is kept.
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
