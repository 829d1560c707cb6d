package admission_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// held is a log that answers when it is released, or else when its caller has had
// enough. What it was asked for until then, it has taken.
type held struct {
	tlog.Log
	release chan struct{}
	err     error // once it is released
}

func (h *held) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	select {
	case <-h.release:
	case <-ctx.Done():
		return tlog.Receipt{}, ctx.Err()
	}
	if h.err != nil {
		return tlog.Receipt{}, h.err
	}
	return h.Log.Append(ctx, entry)
}

// While the log has one message, who gave up before theirs was taken must have stored
// nothing, whoever still waits must be answered, and reads must not wait at all. No
// goroutine is left in the end: synctest would say so.
func TestCallersOfAStuckTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := newMemory(t)
		log := &held{Log: inner, release: make(chan struct{})}
		p := newParty(t, wire.RefuseFouls)
		inner.put(p.genesis())
		a := open(t, log, admission.Options{})
		due, rival := p.key(0), p.key(1)
		var patient, hasty sync.WaitGroup
		var taken, conflicts atomic.Int64
		patient.Go(func() { post(t, a, due) })
		synctest.Wait()
		ctx, giveUp := context.WithCancel(t.Context())
		for range 20 {
			patient.Go(func() {
				if got, err := postAs(t.Context(), a, due); err == nil && got.Again {
					taken.Add(1)
				}
			})
			patient.Go(func() {
				_, err := postAs(t.Context(), a, rival)
				if _, ok := errors.AsType[*admission.Conflict](err); ok {
					conflicts.Add(1)
				}
			})
			hasty.Go(func() {
				testmust.FailBy(t, testmust.ErrorOf(postAs(ctx, a, rival)), context.Canceled, "who gave up")
			})
		}
		synctest.Wait()
		giveUp()
		hasty.Wait()
		testmust.Equal(t, len(entries(t, a, p.id())), 1, "entries are shown before the log has promised any")
		close(log.release)
		patient.Wait()
		if taken.Load() != 20 || conflicts.Load() != 20 || size(t, inner) != 2 {
			t.Errorf("%d again, %d conflicts, %d entries in the log; want 20, 20, 2", taken.Load(), conflicts.Load(), size(t, inner))
		}
	})
}

// Who gives up while the log has the entry is answered all the same: whatever came of
// it, the table must know.
func TestGivenUpWhileTheLogHasIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &held{Log: newMemory(t), release: make(chan struct{})}
		p := newParty(t, wire.RefuseFouls)
		log.Log.(*memory).put(p.genesis())
		a := open(t, log, admission.Options{})
		ctx, giveUp := context.WithCancel(t.Context())
		var all sync.WaitGroup
		due, rival := p.key(0), p.key(1)
		all.Go(func() {
			_, err := postAs(ctx, a, due)
			testmust.Hold(t, err == nil, err)
		})
		synctest.Wait()
		giveUp()
		synctest.Wait()
		close(log.release)
		all.Wait()
		if _, ok := errors.AsType[*admission.Conflict](mustFail(t, a, rival)); !ok || size(t, log) != 2 {
			t.Errorf("what was handed to the log was forgotten; it has %d entries", size(t, log))
		}
	})
}

// A log that stops, while callers wait at many tables, must not leave one of them
// without an answer, nor a goroutine behind; and nor must one that never answers.
func TestLogStops(t *testing.T) {
	for name, err := range map[string]error{"closed": errors.New("the log is closed"), "silent": context.DeadlineExceeded} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := newMemory(t)
				log := &held{Log: inner, release: make(chan struct{}), err: err}
				var parties []*party
				for range 10 {
					p := newParty(t, wire.RefuseFouls)
					inner.put(p.genesis())
					parties = append(parties, p)
				}
				a := open(t, log, admission.Options{})
				var all sync.WaitGroup
				for _, p := range parties {
					fresh := newParty(t, wire.RefuseFouls)
					for _, entry := range [][]byte{p.key(0), p.key(1), p.key(0), fresh.genesis(), fresh.genesis()} {
						all.Go(func() {
							testmust.FailBy(t, testmust.ErrorOf(postAs(t.Context(), a, entry)), err)
						})
					}
				}
				synctest.Wait()
				if name == "closed" {
					close(log.release)
				}
				all.Wait()
			})
		})
	}
}

