package admission_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

var errLost = errors.New("connection lost")

// begun returns a table in a log that can fail.
func begun(t *testing.T) (*memory, *shaky, *admission.Admission, *party) {
	t.Helper()
	m := newMemory(t)
	s := &shaky{Log: m}
	a := open(t, s, admission.Options{})
	p := newParty(t, wire.RefuseFouls)
	post(t, a, p.genesis())
	return m, s, a, p
}

// Who waits must learn of a message whose answer was lost, though its sender
// has gone and nobody posts any more.
func TestReadersSettleDoubts(t *testing.T) {
	_, log, a, p := begun(t)
	log.fail(nil, errLost)
	mustFail(t, a, p.next())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := a.Wait(ctx, p.id(), 1); err != nil {
		t.Fatalf("waiting: %v", err)
	}
	if n := len(entries(t, a, p.id())); n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
}

// What the log refused on the first try is not in it: nobody else's post may
// bring it there, and another message may take its place. On a second try the
// same refusal says nothing about the first.
func TestRefusedIsNotInDoubt(t *testing.T) {
	for _, refusal := range []error{tlog.ErrReadOnly, tlog.ErrBusy, tlog.ErrEmpty} {
		m, log, a, p := begun(t)
		log.fail(refusal, nil)
		if err := mustFail(t, a, p.key(0)); !errors.Is(err, refusal) {
			t.Fatal(err)
		}
		if got := post(t, a, p.key(1)); got.N != 1 || size(t, m) != 2 {
			t.Errorf("%v: then another message is number %d, and the log has %d entries", refusal, got.N, size(t, m))
		}
		m, log, a, p = begun(t)
		log.fail(nil, errLost)
		mustFail(t, a, p.key(0))
		log.fail(refusal, nil)
		mustFail(t, a, p.key(0))
		if _, ok := errors.AsType[*admission.Conflict](mustFail(t, a, p.key(1))); !ok || size(t, m) != 2 {
			t.Errorf("%v on a second try: the first is forgotten; the log has %d entries", refusal, size(t, m))
		}
	}
}

// A table whose genesis entry got into the log, while its answer was lost, is
// there for everybody.
func TestDoubtfulGenesis(t *testing.T) {
	for name, c := range map[string]struct {
		before, after error
		again         bool
	}{"taken": {nil, errLost, true}, "not taken": {errLost, nil, false}, "refused": {tlog.ErrBusy, nil, false}} {
		m := newMemory(t)
		log := &shaky{Log: m}
		a := open(t, log, admission.Options{})
		p, q := newParty(t, wire.RefuseFouls), newParty(t, wire.RefuseFouls)
		log.fail(c.before, c.after)
		mustFail(t, a, p.genesis())
		if got := post(t, a, p.genesis()); got.Again != c.again || got.Receipt.Index != 0 {
			t.Errorf("%s, posted again: again %v, index %d", name, got.Again, got.Receipt.Index)
		}
		log.fail(c.before, c.after)
		mustFail(t, a, q.genesis())
		_, err := a.Post(t.Context(), q.next())
		if _, unknown := errors.AsType[*admission.UnknownTableError](err); unknown != (name == "refused") {
			t.Errorf("%s: a message to it: %v", name, err)
		}
	}
}

// The same bytes are not "again" because they were tried before, but because
// the log had them.
func TestAgainIsWhatTheLogHad(t *testing.T) {
	for _, taken := range []bool{true, false} {
		_, log, a, p := begun(t)
		if taken {
			log.fail(nil, errLost)
		} else {
			log.fail(errLost, nil)
		}
		m := p.next()
		mustFail(t, a, m)
		if got := post(t, a, m); got.Again != taken || got.N != 1 {
			t.Errorf("taken the first time %v: again %v, number %d", taken, got.Again, got.N)
		}
	}
}

// A message that the log holds before what it builds on can never be played: its
// sender is told so, and nobody else is held up.
func TestMisplacedInTheLog(t *testing.T) {
	_, log, _, p := begun(t)
	early := p.key(0)
	moved := newMemory(t)
	moved.put(early)
	moved.put(p.genesis())
	log.Log = moved
	a := open(t, log, admission.Options{})
	for range 2 {
		refusal, ok := errors.AsType[*admission.Refusal](mustFail(t, a, early))
		if !ok || refusal.Fault.Class != table.Void {
			t.Errorf("%v, want a refusal that blames nobody", refusal)
		}
	}
	log.fail(nil, errLost)
	mustFail(t, a, early)
	if got := post(t, a, p.key(1)); got.N != 1 {
		t.Errorf("another message is number %d", got.N)
	}
}
