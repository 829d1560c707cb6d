package admission

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/bulletin"
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

// checkAnnouncement says why an event cannot be held here.
func (a *Admission) checkAnnouncement(e *bulletin.Entry) error {
	refuse := func(err error) error { return &EventRefusal{Event: e.Hash, Head: e.Hash, Err: err} }
	if err := cmp.Or(e.VerifySelf(), checkNames(e)); err != nil {
		return refuse(err)
	}
	if may := a.options.Organiser; may != nil && !may(e.Event.Organiser) {
		return &OrganiserError{Table: e.Hash}
	}
	for _, seats := range e.Event.Sizes {
		if err := table.CheckPlayable(e.Event.Terms(), seats, a.catalogue); err != nil {
			return refuse(err)
		}
	}
	return nil
}

// checkNames refuses names that are easily taken for others (10.9.3). No verdict rests on it.
func checkNames(e *bulletin.Entry) error {
	switch {
	case e.Event != nil:
		return plain.CheckName(string(e.Event.Name))
	case e.Notice != nil && e.Notice.Kind == bulletin.Register:
		body, err := e.Notice.ReadBody()
		if err != nil {
			return err
		}
		return plain.CheckName(string(body.(*bulletin.RegisterBody).Name))
	}
	return nil
}

// checkSecond refuses the second registration of a key. Of one that is in the log all the same the roster says more.
// No verdict rests on it.
func checkSecond(h *event.History, e *bulletin.Entry) error {
	if e.Notice == nil || e.Notice.Kind != bulletin.Register {
		return nil
	}
	if before := h.RegisteredBefore(e.Notice.By); before != nil {
		return fmt.Errorf("this key has registered at entry %d, and a player registers once; to change the name, withdraw first, or ask the organiser for a correction", before.Index)
	}
	return nil
}

// Namesake is the index of the registration of another key with the name and club of this one, nil if there is none.
func (a *Admission) Namesake(ctx context.Context, e *bulletin.Entry) (index *uint64, err error) {
	if e.Notice == nil || e.Notice.Kind != bulletin.Register {
		return nil, nil
	}
	body, err := e.Notice.ReadBody()
	if err != nil {
		return nil, err
	}
	return index, a.Event(ctx, e.Notice.Event, func(h *event.History, _ []Entry) {
		if n := h.Namesake(e.Notice.By, body.(*bulletin.RegisterBody)); n != nil {
			at := n.Index
			index = &at
		}
	})
}

