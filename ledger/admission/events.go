package admission

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/pakli/pakli/internal/names"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// MaxEventBytes bounds what the entries of an event take in the log.
const MaxEventBytes = 64 << 20

// Room of an event that notices do not take: whatever strangers send, there is room to decide.
const (
	forDecisions  = 8 << 20 // bytes
	noticesOfAKey = 64
	waitingBeyond = 64 // registrations without an answer, beyond twice the places
)

// together is how many entries of one event the log is asked to take at a time: a thousand
// registrations do not wait for each other.
const together = 64

// eventHistory is an event. In the index it stands among the tables, as one of the game
// wire.EventFormat.
type eventHistory struct {
	*history

	mu      sync.Mutex // of who waits
	waiting []*eventPost
	busy    bool // somebody posts for all

	reading sync.RWMutex   // of what is known
	past    *event.History // nil: to be read from the log
	places  []uint64
	entries []Entry
	bytes   int
	doubt   []*wire.Entry       // handed to the log, outcome unknown
	more    chan struct{}       // closed when there is another entry
	voided  map[wire.Hash]error // why entries are, of a log that is shared
}

type eventPost struct {
	entry  *wire.Entry
	answer chan postAnswer
	commit bool // it may be appended
}

func newContest(h *history) *eventHistory {
	return &eventHistory{history: h, more: make(chan struct{})}
}

// UnknownEventError says that no entry of the log announces this event.
type UnknownEventError struct{ Event wire.Hash }

func (e *UnknownEventError) Error() string { return fmt.Sprintf("there is no event %s", e.Event) }

// EventFullError says that an event has as many players, or as much in the log, as it may.
type EventFullError struct{ Event wire.Hash }

func (e *EventFullError) Error() string { return fmt.Sprintf("the event %s is full", e.Event) }

// EventRefusal says why an entry of an event would be void. Nothing is stored.
type EventRefusal struct {
	Event  wire.Hash
	Head   wire.Hash // what the next decision has to name as its parent
	Notice bool
	Stale  bool    // a decision that names another parent
	Index  *uint64 // where the log has it, void, since others came first; nil: nothing is stored
	Err    error
}

func (e *EventRefusal) Error() string { return e.Err.Error() }

func (e *EventRefusal) Unwrap() error { return e.Err }

// postOfEvent admits an entry that announces an event, a notice or a decision. Of the answer
// Table is the event.
func (a *Admission) postOfEvent(ctx context.Context, e *wire.Entry) (PostedEntry, error) {
	c, err := a.findEvent(e)
	if err != nil {
		return PostedEntry{}, err
	}
	p := &eventPost{entry: e, answer: make(chan postAnswer, 1)}
	c.mu.Lock()
	c.waiting = append(c.waiting, p)
	lead := !c.busy
	c.busy = true
	c.mu.Unlock()
	if lead {
		go a.leadPosts(context.WithoutCancel(ctx), c)
	}
	select {
	case r := <-p.answer:
		return r.PostedEntry, r.err
	case <-ctx.Done():
		return PostedEntry{}, ctx.Err()
	}
}