// Messages that many callers post at once, each as soon as it is due, must be a whole
// game in the end: none lost, none twice, each after its parent.
func TestManyCallersPlayOneGame(t *testing.T) {
	log := newMemory(t)
	a := open(t, log, admission.Options{})
	p := newParty(t, wire.RefuseFouls)
	testmust.Do(t, p.Play(30))
	post(t, a, p.genesis())
	id := p.id()
	var all sync.WaitGroup
	first := make([]atomic.Int64, len(p.Entries))
	for n, entry := range p.Entries[1:] {
		for range 4 {
			all.Go(func() {
				if err := a.Wait(t.Context(), admission.Subject{ID: id}, n); err != nil {
					t.Error(err)
				}
				got, err := postAs(t.Context(), a, entry)
				testmust.Holdf(t, err == nil && got.N == n+1 && got.Hash == wire.HashEntry(entry), "message %d: %+v, %v", n+1, got, err)
				if !got.Again {
					first[n+1].Add(1)
				}
			})
		}
	}
	all.Wait()
	for n, e := range entries(t, a, id) {
		if string(e.Bytes) != string(p.Entries[n]) || e.Index != uint64(n) || e.N != n || n > 0 && first[n].Load() != 1 {
			t.Errorf("entry %d is number %d at index %d, or another one; %d were told that it is new", n, e.N, e.Index, first[n].Load())
		}
	}
	testmust.Equal(t, size(t, log), uint64(len(p.Entries)), "entries in the log")
}

// A game that panics in a replay must not keep others waiting for that replay, nor
// keep the processor.
func TestPanicOfAReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(t)
		p := newParty(t, wire.RefuseFouls)
		log.put(p.genesis())
		broken := true
		c := catalogue
		c.Game = func(name string) (table.Game, bool) {
			if broken {
				panic(name)
			}
			return catalogue.Game(name)
		}
		gate := oneAtATime{make(chan struct{}, 1)}
		a := testmust.Have(admission.Open(t.Context(), log, c, admission.Options{Gate: gate}))(t)
		func() {
			defer func() { recover() }()
			_, err := a.Table(t.Context(), p.id())
			t.Errorf("no panic: %v", err)
		}()
		broken = false
		if _, err := a.Table(t.Context(), p.id()); err != nil { // or it waits for ever
			t.Error(err)
		}
	})
}

// oneAtATime is a gate with one processor.
type oneAtATime struct{ processor chan struct{} }

func (g oneAtATime) Enter(ctx context.Context, _ admission.Work) (func(admission.Outcome), error) {
	select {
	case g.processor <- struct{}{}:
		return func(admission.Outcome) { <-g.processor }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (oneAtATime) Look(context.Context, admission.Work) error { return nil }

// A table at which a message waits to be checked must stay in memory, however many
// other tables are used: whoever fills the memory would make every message cost a
// replay more.
func TestTablesInUseStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lobby{door: make(chan struct{})}
		_, _, a, p := begun(t, wire.RefuseFouls, admission.Options{Gate: l, Live: 1})
		var all sync.WaitGroup
		all.Go(func() {
			_, err := postAs(stranger(t.Context()), a, p.key(0))
			testmust.Hold(t, err == nil, err)
		})
		synctest.Wait()
		for range 3 {
			post(t, a, newParty(t, wire.RefuseFouls).genesis())
		}
		l.door <- struct{}{} // once: a replay would wait for ever
		all.Wait()
		_, live := a.Count()
		testmust.Holdf(t, live <= 2, "%d tables in memory", live)
	})
}

// However many tables a log does not answer for, it must remember few of them, none that
// it has refused, and begin others when it answers again.
func TestUnbegunTablesAreBounded(t *testing.T) {
	log := &shaky{Log: newMemory(t)}
	a := open(t, log, admission.Options{})
	p := newParty(t, wire.RefuseFouls)
	remembered := func(tables int, answer error) (n int) {
		var ids []wire.Hash
		for i := range tables {
			genesis := p.otherwise(func(g *wire.Genesis) { g.Nonce = fmt.Appendf(nil, "%16d", i) })
			ids = append(ids, wire.HashEntry(genesis))
			log.fail(answer, nil)
			err := mustFail(t, a, genesis)
			testmust.Require(t, errors.Is(err, answer), err)
		}
		post(t, a, newParty(t, wire.RefuseFouls).genesis())
		for _, id := range ids {
			if _, err := a.Table(t.Context(), id); err == nil {
				n++
			}
		}
		return n
	}
	n := remembered(100, tlog.ErrReadOnly)
	testmust.Holdf(t, n <= 0, "%d were refused and are remembered", n)
	n = remembered(1100, errLost)
	testmust.Holdf(t, n >= 1000 && n <= 1050, "%d of 1,100 in doubt are remembered", n)
}

// crowd is a gate that lets everybody in when its door is opened, and counts them.
type crowd struct {
	door   chan struct{}
	inside atomic.Int64
}

