package admission_test

import (
	"errors"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/table"
	playing "github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/table/tabletest/highcard"
	"github.com/pakli/pakli/protocol/wire"
)

// A server that refuses fouls, and with them the disclosure that shows one: the evidence
// must be in the log, and the table over, for this server and for the next. A lock that is
// none it refuses, and the seat still owes the true one.
func TestDisclosureIsNotRefused(t *testing.T) {
	log := newMemory(t)
	locked := testmust.Have(tabletest.New(playing.Of(highcard.Rules{}), tabletest.Config{Seats: 4, Fouls: wire.RefuseFouls, Suite: clear.Deferred{}}, 1))(t)
	p := &party{locked, t}
	games := p.Catalogue()
	a := testmust.Have(admission.Open(t.Context(), log, games, admission.Options{}))(t)
	post(t, a, p.genesis())
	lied, refused := false, false
	for len(p.State.Duties()) > 0 {
		m := p.next()
		e := parse(t, m).Message
		switch {
		case e.Kind == table.Show && !lied:
			lied = true
			m = p.forge(m, func(m *wire.Message) {
				var b wire.TokensBody
				testmust.Do(t, wire.DecodeBody(m.Body, &b))
				b.Tokens[0], b.Tokens[1] = b.Tokens[1], b.Tokens[0]
				m.Body, _ = wire.EncodeBody(b)
			})
		case e.Kind == table.Disclose && !refused:
			refused = true
			another := p.forge(m, func(m *wire.Message) {
				var b wire.DiscloseBody
				testmust.Do(t, wire.DecodeBody(m.Body, &b))
				b.Deals[0].Lock[31] ^= 1
				m.Body, _ = wire.EncodeBody(b)
			})
			if refusal, ok := errors.AsType[*admission.Refusal](mustFail(t, a, another)); !ok || refusal.Fault.Check != table.CheckLock {
				t.Errorf("another lock: %v", refusal)
			}
		}
		if got := post(t, a, m); got.Fault != nil {
			t.Fatalf("posted as %+v", got)
		}
		p.applied(m)
	}
	if !lied || !refused {
		t.Fatal("the test is built wrong")
	}
	want := p.State.Foul()
	for range 2 {
		got := testmust.Have(a.Table(t.Context(), p.id()))(t)
		f := got.State.Foul()
		if f == nil || f.Check != table.CheckStep || f.Seat != want.Seat || f.Entry != want.Entry || len(got.State.Duties()) > 0 {
			t.Errorf("the table ended by %v, want %v", f, want)
		}
		if refusal, ok := errors.AsType[*admission.Refusal](mustFail(t, a, p.forge(p.Entries[len(p.Entries)-1], func(m *wire.Message) { m.Parent = p.State.Head() }))); !ok || refusal.Fault.Check != table.CheckOpen {
			t.Errorf("after the end: %v", refusal)
		}
		a = testmust.Have(admission.Open(t.Context(), log, games, admission.Options{}))(t)
	}
}
