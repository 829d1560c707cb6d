package admission_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	playing "github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

func mustFail(t testing.TB, a *admission.Admission, entry []byte) error {
	t.Helper()
	if p, err := postAs(t.Context(), a, entry); err != nil {
		return err
	} else {
		t.Errorf("posted as %+v", p)
	}
	return nil
}

// A foul at a table that records fouls ends it, there and after a restart.
func TestFoulRecorded(t *testing.T) {
	log, _, a, p := begun(t, wire.RecordFouls, admission.Options{})
	m := p.key(0)
	post(t, a, m)
	p.applied(m)
	fair := p.key(1)
	foul := p.foul(fair)
	got := post(t, a, foul)
	testmust.Requiref(t, got.Fault != nil && got.Fault.Class == table.Foul && got.Fault.Seat == 1 && got.Head == p.State.Head(), "foul posted as %+v", got)
	for _, a := range []*admission.Admission{a, open(t, log, admission.Options{})} {
		state := testmust.Have(a.Table(t.Context(), p.id()))(t)
		f := state.State.Foul()
		testmust.Holdf(t, f != nil && f.Check == table.CheckOwnership && f.Seat == 1, "table ended with %v", f)
		refusal, ok := errors.AsType[*admission.Refusal](mustFail(t, a, fair))
		testmust.Holdf(t, ok && refusal.Fault.Check == table.CheckOpen, "after the end: %v", refusal)
		again := post(t, a, foul)
		testmust.Holdf(t, again.Again && again.Fault != nil && again.Receipt.Index == got.Receipt.Index, "foul again: %+v", again)
	}
}

// A restart must find every table as it was, whatever else is in the log.
func TestRebuild(t *testing.T) {
	log := newMemory(t)
	a := open(t, log, admission.Options{})
	p, q := newParty(t, wire.RefuseFouls), newParty(t, wire.RefuseFouls)
	early := q.next()
	log.put(early) // before its table begins: of no table
	post(t, a, p.genesis())
	post(t, a, q.genesis())
	log.put([]byte("rubbish"))
	log.put(nil)
	var stale []byte
	for range 12 {
		m := p.next()
		post(t, a, m)
		if stale == nil {
			stale = p.foul(m) // signed, on a parent that is not the head any more
			log.put(stale)
		}
		p.applied(m)
		log.put(m[:len(m)-2])                   // begins like a message
		log.put(append(bytes.Clone(m), "x"...)) // and so does this
	}
	log.put(p.genesis()) // repeated
	unplayable := p.otherwise(func(g *wire.Genesis) { g.Game = "solitaire/v1" })
	log.put(unplayable)
	_, stranger := ledgertest.NewKey(t, "organiser", tlog.Ed25519)
	unsigned := p.otherwise(func(g *wire.Genesis) { g.Organiser = stranger.Verifier().String() })
	log.put(unsigned)

	b := open(t, log, admission.Options{})
	got := testmust.Have(b.Table(t.Context(), p.id()))(t)
	testmust.Holdf(t, got.State.Head() == p.State.Head() && got.State.CountApplied() == 12,
		"head %v after %d messages, want %v after 12", got.State.Head(), got.State.CountApplied(), p.State.Head())
	void := 0
	for n, e := range entries(t, b, p.id()) {
		testmust.Holdf(t, e.N == n && e.Hash == wire.HashEntry(e.Bytes), "entry %d is %+v", n, e.Entry)
		if e.Fault != nil {
			void++
			testmust.Equal(t, e.Fault.Class, table.Void, "entry", n, e.Fault)
		}
	}
	if void != 2 { // the stale message and the genesis entry repeated
		t.Errorf("%d void entries, want 2", void)
	}
	_, err := b.Table(t.Context(), wire.HashEntry(unplayable))
	testmust.FailSaying(t, err, "unknown game", "an unplayable table can be shown")
	_, err = b.Table(t.Context(), wire.HashEntry(unsigned))
	testmust.Fail(t, err, "an unsigned table can be shown")
	wantAgain(t, b, p, log.key)
	m := p.next()
	testmust.Equal(t, post(t, b, m).N, 15, "next message is number")
	again := post(t, b, stale)
	testmust.Holdf(t, again.Again && again.Fault != nil, "a void entry posted again: %+v", again)
	testmust.FailSaying(t, mustFail(t, b, early), "before entry", "a message that the log holds in another place")
	if q, err := b.Table(t.Context(), q.id()); err != nil || q.State.CountApplied() != 0 {
		t.Errorf("its table: %v, %v", q, err)
	}
}

