package admission

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
)

// readLog finds the tables and events of the log and the entries of each. Nobody looks at them yet.
func (a *Admission) readLog(ctx context.Context) error {
	c, err := a.store.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	if err := a.index.restoreFile(ctx, a.store.log, c); err == nil { // else all entries are read
		for _, s := range a.index.subjects {
			s.in = a
			a.subjects.enlist(s)
		}
	}
	index := a.index.complete
	for entry, err := range a.store.log.Entries(ctx, index, c.Size) {
		if err != nil {
			return err
		}
		number := uint32(noSubject)
		if wire.BeginsMark(entry) {
			a.index.addMark(index, wire.HashEntry(entry))
		} else if s, _, done := a.subjectAt(entry); s != nil {
			if now := s.now.Load(); now.hasBegun() {
				now.places = append(now.places, index)
			} else {
				now.places, s.index = []uint64{index}, index
				a.subjects.enlist(s)
				a.index.enlist(s)
			}
			number = s.number
			done()
		}
		a.index.setOwner(index, number)
		index++
	}
	if index != c.Size {
		return fmt.Errorf("it ended after %d of %d entries", index, c.Size)
	}
	return a.readAwaiting(ctx)
}

// readAwaiting brings into memory the events that wait for the time to appeal to pass: else they would have no marks
// before somebody asks for them, and the time would not pass. Most others it tells by two entries.
func (a *Admission) readAwaiting(ctx context.Context) error {
	for _, s := range a.subjects.begun[true] {
		may, err := s.mayAwaitProtest(ctx)
		if err == nil && may {
			err = s.readEvent(ctx)
		}
		if _, unknown := errors.AsType[*UnknownError](err); err != nil && !unknown {
			return err
		}
		if s.now.Load().protest == nil {
			s.forgetState()
		}
	}
	return nil
}

// mayAwaitProtest reports whether an event promises time to appeal, and the last decision that its organiser signed does
// not end it.
func (s *subject) mayAwaitProtest(ctx context.Context) (bool, error) {
	places := s.now.Load().places
	first, err := s.entryAt(ctx, places[0])
	if err != nil || first == nil || first.Event == nil || first.Event.Protest == 0 || first.Event.Clock.IsNone() {
		return false, err
	}
	for _, index := range slices.Backward(places) {
		e, err := s.entryAt(ctx, index)
		if err != nil {
			return false, err
		}
		if e != nil && e.Decision != nil && e.Decision.By == first.Event.Organiser && e.VerifySelf() == nil {
			return e.Decision.Kind != bulletin.DecideFinal && e.Decision.Kind != bulletin.DecideCancel, nil
		}
	}
	return false, nil
}

// entryAt is an entry of an event in the log, nil if it is none.
func (s *subject) entryAt(ctx context.Context, index uint64) (*bulletin.Entry, error) {
	entry, err := s.in.store.entryAt(ctx, index)
	if err != nil {
		return nil, err
	}
	e, err := bulletin.Parse(entry)
	if err != nil {
		return nil, nil
	}
	return e, nil
}

func parseGenesis(entry []byte) (*bulletin.Entry, error) {
	e, err := wire.ParseGenesis(entry)
	return &bulletin.Entry{Entry: e}, err
}

// subjectAt returns what an entry of the log seems to be of, and the entry if it was parsed for that; nil if
// of nothing. A genesis entry, or what announces an event, begins one, which is then in use: a post of the same
// entry must find it, and not make another that is known in its place. A log that is not ours may repeat it.
func (a *Admission) subjectAt(entry []byte) (s *subject, e *bulletin.Entry, done func()) {
	unused := func() {}
	if named, ok := bulletin.EventNamed(entry); ok {
		return a.begunSubject(Subject{named, true}), nil, unused
	}
	if named, ok := wire.TableNamed(entry); ok {
		return a.begunSubject(Subject{named, false}), nil, unused
	}
	parse := bulletin.ParseEvent
	if wire.BeginsTable(entry) {
		parse = parseGenesis
	} else if !bulletin.BeginsEvent(entry) {
		return nil, nil, unused
	}
	if s := a.subjects.lookup(Subject{wire.HashEntry(entry), false}); s != nil && s.now.Load().hasBegun() {
		return s, nil, unused
	}
	e, err := parse(entry)
	if err != nil {
		return nil, nil, unused
	}
	if s, done = a.use(SubjectOf(e), e); s != nil && s.now.Load().hasBegun() {
		done()
		return nil, nil, unused
	}
	return s, e, done
}

