package admission_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/wire"
)

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
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("who gave up: %v", err)
		}
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
		go func() { _, err := a.Post(stranger(t.Context()), late); refused <- err }()
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
