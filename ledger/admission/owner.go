package admission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// verdict is what an admitted entry does to its table, where that was found before the owner had it. It
// holds wherever and whenever it was found, for as long as the table is as it was before. Of an entry of
// an event there is no more than the entry: the owner judges it.
type verdict struct {
	entry  *bulletin.Entry
	before *table.State // nil for a genesis entry
	after  *table.State
	fault  *table.Fault // if it is recorded as a foul
}

// letter is an entry that a caller has posted.
type letter struct {
	ctx     context.Context
	entry   *bulletin.Entry // an empty one: only what is in doubt is asked for
	verdict *verdict        // nil: what is in doubt comes first
	answer  chan postAnswer
}

type postAnswer struct {
	PostedEntry
	err error
}

// errMoved says that a subject has moved on since it was looked at.
var errMoved = errors.New("the subject has moved on")

// together is how many entries of one event the log is asked to take at a time: a thousand
// registrations do not wait for each other.
const together = 64

// handLetter gives a letter to the owner of a subject in use, which begins with it if there is none, and
// waits for the answer. A caller may give up until the owner takes the letter, not afterwards: then
// the log is asked whether or not anybody still listens.
func (s *subject) handLetter(l *letter) (PostedEntry, error) {
	l.answer = make(chan postAnswer, 1)
	s.mailing.Lock()
	s.mail = append(s.mail, l)
	if !s.owned {
		s.owned = true
		go s.answerLetters()
	}
	s.mailing.Unlock()
	select {
	case r := <-l.answer:
		return r.PostedEntry, r.err
	case <-l.ctx.Done():
	}
	s.mailing.Lock()
	i := slices.Index(s.mail, l)
	if i >= 0 {
		s.mail = slices.Delete(s.mail, i, i+1)
	}
	s.mailing.Unlock()
	if i >= 0 {
		return PostedEntry{}, l.ctx.Err()
	}
	r := <-l.answer
	return r.PostedEntry, r.err
}

// nextLetters takes the letters that are answered next, none if there are no more: one, and the notices that
// wait, which are no chain as all else is. A decision comes before those, however many they are.
func (s *subject) nextLetters() []*letter {
	s.mailing.Lock()
	defer s.mailing.Unlock()
	first := max(slices.IndexFunc(s.mail, func(l *letter) bool { return l.entry.Notice == nil }), 0)
	var group []*letter
	for i, l := range s.mail {
		if i == first || l.entry.Notice != nil && len(group) < together {
			group = append(group, l)
		}
	}
	s.mail = slices.DeleteFunc(s.mail, func(l *letter) bool { return slices.Contains(group, l) })
	s.owned = len(group) > 0
	return group
}

// answerLetters answers letters until there are none. Who reads the subject does not wait for it.
func (s *subject) answerLetters() {
	for group := s.nextLetters(); len(group) > 0; group = s.nextLetters() {
		if len(s.now.Load().doubt) > 0 {
			group = s.settleDoubts(group)
		}
		group = slices.DeleteFunc(group, func(l *letter) bool {
			var err error // why the entry is not handed to the log now
			switch {
			case l.verdict == nil:
				err = errMoved
			case s.Event:
				err = s.judgeNow(l.ctx, l.entry)
			case !s.now.Load().admitsVerdict(l.verdict):
				err = errMoved
			}
			if err != nil {
				l.answer <- postAnswer{err: err}
			}
			return err != nil
		})
		s.appendGroup(group)
	}
}

// settleDoubts finds out what became of entries that the log was asked to take and did not answer
// for, and returns the letters that it has not answered by that.
func (s *subject) settleDoubts(group []*letter) []*letter {
	ctx := group[0].ctx
	for now := s.now.Load(); len(now.doubt) > 0; now = s.now.Load() {
		v := now.doubt[0]
		p, err := s.takeIn(s.in.store.appendVerdict(ctx, v))
		doubted := slices.Contains(s.now.Load().doubt, v)
		group = slices.DeleteFunc(group, func(l *letter) bool {
			answers := doubted || l.entry.Hash == v.entry.Hash
			if answers {
				l.answer <- postAnswer{p, err}
			}
			return answers
		})
		if doubted {
			break
		}
	}
	return group
}

// appendedEntry is what the log said of an entry.
type appendedEntry struct {
	*verdict
	answer  chan postAnswer // to who has posted it
	receipt tlog.Receipt
	again   bool // it had it before
	err     error
}

// appendGroup makes the log take entries together, and answers who has posted them. In a log of this
// process alone the subject then moves on by them, in the order in which the log has them. A shared
// log moves it on as followLog reads it: each sender is answered when its entry was read, and the
// group holds the turn of a table until its entry, or another one of the table, is seen there.
func (s *subject) appendGroup(group []*letter) {
	list := make([]appendedEntry, len(group))
	var all sync.WaitGroup
	shared := s.in.options.Shared
	for i, l := range group {
		appendOne := func() {
			list[i] = s.in.store.appendVerdict(l.ctx, l.verdict)
			list[i].answer = l.answer
			if shared {
				p, err := s.awaitOutcome(l.ctx, list[i])
				l.answer <- postAnswer{p, err}
			}
		}
		switch {
		case shared:
			s.turn.Store(l.verdict)
			all.Go(appendOne)
		case i < len(group)-1:
			all.Go(appendOne)
		default:
			appendOne() // a goroutine less for each message, whose stack would have to grow
		}
	}
	if shared {
		s.holdTurn(group, &all)
		return
	}
	all.Wait()
	slices.SortFunc(list, func(x, y appendedEntry) int { return cmp.Compare(x.receipt.Index, y.receipt.Index) })
	for _, t := range list {
		p, err := s.takeIn(t)
		t.answer <- postAnswer{p, err}
	}
}