// findEvent finds the event of an entry; one that announces an event makes one.
func (a *Admission) findEvent(e *wire.Entry) (*eventHistory, error) {
	id := e.Hash
	switch {
	case e.Notice != nil:
		id = e.Notice.Event
	case e.Decision != nil:
		id = e.Decision.Event
	default:
		if err := a.checkAnnouncement(e); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.events[id]
	if c == nil && e.Event != nil {
		c = newContest(newHistory(id, wire.EventFormat, ""))
		a.events[id] = c
	}
	if c == nil {
		return nil, &UnknownEventError{id}
	}
	return c, nil
}

// checkAnnouncement says why an event cannot be held here.
func (a *Admission) checkAnnouncement(e *wire.Entry) error {
	refuse := func(err error) error { return &EventRefusal{Event: e.Hash, Head: e.Hash, Err: err} }
	if err := cmp.Or(e.VerifySelf(), checkNames(e)); err != nil {
		return refuse(err)
	}
	if may := a.options.Organiser; may != nil && !may(e.Event.Organiser) {
		return &OrganiserError{Table: e.Hash}
	}
	terms := wire.Genesis{Format: wire.TableFormat2, Game: e.Event.Game, Suite: e.Event.Suite, Options: e.Event.Options, Deals: e.Event.Deals, Fouls: e.Event.Fouls, Clock: e.Event.Clock, Ends: e.Event.Ends}
	for _, seats := range e.Event.Sizes {
		if err := table.CheckPlayable(&terms, seats, a.catalogue); err != nil {
			return refuse(err)
		}
	}
	return nil
}

// checkNames refuses names that are easily taken for others (10.9.3). No verdict rests on it.
func checkNames(e *wire.Entry) error {
	switch {
	case e.Event != nil:
		return names.Check(string(e.Event.Name))
	case e.Notice != nil && e.Notice.Kind == wire.Register:
		body, err := e.Notice.ReadBody()
		if err != nil {
			return err
		}
		return names.Check(string(body.(*wire.RegisterBody).Name))
	}
	return nil
}

// leadPosts posts for all who wait, group after group, until nobody does.
func (a *Admission) leadPosts(ctx context.Context, c *eventHistory) {
	for {
		c.mu.Lock()
		slices.SortStableFunc(c.waiting, decisionsFirst) // however many notices wait
		group := c.waiting[:min(together, len(c.waiting))]
		c.waiting = c.waiting[len(group):]
		if c.busy = len(group) > 0; !c.busy {
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		a.admitGroup(ctx, c, group)
	}
}

func decisionsFirst(x, y *eventPost) int {
	rank := map[bool]int{true: 0, false: 1}
	return rank[x.entry.Decision != nil] - rank[y.entry.Decision != nil]
}

// admitGroup admits entries together, which are judged by the event as it was before, and taken
// in the order in which the log put them. At most one is a decision, since they are a chain.
func (a *Admission) admitGroup(ctx context.Context, c *eventHistory, group []*eventPost) {
	err := a.settleEvent(ctx, c)
	decided := false
	for _, p := range group {
		switch {
		case err != nil:
			p.answer <- postAnswer{err: err}
		case decided && p.entry.Decision != nil:
			c.mu.Lock()
			c.waiting = append(c.waiting, p)
			c.mu.Unlock()
		default:
			p.commit = a.mayTake(ctx, c, p)
			decided = decided || p.commit && p.entry.Decision != nil
		}
	}
	type taken struct {
		*eventPost
		receipt tlog.Receipt
		err     error
	}
	var list []*taken
	var appending sync.WaitGroup
	for _, p := range group {
		if p.commit {
			t := &taken{eventPost: p}
			list = append(list, t)
			appending.Go(func() { t.receipt, _, t.err = a.store.appendEntry(ctx, p.entry, nil) })
		}
	}
	appending.Wait()
	slices.SortFunc(list, func(x, y *taken) int { return int(int64(x.receipt.Index) - int64(y.receipt.Index)) })
	for _, t := range list {
		switch {
		case t.err == nil && a.options.Shared:
			t.err = a.contendEvent(ctx, c, t.entry, t.receipt)
		case t.err == nil:
			t.err = a.placeEvent(ctx, c, t.entry, t.receipt)
		case !a.options.Shared && !saysNotTaken(t.err):
			c.doubt = append(c.doubt, t.entry)
		}
		c.reading.RLock()
		p := PostedEntry{Receipt: t.receipt, Table: c.id, Hash: t.entry.Hash, N: c.findEntry(t.entry.Hash), Head: c.id}
		if c.past != nil {
			p.Head = c.past.Head
		}
		c.reading.RUnlock()
		t.answer <- postAnswer{p, t.err}
	}
}

// findEntry returns the place of an entry of an event in memory, or -1.
func (c *eventHistory) findEntry(entry wire.Hash) int {
	return slices.IndexFunc(c.entries, func(e Entry) bool { return e.Hash == entry })
}

// settleEvent reads an event that is not in memory, and finds out what became of entries
// that the log was asked to take and did not answer for.
func (a *Admission) settleEvent(ctx context.Context, c *eventHistory) error {
	for len(c.doubt) > 0 {
		receipt, _, err := a.store.appendEntry(ctx, c.doubt[0], nil)
		if err != nil {
			return err
		}
		e := c.doubt[0]
		c.doubt = c.doubt[1:]
		if err := a.placeEvent(ctx, c, e, receipt); err != nil {
			return err
		}
	}
	return a.readEvent(ctx, c)
}

// mayTake answers a post that the log need not be asked for.
func (a *Admission) mayTake(ctx context.Context, c *eventHistory, p *eventPost) bool {
	e := p.entry
	c.reading.RLock()
	defer c.reading.RUnlock()
	if n := c.findEntry(e.Hash); n >= 0 {
		r, err := Receipt(ctx, a.store.log, c.entries[n].Index)
		p.answer <- postAnswer{PostedEntry{Receipt: r, Table: c.id, Hash: e.Hash, N: n, Head: c.past.Head, Again: true}, err}
		return false
	}
	if c.past == nil { // nothing is in the log
		if e.Event == nil {
			p.answer <- postAnswer{err: &UnknownEventError{c.id}}
		}
		return e.Event != nil
	}
	if c.isFull(e) {
		p.answer <- postAnswer{err: &EventFullError{c.id}}
		return false
	}
	size, err := a.store.log.Checkpoint(ctx)
	if err == nil {
		err = checkNames(e)
	}
	if err == nil {
		_, err = c.past.CheckEntry(e, size.Size)
	}
	if err != nil {
		stale := e.Decision != nil && e.Decision.Parent != c.past.Head
		p.answer <- postAnswer{err: &EventRefusal{Event: c.id, Head: c.past.Head, Notice: e.Notice != nil, Stale: stale, Err: err}}
	}
	return err == nil
}

// isFull reports whether there is no room for an entry of the event.
func (c *eventHistory) isFull(e *wire.Entry) bool {
	size := c.bytes + len(e.Bytes())
	if e.Notice == nil {
		return size > MaxEventBytes
	}
	places, of := c.past.Terms.Registration.Max, 0
	for _, n := range c.past.Notices {
		if n.By == e.Notice.By {
			of++
		}
	}
	registers := e.Notice.Kind == wire.Register
	return size > MaxEventBytes-forDecisions || of >= noticesOfAKey ||
		registers && (len(c.past.Players) >= places || c.past.CountUnanswered(math.MaxUint64) >= 2*places+waitingBeyond)
}

// placeEvent takes in an entry that the log has at an index. What is not later than all
// others was in the log before, so that the event is read again.
func (a *Admission) placeEvent(ctx context.Context, c *eventHistory, e *wire.Entry, r tlog.Receipt) (err error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if len(c.places) == 0 {
		c.index = r.Index
		a.index.enlistTable(c.history)
	}
	a.index.recordEntry(r.Index, c.number, r.Checkpoint)
	defer a.moves.Add(1)
	close(c.more)
	c.more = make(chan struct{})
	if n := len(c.places); n > 0 && r.Index <= c.places[n-1] {
		if !slices.Contains(c.places, r.Index) {
			c.places = append(c.places, r.Index)
			slices.Sort(c.places)
		}
		c.past, c.entries, c.bytes = nil, nil, 0
		return a.readPast(ctx, c)
	}
	c.places = append(c.places, r.Index)
	return c.takeEntry(e, r.Index)
}

// takeEntry takes in the next entry of the event.
func (c *eventHistory) takeEntry(e *wire.Entry, index uint64) (err error) {
	c.entries = append(c.entries, Entry{N: len(c.entries), Index: index, Hash: e.Hash})
	c.bytes += len(e.Bytes())
	if c.past == nil {
		c.past, err = event.Open(e, index)
		return err
	}
	if err := c.past.TakeEntry(e, index); err != nil { // another of its group came before it
		return &EventRefusal{Event: c.id, Head: c.past.Head, Notice: e.Notice != nil, Err: err}
	}
	return nil
}

// readEvent brings an event into memory that the log has.
func (a *Admission) readEvent(ctx context.Context, c *eventHistory) error {
	c.reading.Lock()
	defer c.reading.Unlock()
	return a.readPast(ctx, c)
}

func (a *Admission) readPast(ctx context.Context, c *eventHistory) error {
	if c.past != nil {
		return nil
	}
	for _, index := range c.places {
		entry, err := a.store.entryAt(ctx, index)
		if err != nil {
			return err
		}
		if e, err := wire.ParseEntry(entry); err == nil {
			_ = c.takeEntry(e, index) // what is void stays so
		}
	}
	return nil
}

// eventAt gives an event an entry that the log had when it was opened.
func (a *Admission) eventAt(index uint64, entry []byte) *history {
	if named, ok := wire.EventNamed(entry); ok {
		c := a.events[named]
		if c == nil {
			return nil
		}
		c.places = append(c.places, index)
		return c.history
	}
	e, err := wire.ParseEvent(entry)
	if err != nil || a.events[e.Hash] != nil {
		return nil
	}
	c := newContest(newHistory(e.Hash, wire.EventFormat, ""))
	c.index, c.places = index, []uint64{index}
	a.events[e.Hash] = c
	a.index.enlistTable(c.history)
	return c.history
}

// Event shows see an event as it is now, with its entries in the log. What it is shown must
// not be kept.
func (a *Admission) Event(ctx context.Context, id wire.Hash, see func(h *event.History, entries []Entry)) error {
	c, err := a.knownEvent(ctx, id)
	if err != nil {
		return err
	}
	c.reading.RLock()
	defer c.reading.RUnlock()
	see(c.past, c.entries)
	return nil
}

func (a *Admission) knownEvent(ctx context.Context, id wire.Hash) (*eventHistory, error) {
	a.mu.Lock()
	c := a.events[id]
	a.mu.Unlock()
	if c == nil {
		return nil, &UnknownEventError{id}
	}
	if err := a.readEvent(ctx, c); err != nil {
		return nil, err
	}
	if c.past == nil {
		return nil, &UnknownEventError{id} // the log refused it
	}
	return c, nil
}

// Events lists up to limit events of the log in the order in which they were announced, from
// the one with an index on.
func (a *Admission) Events(from uint64, limit int) []Summary {
	a.mu.Lock()
	all := slices.Collect(maps.Values(a.events))
	a.mu.Unlock() // an event that is being read from the log holds up nobody else
	list := []Summary{}
	for _, c := range all {
		c.reading.RLock()
		if len(c.places) > 0 && c.index >= from {
			list = append(list, Summary{ID: c.id, Index: c.index, Game: wire.EventFormat})
		}
		c.reading.RUnlock()
	}
	slices.SortFunc(list, func(x, y Summary) int { return int(int64(x.Index) - int64(y.Index)) })
	return list[:min(limit, len(list))]
}

// EventEntries yields the entries of an event from the n-th on, each with its bytes.
func (a *Admission) EventEntries(ctx context.Context, id wire.Hash, n int) iter.Seq2[LoggedEntry, error] {
	return func(yield func(LoggedEntry, error) bool) {
		var entries []Entry
		if err := a.Event(ctx, id, func(_ *event.History, list []Entry) { entries = slices.Clone(list[min(n, len(list)):]) }); err != nil {
			yield(LoggedEntry{}, err)
			return
		}
		for _, e := range entries {
			bytes, err := a.store.entryAt(ctx, e.Index)
			if !yield(LoggedEntry{e, bytes}, err) || err != nil {
				return
			}
		}
	}
}

// WaitEvent returns when an event has an n-th entry. Its error is that of ctx, or that there
// is no such event.
func (a *Admission) WaitEvent(ctx context.Context, id wire.Hash, n int) error {
	for {
		c, err := a.knownEvent(ctx, id)
		if err != nil {
			return err
		}
		c.reading.RLock()
		count, more := len(c.entries), c.more
		c.reading.RUnlock()
		if count > n {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
