package admission

import (
	"context"
	"errors"
	"fmt"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// placeInEvent returns the number of the event that an entry of a log that is shared names,
// or announces, and takes it in.
func (a *Admission) placeInEvent(index uint64, entry []byte, named wire.Hash) uint32 {
	c := a.eventOf(entry, named)
	if c == nil {
		return noTable
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	announces := named == wire.Hash{}
	switch begun := len(c.places) > 0; {
	case begun == announces: // of an event that was not announced, or announced before
		return noTable
	case announces:
		c.index = index
		a.index.enlistTable(c.history)
	}
	c.places = append(c.places, index)
	if c.past != nil || announces {
		a.takeShared(c, index, entry)
	}
	close(c.more)
	c.more = make(chan struct{})
	return c.number
}

// eventOf finds the event of an entry, or makes it.
func (a *Admission) eventOf(entry []byte, named wire.Hash) *eventHistory {
	a.mu.Lock()
	defer a.mu.Unlock()
	if (named != wire.Hash{}) {
		return a.events[named]
	}
	e, err := wire.ParseEvent(entry)
	if err != nil {
		return nil
	}
	c := a.events[e.Hash]
	if c == nil {
		c = newContest(newHistory(e.Hash, wire.EventFormat, ""))
		a.events[e.Hash] = c
	}
	return c
}

// maxVoided bounds the entries of an event of which it is remembered why they are void.
const maxVoided = 1024

// takeShared takes in the next entry of an event, and remembers if it is void.
func (a *Admission) takeShared(c *eventHistory, index uint64, entry []byte) {
	e, err := wire.ParseEntry(entry)
	if err != nil {
		return
	}
	if err := c.takeEntry(e, index); err != nil {
		if c.voided == nil || len(c.voided) >= maxVoided {
			c.voided = map[wire.Hash]error{}
		}
		c.voided[e.Hash] = err
	}
}

// contendEvent says what became of an entry of an event that the log has.
func (a *Admission) contendEvent(ctx context.Context, c *eventHistory, e *wire.Entry, r tlog.Receipt) error {
	ctx, cancel := context.WithTimeout(ctx, a.options.AppendTime)
	defer cancel()
	if err := a.awaitPlaced(ctx, r.Index); err != nil {
		return err
	}
	if err := a.readEvent(ctx, c); err != nil {
		return err
	}
	c.reading.RLock()
	defer c.reading.RUnlock()
	if c.past == nil {
		return fmt.Errorf("the log has the entry at %d, before its event is announced", r.Index)
	}
	err := c.voided[e.Hash]
	if refused, ok := errors.AsType[*EventRefusal](err); ok {
		a.raced.Add(1)
		now := *refused
		now.Head, now.Stale, now.Index = c.past.Head, e.Decision != nil, &r.Index
		return &now
	}
	return err
}
