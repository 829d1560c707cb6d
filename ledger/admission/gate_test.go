package admission_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
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
	if got := strings.Join(w.came, ", "); got != strings.Join(want, ", ") {
		t.Errorf("came %q, want %q", got, want)
	}
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
		if e, ok := errors.AsType[*admission.Refusal](err); !ok || e.Fault.Class != table.Foul || first != nil && err.Error() != first.Error() {
			t.Errorf("got %v, at first %v", err, first)
		}
		first = err
	}
	if len(w.came) != 2 { // one was for the genesis entry
		t.Errorf("three times the same: came %q", w.came)
	}
	mustFail(t, a, p.forge(due, func(m *wire.Message) { m.Proofs[0][1] ^= 1 }))
	if len(w.came) != 3 {
		t.Errorf("another one: came %q", w.came)
	}
	post(t, a, due)
	if e, ok := errors.AsType[*admission.Conflict](mustFail(t, a, p.foul(due))); !ok {
		t.Errorf("when play has moved on: %v", e)
	}
}

// What is remembered of wrong bytes must have an end, and be of the latest.
func TestWrongBytesAreForgotten(t *testing.T) {
	if least, most := admission.RememberWrong(50_000); least < 2000 || most > 5000 {
		t.Errorf("the latest %d are remembered, and %d in all", least, most)
	}
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
		if err := mustFail(t, a, parcel); errors.Is(err, w.closed) {
			t.Errorf("%s waited for the gate", name)
		}
	}
	testmust.FailBy(t, mustFail(t, a, b.shuffle), w.closed, "a due one")
	_, err := a.Expects(t.Context(), parse(t, b.shuffle))
	testmust.FailBy(t, err, w.closed, "its blob would be read")
	w.closed = nil
	post(t, a, b.shuffle)
	w.closed = errors.New("come again later")
	b.shelf.blobs = nil
	if blobs, err := a.Expects(t.Context(), parse(t, b.shuffle)); !blobs || err != nil {
		t.Errorf("one in the log, whose blob has been lost: %v, %v", blobs, err)
	}
}

// A foul that the log did not take when it was found must be recorded with its
// blob the second time too, or nobody can judge it.
func TestRememberedFoulsKeepTheirBlobs(t *testing.T) {
	b := newBulky(t, wire.RecordFouls)
	wrong := testmust.Have(b.party.Forge(b.shuffle, func(m *wire.Message) { m.Proofs[0][0] ^= 1 }))(t)
	b.shelf.err = errors.New("no room")
	mustFail(t, b.Admission, wrong)
	entry, _ := wire.Cut(wrong)
	if _, ok := errors.AsType[*admission.FormError](mustFail(t, b.Admission, entry)); !ok {
		t.Error("recorded without its blob")
	}
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
	if e, ok := errors.AsType[*admission.OrganiserError](mustFail(t, a, q.genesis())); !ok || e.Table != q.id() {
		t.Errorf("a stranger: %v", e)
	}
	testmust.Equal(t, size(t, log), 1, "entries")
	clear(allowed)
	if got := post(t, a, p.genesis()); !got.Again {
		t.Error("an old table of a former organiser is not known again")
	}
	post(t, a, p.key(0)) // and is played
}