func (c *crowd) Enter(context.Context, admission.Work) (func(admission.Outcome), error) {
	<-c.door
	c.inside.Add(1)
	return func(admission.Outcome) { c.inside.Add(-1) }, nil
}

func (*crowd) Look(context.Context, admission.Work) error { return nil }

// slowReads is a log that shows entries when it is released, once it is closed.
type slowReads struct {
	tlog.Log
	closed  bool
	release chan struct{}
	shown   atomic.Int64
}

func (s *slowReads) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	if s.closed {
		s.shown.Add(1)
		<-s.release
	}
	return s.Log.Entries(ctx, start, end)
}

// However many want a table that is not in memory, one must replay it, and those who
// wait for that one must not keep processors that others need.
func TestOneReplaysForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := newMemory(t)
		log := &slowReads{Log: inner, release: make(chan struct{})}
		p := newParty(t, wire.RefuseFouls)
		inner.put(p.genesis())
		gate := &crowd{door: make(chan struct{})}
		a := open(t, log, admission.Options{Gate: gate})
		log.closed = true
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				_, err := a.Table(t.Context(), p.id())
				testmust.Hold(t, err == nil, err)
			})
		}
		synctest.Wait()
		close(gate.door)
		synctest.Wait()
		testmust.Equal(t, gate.inside.Load(), 1, "have a processor during the replay")
		close(log.release)
		all.Wait()
		testmust.Equal(t, log.shown.Load(), 1, "how often the genesis entry was read")
	})
}

// lobby is a gate that lets a stranger in when its door is opened, and everybody else
// at once.
type lobby struct{ door chan struct{} }

type strangerKey struct{}

func stranger(ctx context.Context) context.Context {
	return context.WithValue(ctx, strangerKey{}, "stranger")
}

func (l lobby) Enter(ctx context.Context, _ admission.Work) (func(admission.Outcome), error) {
	if ctx.Value(strangerKey{}) != nil {
		select {
		case <-l.door:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return func(admission.Outcome) {}, nil
}

func (lobby) Look(context.Context, admission.Work) error { return nil }

// slow is a lobby of which a stranger who gives up gets out only when its exit is
// opened.
type slow struct {
	lobby
	exit chan struct{}
}

func (s slow) Enter(ctx context.Context, w admission.Work) (func(admission.Outcome), error) {
	leave, err := s.lobby.Enter(ctx, w)
	if err != nil {
		<-s.exit
	}
	return leave, err
}

// A table that somebody has replayed, and that was forgotten before who waited for
// it could look, must be replayed again: nobody has refused it.
func TestReplayForgottenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(t)
		p, other := newParty(t, wire.RefuseFouls), newParty(t, wire.RefuseFouls)
		log.put(p.genesis())
		log.put(other.genesis())
		s := slow{lobby{make(chan struct{})}, make(chan struct{})}
		a := open(t, log, admission.Options{Gate: s, Live: 1})
		read := make(chan error)
		go func() { _, err := a.Table(stranger(t.Context()), p.id()); read <- err }()
		synctest.Wait()
		for _, id := range []wire.Hash{p.id(), other.id()} {
			testmust.Have(a.Table(t.Context(), id))(t)
			synctest.Wait()
		}
		close(s.door)
		close(s.exit)
		testmust.Do(t, <-read)
	})
}

// Who gives up must leave the table to the others of the same caller.
func TestReplayGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemory(t)
		p := newParty(t, wire.RefuseFouls)
		log.put(p.genesis())
		l := lobby{make(chan struct{})}
		a := open(t, log, admission.Options{Gate: l})
		ctx, giveUp := context.WithCancel(stranger(t.Context()))
		gone, read := make(chan error), make(chan error)
		go func() { _, err := a.Table(ctx, p.id()); gone <- err }()
		synctest.Wait()
		go func() { _, err := a.Table(stranger(t.Context()), p.id()); read <- err }()
		synctest.Wait()
		giveUp()
		testmust.FailBy(t, <-gone, context.Canceled, "who gave up")
		close(l.door)
		testmust.Do(t, <-read)
	})
}

// What waits for a processor while play goes on must not be checked any more.
func TestMovedOnAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lobby{make(chan struct{})}
		_, _, a, p := begun(t, wire.RefuseFouls, admission.Options{Gate: l})
		late := p.foul(p.key(1))
		refused := make(chan error)
		go func() { _, err := postAs(stranger(t.Context()), a, late); refused <- err }()
		synctest.Wait()
		post(t, a, p.key(0))
		close(l.door)
		if err := <-refused; err == nil {
			t.Error("taken")
		} else if _, ok := errors.AsType[*admission.Conflict](err); !ok {
			t.Errorf("%v, want a conflict", err)
		}
	})
}
