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

// watchman is a gate that writes down who came, and who pays.
type watchman struct {
	closed error
	came   []string
}

func (w *watchman) Enter(_ context.Context, work admission.Work) (func(admission.Outcome), error) {
	if w.closed != nil {
		return nil, w.closed
	}
	name, _, _ := strings.Cut(work.Key, "+")
	return func(o admission.Outcome) {
		w.came = append(w.came, name+[]string{"", " right", " wrong"}[o])
	}, nil
}

func (w *watchman) Look(context.Context, admission.Work) error { return w.closed }

// A seat must pay for its own wrong proofs, and for nothing that others forge;
// and what cannot pass must not wait among what takes long to check.
func TestGate(t *testing.T) {
	w := &watchman{}
	_, _, a, p := begun(t, wire.RefuseFouls, admission.Options{Gate: w})
	due := p.key(0)
	post(t, a, p.genesis()) // again
	seat, _, _ := strings.Cut(p.State.Genesis().Seats[0], "+")
	organiser, _, _ := strings.Cut(p.State.Genesis().Organiser, "+")
	mustFail(t, a, p.foul(due))
	bySeat1 := parse(t, due).Message
	mustFail(t, a, testmust.Have(wire.Sign(bySeat1, p.Hands[1].Signer))(t))
	mustFail(t, a, p.forge(due, func(m *wire.Message) { m.Parent = wire.Hash{2} }))
	mustFail(t, a, p.forge(due, func(m *wire.Message) { m.Seat = 9 }))
	post(t, a, due)
	post(t, a, due) // again
	want := []string{organiser + " right", seat + " wrong", seat, seat + " right"}
	got := strings.Join(w.came, ", ")
	testmust.Holdf(t, got == strings.Join(want, ", "), "came %q, want %q", got, want)
	w.closed = errors.New("come again later")
	p.applied(due)
	testmust.FailBy(t, mustFail(t, a, p.key(1)), w.closed, "closed")
	if got := mustFail(t, a, p.forge(due, func(m *wire.Message) { m.Parent = wire.Hash{2} })); errors.Is(got, w.closed) {
		t.Error("a stale message waited for the gate")
	}
}

// The same wrong bytes must be checked once, however often they come; others
// must be checked; and what was remembered must not keep a right one out.
func TestWrongBytesAreCheckedOnce(t *testing.T) {
	w := &watchman{}
	_, _, a, p := begun(t, wire.RefuseFouls, admission.Options{Gate: w})
	due := p.key(0)
	var first error
	for range 3 {
		err := mustFail(t, a, p.foul(due))
		e, ok := errors.AsType[*admission.Refusal](err)
		testmust.Holdf(t, ok && e.Fault.Class == table.Foul && (first == nil || err.Error() == first.Error()), "got %v, at first %v", err, first)
		first = err
	}
	if len(w.came) != 2 { // one was for the genesis entry
		t.Errorf("three times the same: came %q", w.came)
	}
	mustFail(t, a, p.forge(due, func(m *wire.Message) { m.Proofs[0][1] ^= 1 }))
	testmust.Equal(t, len(w.came), 3, "another one: came", w.came)
	post(t, a, due)
	e, ok := errors.AsType[*admission.Conflict](mustFail(t, a, p.foul(due)))
	testmust.Holdf(t, ok, "when play has moved on: %v", e)
}

// What is remembered of wrong bytes must have an end, and be of the latest.
func TestWrongBytesAreForgotten(t *testing.T) {
	least, most := admission.RememberWrong(50_000)
	testmust.Holdf(t, least >= 2000 && most <= 5000, "the latest %d are remembered, and %d in all", least, most)
}

// A long message that its seat has not signed, or does not owe, must not wait
// among what takes long to check.
func TestLongVoidMessagesDoNotWait(t *testing.T) {
	b := newBulky(t, wire.RefuseFouls)
	w := &watchman{closed: errors.New("come again later")}
	a := testmust.Have(admission.Open(t.Context(), b.log, b.party.Catalogue(), admission.Options{Gate: w, Blobs: b.shelf}))(t)
	w.closed = nil
	testmust.Have(a.Table(t.Context(), b.party.id()))(t) // replayed
	w.closed = errors.New("come again later")
	for name, parcel := range map[string][]byte{
		"a stranger's": testmust.Have(wire.Sign(parse(t, b.shuffle).Message, b.party.Organiser))(t),
		"not due":      testmust.Have(b.party.Forge(b.shuffle, func(m *wire.Message) { m.Kind = table.Give }))(t),
	} {
		err := mustFail(t, a, parcel)
		testmust.Holdf(t, !errors.Is(err, w.closed), "%s waited for the gate", name)
	}
	testmust.FailBy(t, mustFail(t, a, b.shuffle), w.closed, "a due one")
	_, err := a.Expects(t.Context(), parse(t, b.shuffle))
	testmust.FailBy(t, err, w.closed, "its blob would be read")
	w.closed = nil
	post(t, a, b.shuffle)
	w.closed = errors.New("come again later")
	b.shelf.blobs = nil
	blobs, err := a.Expects(t.Context(), parse(t, b.shuffle))
	testmust.Holdf(t, blobs && err == nil, "one in the log, whose blob has been lost: %v, %v", blobs, err)
}

