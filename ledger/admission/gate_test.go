package admission_test

import (
	"context"
	"errors"
	"strings"
	"testing"

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

// A seat must pay for its own wrong proofs, and for nothing that others forge;
// and what cannot pass must not wait among what is dear to check.
func TestGate(t *testing.T) {
	w := &watchman{}
	a := open(t, newMemory(t), admission.Options{Gate: w})
	p := newParty(t, wire.RefuseFouls)
	post(t, a, p.genesis())
	due := p.key(0)
	post(t, a, p.genesis()) // again
	seat, _, _ := strings.Cut(p.State.Genesis().Seats[0], "+")
	organiser, _, _ := strings.Cut(p.State.Genesis().Organiser, "+")
	mustFail(t, a, p.foul(due))
	bySeat1 := parse(t, due).Message
	entry, err := wire.Sign(bySeat1, p.Hands[1].Signer)
	mustFail(t, a, must(t, entry, err))
	mustFail(t, a, p.forge(due, func(m *wire.Message) { m.Parent = wire.Hash{2} }))
	mustFail(t, a, p.forge(due, func(m *wire.Message) { m.Seat = 9 }))
	post(t, a, due)
	post(t, a, due) // again
	want := []string{organiser + " right", "", seat + " wrong", seat, seat + " right"}
	if got := strings.Join(w.came, ", "); got != strings.Join(want, ", ") {
		t.Errorf("came %q, want %q", got, want)
	}
	w.closed = errors.New("come again later")
	p.applied(due)
	if err := mustFail(t, a, p.key(1)); !errors.Is(err, w.closed) {
		t.Errorf("closed: %v", err)
	}
	if got := mustFail(t, a, p.forge(due, func(m *wire.Message) { m.Parent = wire.Hash{2} })); errors.Is(got, w.closed) {
		t.Error("a stale message waited for the gate")
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
	if got := size(t, log); got != 1 {
		t.Errorf("%d entries", got)
	}
	clear(allowed)
	if got := post(t, a, p.genesis()); !got.Again {
		t.Error("an old table of a former organiser is not known again")
	}
	post(t, a, p.key(0)) // and is played
}

// A table must not grow without end, nor forget how large it is, and a full one
// must still answer what it has.
func TestTablesAreBounded(t *testing.T) {
	p := newParty(t, wire.RefuseFouls)
	var messages [][]byte
	bytes := int64(len(p.genesis()))
	for range 3 {
		m := p.next()
		p.applied(m)
		messages = append(messages, m)
	}
	for _, m := range messages[:2] {
		bytes += int64(len(m))
	}
	for name, o := range map[string]admission.Options{
		"entries": {TableEntries: 3},
		"bytes":   {TableBytes: bytes},
	} {
		log := newMemory(t)
		a := open(t, log, o)
		for _, e := range append([][]byte{p.genesis()}, messages[:2]...) {
			post(t, a, e)
		}
		full := func(a *admission.Admission) {
			if e, ok := errors.AsType[*admission.FullError](mustFail(t, a, messages[2])); !ok || e.Table != p.id() {
				t.Errorf("%s: %v", name, e)
			}
		}
		full(a)
		full(open(t, log, o)) // after a start
		if got := post(t, a, messages[1]); !got.Again {
			t.Errorf("%s: what is there is not known again", name)
		}
		stale := p.forge(messages[1], func(m *wire.Message) { m.Parent = wire.Hash{2} })
		if e, ok := errors.AsType[*admission.Conflict](mustFail(t, a, stale)); !ok || e.Fault.Check != table.CheckParent {
			t.Errorf("%s: stale: %v", name, e)
		}
	}
}