// judgeNow judges an entry of an event by the event as it is, whatever is taken together with it.
func (s *subject) judgeNow(ctx context.Context, e *bulletin.Entry) error {
	now := s.now.Load()
	if !now.hasBegun() {
		if e.Event == nil {
			return &UnknownError{Subject: s.Subject}
		}
		return nil
	}
	now, err := s.replayedMoment(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	s.reading.RLock()
	defer s.reading.RUnlock()
	switch {
	case now.findEntry(e.Hash) >= 0:
		return errMoved
	case now.isFull(e):
		return &FullError{s.Subject}
	}
	c, err := s.in.store.log.Checkpoint(ctx)
	if err == nil {
		err = checkNames(e)
	}
	if err == nil {
		_, err = now.past.CheckEntry(e, c.Size)
	}
	if err == nil {
		err = checkSecond(now.past, e)
	}
	if err != nil {
		stale := e.Decision != nil && e.Decision.Parent != now.past.Head
		return &EventRefusal{Event: s.ID, Head: now.past.Head, Notice: e.Notice != nil, Stale: stale, Err: err}
	}
	return nil
}

// isFull reports whether there is no room for an entry of an event in memory.
func (m *moment) isFull(e *bulletin.Entry) bool {
	size := m.bytes + int64(len(e.Bytes()))
	if e.Notice == nil {
		return size > MaxEventBytes
	}
	places, of := m.past.Terms.Registration.Max, 0
	for _, n := range m.past.Notices {
		if n.By == e.Notice.By {
			of++
		}
	}
	registers := e.Notice.Kind == bulletin.Register
	return size > MaxEventBytes-forDecisions || of >= noticesOfAKey ||
		registers && (len(m.past.Players) >= places || m.past.CountUnanswered(math.MaxUint64) >= 2*places+waitingBeyond)
}

// placeInEvent gives an event the entry that the log has at an index. What is not later than all
// others was in the log before, so that the event is read again.
func (s *subject) placeInEvent(index uint64, found *verdict) bool {
	s.reading.Lock()
	defer s.reading.Unlock()
	now := s.now.Load()
	next := *now
	switch at, there := slices.BinarySearch(now.places, index); {
	case there:
		return true
	case at < len(now.places):
		next = moment{places: slices.Insert(slices.Clone(now.places), at, index), doubt: now.doubt}
	default:
		next.places = append(now.places, index)
		if found.entry != nil && (now.past != nil || at == 0) {
			next.takeEntry(found.entry, index)
		}
	}
	return s.replaceMoment(now, &next)
}

// takeEntry takes in the next entry of an event. What is void stays so, and is listed.
func (m *moment) takeEntry(e *bulletin.Entry, index uint64) {
	m.entries = append(m.entries, Entry{N: len(m.entries), Index: index, Hash: e.Hash})
	m.count, m.bytes = len(m.entries), m.bytes+int64(len(e.Bytes()))
	if m.past == nil {
		m.past, _ = event.Open(e, index)
	} else {
		_ = m.past.TakeEntry(e, index)
	}
	m.protest = nil
	if m.past != nil && m.past.AwaitsProtest() {
		m.protest = &protest{clock: m.past.Terms.Clock, seconds: m.past.Terms.Protest, entries: m.count}
	}
}

// protest is time to appeal that an event promises before its final standings.
type protest struct {
	clock   wire.Clock
	seconds int
	entries int // of the event
}

// readEvent brings an event into memory that the log has.
func (s *subject) readEvent(ctx context.Context) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	now := s.now.Load()
	if now.past != nil {
		return nil
	}
	next := moment{places: now.places, doubt: now.doubt}
	for _, index := range now.places {
		e, err := s.entryAt(ctx, index)
		if err != nil {
			return err
		}
		if e != nil {
			next.takeEntry(e, index)
		}
	}
	if next.past == nil {
		return &UnknownError{Subject: s.Subject}
	}
	s.replaceMoment(now, &next)
	return nil
}

// eventOutcome is the head of an event after the log has taken an entry of it, or why that is void: others came
// before it.
func (s *subject) eventOutcome(now *moment, t appendedEntry) (head wire.Hash, err error) {
	s.reading.RLock()
	defer s.reading.RUnlock()
	for _, v := range slices.Backward(now.past.Void) {
		if v.Hash != t.entry.Hash {
			continue
		}
		refusal := &EventRefusal{Event: s.ID, Head: now.past.Head, Notice: t.entry.Notice != nil, Err: v.Err}
		if s.in.options.Shared {
			s.in.raced.Add(1)
			refusal.Stale, refusal.Index = t.entry.Decision != nil, &t.receipt.Index
		}
		return head, refusal
	}
	return now.past.Head, nil
}

// Event shows see an event as it is now, with its entries in the log. What it is shown must
// not be kept.
func (a *Admission) Event(ctx context.Context, id wire.Hash, see func(h *event.History, entries []Entry)) error {
	for {
		s, _, err := a.view(ctx, Subject{id, true})
		if err != nil {
			return err
		}
		if s.showEvent(see) {
			return nil
		}
	}
}

// showEvent shows an event, unless it is to be read again.
func (s *subject) showEvent(see func(h *event.History, entries []Entry)) bool {
	s.reading.RLock()
	defer s.reading.RUnlock()
	now := s.now.Load()
	if now.past != nil {
		see(now.past, now.entries)
	}
	return now.past != nil
}