// A foul that the log did not take when it was found must be recorded with its
// blob the second time too, or nobody can judge it.
func TestRememberedFoulsKeepTheirBlobs(t *testing.T) {
	b := newBulky(t, wire.RecordFouls)
	wrong := testmust.Have(b.party.Forge(b.shuffle, func(m *wire.Message) { m.Proofs[0][0] ^= 1 }))(t)
	b.shelf.err = errors.New("no room")
	mustFail(t, b.Admission, wrong)
	entry, _ := wire.CutParcel(wrong)
	_, ok := errors.AsType[*admission.FormError](mustFail(t, b.Admission, entry))
	testmust.Hold(t, ok, "recorded without its blob")
	if got := post(t, b.Admission, wrong); got.Fault == nil || got.Fault.Check != table.CheckShuffle || len(b.shelf.blobs) != 1 {
		t.Errorf("%v, %d blobs kept", got.Fault, len(b.shelf.blobs))
	}
}

// Who is no organiser here must begin no table, and every organiser may ask for
// what it has begun.
func TestOrganisers(t *testing.T) {
	p, q := newParty(t, wire.RefuseFouls), newParty(t, wire.RefuseFouls)
	allowed := map[string]bool{p.State.Genesis().Organiser: true}
	log := newMemory(t)
	a := open(t, log, admission.Options{Organiser: func(key string) bool { return allowed[key] }})
	post(t, a, p.genesis())
	e, ok := errors.AsType[*admission.OrganiserError](mustFail(t, a, q.genesis()))
	testmust.Holdf(t, ok && e.Table == q.id(), "a stranger: %v", e)
	testmust.Equal(t, size(t, log), 1, "entries")
	clear(allowed)
	got := post(t, a, p.genesis())
	testmust.Hold(t, got.Again, "an old table of a former organiser is not known again")
	post(t, a, p.key(0)) // and is played
}

var (
	errLost   = errors.New("connection lost")
	errPanics = errors.New("the log panics")
)

// begun returns a table that has just begun, and its log, which can be made to fail.
func begun(t *testing.T, fouls wire.FoulRule, o admission.Options) (*memory, *shaky, *admission.Admission, *party) {
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
	err := mustFail(t, a, entry)
	testmust.Require(t, errors.Is(err, want) || want == errPanics && strings.Contains(err.Error(), "panicked"), err)
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
			testmust.Hold(t, f.doubted || len(entries(t, a, p.id())) == 1, "after a failed append the table has more than the genesis entry")
			got := post(t, a, p.key(0))
			testmust.Holdf(t, got.Again == f.again && got.N == 1 && got.Receipt.Index == 1, "posted again as %+v", got)

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
		got := post(t, a, p.genesis())
		testmust.Holdf(t, got.Again == f.again && got.Receipt.Index == 0, "%s, posted again: again %v, index %d", name, got.Again, got.Receipt.Index)
		f.of(t, log, a, q.genesis())
		_, err := postAs(t.Context(), a, q.next())
		_, unknown := errors.AsType[*admission.UnknownError](err)
		testmust.Holdf(t, unknown != f.doubted, "%s: a message to it: %v", name, err)
	}
}

// Who waits, since before or since after the answer was lost, must learn of a message, though its sender
// has gone and nobody posts any more.
func TestReadersSettleDoubts(t *testing.T) {
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			_, log, a, p := begun(t, wire.RefuseFouls, admission.Options{})
			woken := make(chan error)
			wait := func() { woken <- a.Wait(t.Context(), admission.Subject{ID: p.id()}, 1) }
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
		testmust.Holdf(t, ok && refusal.Fault.Class == table.Void, "%v, want a refusal that blames nobody", refusal)
	}
	log.fail(nil, errLost)
	mustFail(t, a, early)
	testmust.Equal(t, post(t, a, p.key(1)).N, 1, "another message is number")
}
