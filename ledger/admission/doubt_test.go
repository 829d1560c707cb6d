package admission_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

var (
	errLost   = errors.New("connection lost")
	errPanics = errors.New("the log panics")
)

// begun returns a table that has just begun, and its log, which can be made to fail.
func begun(t *testing.T, fouls wire.Fouls, o admission.Options) (*memory, *shaky, *admission.Admission, *party) {
	t.Helper()
	m := newMemory(t)
	s := &shaky{Log: m}
	a := open(t, s, o)
	p := newParty(t, fouls)
	post(t, a, p.genesis())
	return m, s, a, p
}

// failure is how an append fails, before the log has the entry or after.
type failure struct {
	before, after error
	doubted       bool // by whoever posted it: the log may have the entry
	again         bool // the log has it
}

var failures = map[string]failure{
	"not taken":    {before: errLost, doubted: true},
	"taken":        {after: context.DeadlineExceeded, doubted: true, again: true},
	"panic before": {before: errPanics, doubted: true},
	"panic after":  {after: errPanics, doubted: true, again: true},
	"read-only":    {before: tlog.ErrReadOnly},
	"busy":         {before: tlog.ErrBusy},
	"empty":        {before: tlog.ErrEmpty},
}

// of posts an entry and has the log fail.
func (f failure) of(t *testing.T, log *shaky, a *admission.Admission, entry []byte) {
	t.Helper()
	log.fail(f.before, f.after)
	want := cmp.Or(f.before, f.after)
	if err := mustFail(t, a, entry); !errors.Is(err, want) && (want != errPanics || !strings.Contains(err.Error(), "panicked")) {
		t.Fatal(err)
	}
}

// A table must not move on what the log did not take. If it forgot what the log perhaps took, the next message on
// the same parent would be promised and void: until that is known it stands still. What the log refused on the
// first try is not in it, and another message may take its place; on a second try the same refusal says nothing
// about the first. The same bytes are "again" not because they were tried before, but because the log had them.
func TestAppendFails(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			_, log, a, p := begun(t, wire.RefuseFouls, admission.Options{})
			f.of(t, log, a, p.key(0))
			if !f.doubted && len(entries(t, a, p.id())) != 1 {
				t.Error("after a failed append the table has more than the genesis entry")
			}
			if got := post(t, a, p.key(0)); got.Again != f.again || got.N != 1 || got.Receipt.Index != 1 {
				t.Errorf("posted again as %+v", got)
			}

			m, log, a, p := begun(t, wire.RefuseFouls, admission.Options{})
			f.of(t, log, a, p.key(0))
			if !f.doubted {
				if got := post(t, a, p.key(1)); got.N != 1 || size(t, m) != 2 {
					t.Errorf("then another message is number %d, and the log has %d entries", got.N, size(t, m))
				}
			} else {
				f.of(t, log, a, p.key(1))
				isDoubted(t, m, a, p)
			}

			m, log, a, p = begun(t, wire.RefuseFouls, admission.Options{})
			failures["taken"].of(t, log, a, p.key(0))
			f.of(t, log, a, p.key(0))
			isDoubted(t, m, a, p)
		})
	}
}

// isDoubted checks that the first message of seat 0, whose answer was lost, is not forgotten.
func isDoubted(t *testing.T, m *memory, a *admission.Admission, p *party) {
	t.Helper()
	lost := p.key(0)
	conflict, ok := errors.AsType[*admission.Conflict](mustFail(t, a, p.key(1)))
	if !ok || conflict.Head != wire.HashEntry(lost) {
		t.Fatalf("a rival: %v, want a conflict with head %v", conflict, wire.HashEntry(lost))
	}
	if got := post(t, a, lost); !got.Again || got.N != 1 || size(t, m) != 2 {
		t.Errorf("the lost one again: %+v, %d entries in the log", got, size(t, m))
	}
}

// A table whose genesis entry got into the log, while its answer was lost, is
// there for everybody.
func TestDoubtfulGenesis(t *testing.T) {
	for name, f := range failures {
		log := &shaky{Log: newMemory(t)}
		a := open(t, log, admission.Options{})
		p, q := newParty(t, wire.RefuseFouls), newParty(t, wire.RefuseFouls)
		f.of(t, log, a, p.genesis())
		if got := post(t, a, p.genesis()); got.Again != f.again || got.Receipt.Index != 0 {
			t.Errorf("%s, posted again: again %v, index %d", name, got.Again, got.Receipt.Index)
		}
		f.of(t, log, a, q.genesis())
		_, err := a.Post(t.Context(), q.next())
		if _, unknown := errors.AsType[*admission.UnknownTableError](err); unknown == f.doubted {
			t.Errorf("%s: a message to it: %v", name, err)
		}
	}
}

// Who waits, since before or since after the answer was lost, must learn of a message, though its sender
// has gone and nobody posts any more.
func TestReadersSettleDoubts(t *testing.T) {
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			_, log, a, p := begun(t, wire.RefuseFouls, admission.Options{})
			woken := make(chan error)
			wait := func() { woken <- a.Wait(t.Context(), p.id(), 1) }
			if !late {
				go wait()
				synctest.Wait()
			}
			failures["taken"].of(t, log, a, p.next())
			if late {
				go wait()
			}
			testmust.Do(t, <-woken)
			testmust.Equal(t, len(entries(t, a, p.id())), 2, "entries")
		})
	}
}

// A message that the log holds before what it builds on can never be played: its
// sender is told so, and nobody else is held up.
func TestMisplacedInTheLog(t *testing.T) {
	_, log, _, p := begun(t, wire.RefuseFouls, admission.Options{})
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