// A player that waits must wake for news, and for nothing else.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, a, p := begun(t, wire.RefuseFouls, admission.Options{})
		testmust.Do(t, a.Wait(t.Context(), admission.Subject{ID: p.id()}, 0))
		woken, id := make(chan error, 1), p.id()
		go func() { woken <- a.Wait(t.Context(), admission.Subject{ID: id}, 2) }()
		m := p.next()
		post(t, a, m)
		p.applied(m)
		synctest.Wait()
		if len(woken) > 0 {
			t.Fatalf("woken by entry 1: %v", <-woken)
		}
		post(t, a, p.next())
		testmust.Do(t, <-woken)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		testmust.FailBy(t, a.Wait(ctx, admission.Subject{ID: p.id()}, 3), context.DeadlineExceeded, "waited for nothing")
		testmust.Fail(t, a.Wait(t.Context(), admission.Subject{ID: wire.Hash{}}, 0), "waited for no table")
	})
}

// Many who wait, at more tables than are kept in memory, must not make the server
// replay them each time.
func TestWaitReplaysNothing(t *testing.T) {
	w := &watchman{}
	a := open(t, newMemory(t), admission.Options{Live: 1, Gate: w})
	parties := []*party{newParty(t, wire.RefuseFouls), newParty(t, wire.RefuseFouls)}
	for _, p := range parties {
		post(t, a, p.genesis())
		post(t, a, p.key(0))
	}
	came := len(w.came)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		for _, p := range parties {
			testmust.FailBy(t, a.Wait(over, admission.Subject{ID: p.id()}, 2), context.Canceled)
			testmust.Do(t, a.Wait(over, admission.Subject{ID: p.id()}, 1))
		}
	}
	testmust.Equal(t, len(w.came)-came, 0, "replays")
}

// Tables beyond the bound must come back as they were, and a list must show every table once, page by page.
func TestForget(t *testing.T) {
	log := newMemory(t)
	a := open(t, log, admission.Options{Live: 1})
	parties := map[wire.Hash]*party{}
	for range 5 {
		p := play(t, a, 0)
		parties[p.id()] = p
	}
	for range 4 {
		for _, p := range parties {
			m := p.next()
			post(t, a, m)
			p.applied(m)
		}
	}
	for _, a := range []*admission.Admission{a, open(t, log, admission.Options{})} {
		seen := map[wire.Hash]bool{}
		from := uint64(0)
		for page := a.Tables(from, 2); len(page) > 0; page = a.Tables(from, 2) {
			for _, s := range page {
				testmust.Requiref(t, parties[s.ID] != nil && !seen[s.ID] && s.Game == "schwarzer-peter/v1", "listed %+v", s)
				testmust.Equal(t, testmust.Have(a.Table(t.Context(), s.ID))(t, "head").State.Head(), parties[s.ID].State.Head(), "head")
				seen[s.ID], from = true, s.Index+1
			}
		}
		testmust.Equal(t, len(seen), len(parties), "tables listed")
	}
}

// A server that refuses fouls, and with them the disclosure that shows one: the evidence
// must be in the log, and the table over, for this server and for the next. A lock that is
// none it refuses, and the seat still owes the true one.
func TestDisclosureIsNotRefused(t *testing.T) {
	log := newMemory(t)
	locked := testmust.Have(tabletest.New(playing.NewGame(tabletest.PlainHighCard{}), tabletest.Config{Seats: 4, Fouls: wire.RefuseFouls, Suite: clear.DeferredSuite{}}, 1))(t)
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
			refusal, ok := errors.AsType[*admission.Refusal](mustFail(t, a, another))
			testmust.Holdf(t, ok && refusal.Fault.Check == table.CheckLock, "another lock: %v", refusal)
		}
		got := post(t, a, m)
		testmust.Requiref(t, got.Fault == nil, "posted as %+v", got)
		p.applied(m)
	}
	testmust.Require(t, lied && refused, "the test is built wrong")
	want := p.State.Foul()
	for range 2 {
		got := testmust.Have(a.Table(t.Context(), p.id()))(t)
		f := got.State.Foul()
		testmust.Holdf(t, f != nil && f.Check == table.CheckStep && f.Seat == want.Seat && f.Entry == want.Entry && len(got.State.Duties()) == 0,
			"the table ended by %v, want %v", f, want)
		if refusal, ok := errors.AsType[*admission.Refusal](mustFail(t, a, p.forge(p.Entries[len(p.Entries)-1], func(m *wire.Message) { m.Parent = p.State.Head() }))); !ok || refusal.Fault.Check != table.CheckOpen {
			t.Errorf("after the end: %v", refusal)
		}
		a = testmust.Have(admission.Open(t.Context(), log, games, admission.Options{}))(t)
	}
}