func (a *Admission) begunSubject(of Subject) *subject {
	if s := a.subjects.lookup(of); s != nil && s.now.Load().hasBegun() {
		return s
	}
	return nil
}

// replayedMoment returns a subject in memory, after a replay if there has to be one.
// Everybody waits at the gate in a place of their own, so that nobody stands
// behind a stranger; whoever is let in first replays the table for all.
func (s *subject) replayedMoment(ctx context.Context) (*moment, error) {
	for {
		now := s.now.Load()
		switch {
		case now.isCurrent():
			s.in.subjects.touch(s)
			return now, nil
		case s.Event:
			if err := s.readEvent(ctx); err != nil {
				return nil, err
			}
		case now.replaying:
			select {
			case <-now.over:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		default:
			if err := s.loadTable(ctx, now); err != nil {
				return nil, err
			}
		}
	}
}

// loadTable brings a table into memory, unless somebody else begins to before its turn at
// the gate has come: who waits for another one needs no processor.
func (s *subject) loadTable(ctx context.Context, was *moment) error {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-was.over:
			cancel()
		case <-waiting.Done():
		}
	}()
	leave, err := s.in.options.Gate.Enter(waiting, Work{Bytes: -1})
	if err != nil {
		if ctx.Err() == nil && s.now.Load() != was {
			return nil
		}
		return err
	}
	defer leave(Unsigned)
	if !s.replaceMoment(was, &moment{places: was.places, count: was.count, behind: was.behind, replaying: true}) {
		return nil
	}
	next := moment{count: was.count, behind: was.behind}
	defer func() { s.becomeLoaded(next, len(was.places)) }()
	load := s.replayRest
	if was.state == nil {
		load = s.replayTable
	}
	replayed, err := load(ctx, was)
	if err == nil {
		next = *replayed
	}
	return err
}

// becomeLoaded replaces the moment of a table that was being replayed, as far as its first
// places. What others have placed meanwhile is behind.
func (s *subject) becomeLoaded(m moment, places int) {
	for {
		now := s.now.Load()
		next := m
		next.places = now.places
		if next.count > 0 {
			next.behind += len(now.places) - places
		}
		if s.replaceMoment(now, &next) {
			return
		}
	}
}

// replayTable classifies all entries of a table.
func (s *subject) replayTable(ctx context.Context, was *moment) (*moment, error) {
	now := &moment{places: was.places}
	err := s.steps(ctx, was.places, now.addStep)
	if err == nil && now.state == nil {
		err = &UnknownError{Subject: s.Subject}
	}
	return now, err
}

func (s *subject) steps(ctx context.Context, places []uint64, see func(replay.Step)) (failed error) {
	r := replay.New(s.in.catalogue, s.in.store.blobReader(ctx), 1, func(_ wire.Hash, step replay.Step) {
		switch {
		case step.Err != nil && step.Before == nil:
			failed = &UnknownError{Subject: s.Subject, Err: step.Err}
		case step.Err != nil:
			failed = fmt.Errorf("entry %d of the log: %w", step.Index, step.Err)
		default:
			see(step)
		}
	})
	r.Marks = s.in.Mark
	for _, index := range places {
		entry, err := s.in.store.entryAt(ctx, index)
		if err != nil {
			return err
		}
		shown := replay.NewLeaf(index, wire.HashEntry(entry), entry)
		if shown.Table != s.ID {
			return fmt.Errorf("entry %d is not of table %s: the index of tables is wrong; stop the server, delete %s and start again", index, s.ID, s.in.options.Index)
		}
		if r.TakeLeaf(shown); failed != nil {
			return failed
		}
	}
	r.SettleBatches()
	return failed
}

// replayRest judges what others have placed at a table since it was last looked at.
func (s *subject) replayRest(ctx context.Context, was *moment) (*moment, error) {
	now := *was
	now.behind, now.replaying = 0, false
	for _, index := range was.places[len(was.places)-was.behind:] {
		entry, err := s.in.store.entryAt(ctx, index)
		if err != nil {
			return nil, err
		}
		p, ok := replay.NewLeaf(index, wire.HashEntry(entry), entry).Parse()
		if !ok || p.Entry.Act != nil && !now.state.Genesis().HasActs() {
			continue
		}
		step := replay.Judge(now.state, p, s.in.catalogue, nil, s.in.store.blobReader(ctx), s.in.Mark)
		if step.Err != nil {
			return nil, fmt.Errorf("entry %d of the log: %w", index, step.Err)
		}
		now.addStep(step)
	}
	return &now, nil
}