// takeIn moves the subject on by what the log has taken. If the log did not say whether it took an
// entry, it is in doubt; once it is, what refuses a second try says nothing about the first.
func (s *subject) takeIn(t appendedEntry) (PostedEntry, error) {
	now := s.now.Load()
	if t.err != nil {
		if !slices.Contains(now.doubt, t.verdict) && !saysNotTaken(t.err) {
			s.setDoubt(append(slices.Clone(now.doubt), t.verdict))
		}
		return PostedEntry{}, t.err
	}
	if slices.Contains(now.doubt, t.verdict) {
		s.setDoubt(slices.DeleteFunc(slices.Clone(now.doubt), func(v *verdict) bool { return v == t.verdict }))
	}
	if now.hasBegun() && t.receipt.Index <= now.places[len(now.places)-1] {
		if err := s.refuseMisplaced(now, t.receipt.Index); err != nil {
			return PostedEntry{}, err
		}
	}
	found := t.verdict
	if t.again && !now.hasBegun() && !s.Event {
		found = nil // it is replayed with what may follow it
	}
	s.placeEntry(t.receipt.Index, found)
	s.in.index.recordEntry(t.receipt.Index, s.number, t.receipt.Checkpoint)
	s.in.moves.Add(1)
	return s.outcome(context.Background(), t)
}

func (s *subject) setDoubt(list []*verdict) {
	for {
		now := s.now.Load()
		next := *now
		if next.doubt = list; s.replaceMoment(now, &next) {
			return
		}
	}
}

// refuseMisplaced says why a subject does not move on by an entry that the log held before the subject asked
// for it, at a place where it is void: the log takes the same bytes only once. An event takes what is behind
// its beginning.
func (s *subject) refuseMisplaced(now *moment, index uint64) error {
	if s.Event && index >= now.places[0] {
		return nil
	}
	err := fmt.Errorf("the log has the message at index %d, before entry %d that it builds on", index, now.places[len(now.places)-1])
	if s.Event {
		return &EventRefusal{Event: s.ID, Head: s.headAt(now), Err: err}
	}
	return &Refusal{Table: s.ID, Head: now.state.Head(), Fault: &table.Fault{Check: table.CheckParent, Class: table.Void, Err: err}}
}

// placeEntry gives the subject the entry that the log has at an index, and what was found of it; nil: it
// is judged when somebody looks.
func (s *subject) placeEntry(index uint64, found *verdict) {
	begins := !s.now.Load().hasBegun()
	if begins {
		s.index = index
	}
	for placed := false; !placed; {
		if s.Event {
			placed = s.placeInEvent(index, found)
			continue
		}
		now := s.now.Load()
		next := *now
		if now.admitsVerdict(found) {
			next = *now.afterEntry(index, found)
		} else if next.places = append(now.places, index); now.count > 0 {
			next.behind++
		}
		placed = s.replaceMoment(now, &next)
	}
	if begins {
		s.in.subjects.enlist(s)
		s.in.index.enlist(s)
		s.in.subjects.touch(s)
	}
}

// outcome is what became of an entry that the log has.
func (s *subject) outcome(ctx context.Context, t appendedEntry) (p PostedEntry, err error) {
	p = PostedEntry{Receipt: t.receipt, Table: s.ID, Hash: t.entry.Hash, Fault: t.fault, Again: t.again}
	now := s.now.Load()
	if s.Event || s.in.options.Shared {
		if now, err = s.replayedMoment(ctx); err != nil {
			return PostedEntry{}, err
		}
	}
	n := now.findEntry(t.entry.Hash)
	switch {
	case n < 0 && s.in.options.Shared:
		return PostedEntry{}, fmt.Errorf("the log has the entry at %d, before its subject begins", t.receipt.Index)
	case s.Event:
		p.Head, err = s.eventOutcome(now, t)
	default:
		p.Head = t.after.Head()
	}
	if n >= 0 {
		p.N, p.Fault = n, now.entries[n].Fault
	}
	if p.Fault != nil && p.Fault.Class == table.Void { // others came before it, in a log that is shared
		s.in.raced.Add(1)
		err = &Conflict{Table: s.ID, Head: now.state.Head(), Fault: p.Fault, Index: &t.receipt.Index}
	}
	if err != nil {
		return PostedEntry{}, err
	}
	return p, nil
}

// headAt is the head of a subject in memory.
func (s *subject) headAt(now *moment) wire.Hash {
	s.reading.RLock()
	defer s.reading.RUnlock()
	switch {
	case now.past != nil:
		return now.past.Head
	case now.state != nil:
		return now.state.Head()
	}
	return s.ID
}

// settleSoon settles what is in doubt, unless a reader has asked for it already.
// Readers do not wait for it: what they see is true, if not all.
func (s *subject) settleSoon(ctx context.Context) {
	if len(s.now.Load().doubt) == 0 || !s.asking.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer s.asking.Store(false)
		_ = s.in.settleDoubt(context.WithoutCancel(ctx), s.Subject) // else it stays in doubt
	}()
}

// settleDoubt asks the log again for what is in doubt at a subject, if anything is.
func (a *Admission) settleDoubt(ctx context.Context, of Subject) error {
	s, done := a.use(of, nil)
	if s == nil {
		return &UnknownError{Subject: of}
	}
	defer done()
	if len(s.now.Load().doubt) == 0 {
		return nil
	}
	if _, err := s.handLetter(&letter{ctx: ctx, entry: &bulletin.Entry{Entry: new(wire.Entry)}}); !errors.Is(err, errMoved) {
		return err
	}
	return nil
}
