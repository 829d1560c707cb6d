package admission_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// ends are front ends of one log.
type ends struct {
	t        testing.TB
	key      ledger.Key
	order    *ledgertest.Order
	register *ledgertest.Register
	stores   ledgertest.Stores
}

func newEnds(t testing.TB) *ends {
	t.Helper()
	key := testmust.Have(ledger.CreateKey(t.TempDir(), "log.example", rand.Reader))(t)
	return &ends{t: t, key: key, order: ledgertest.NewOrder(), register: ledgertest.NewRegister()}
}

// log opens the log of another front end.
func (e *ends) log() *ledger.Ledger {
	e.t.Helper()
	dir := e.t.TempDir()
	o := ledger.Options{Signer: e.key.Signer, Store: &e.stores, Order: e.order, Register: e.register, Follows: "test", Poll: 10 * time.Millisecond}
	testmust.Do(e.t, ledger.Create(dir, o))
	l := testmust.Have(ledger.Open(dir, o))(e.t)
	e.t.Cleanup(func() { l.Close() })
	return l
}

// end is another front end.
func (e *ends) end(c table.Catalogue) *admission.Admission {
	e.t.Helper()
	return e.bounded(c, admission.Options{})
}

// bounded is another front end that bounds its callers.
func (e *ends) bounded(c table.Catalogue, o admission.Options) *admission.Admission {
	e.t.Helper()
	l := e.log()
	o.Shared, o.Blobs, o.AppendTime = true, l, 20*time.Second
	return testmust.Have(admission.Open(e.t.Context(), l, c, o))(e.t)
}

// together posts an entry at each front end, so that all are handed to the log before it has any of them, and
// returns the errors.
func (e *ends) together(at []*admission.Admission, entries ...[]byte) []error {
	e.t.Helper()
	e.order.HoldEntries()
	failed := make([]error, len(entries))
	var all sync.WaitGroup
	var early atomic.Int64
	for i, entry := range entries {
		all.Go(func() { _, failed[i] = postAs(e.t.Context(), at[i], entry); early.Add(1) })
	}
	testmust.Until(e.t, "the entries to be handed in", func() bool { return e.order.HeldCount() == len(entries) || early.Load() > 0 })
	e.order.ReleaseHeld()
	all.Wait()
	return failed
}

// A server that refuses an honest game, or answers before the log has promised; and a game that two front ends let
// in by turns: a message refused because the one before it was posted elsewhere, or front ends that come to
// different tables.
func TestPlayToTheEnd(t *testing.T) {
	alone, e := newMemory(t), newEnds(t)
	playToTheEnd(t, alone.key, open(t, alone, admission.Options{}))
	playToTheEnd(t, e.key.Verifier, e.end(catalogue), e.end(catalogue))
}

func playToTheEnd(t *testing.T, key note.Verifier, ends ...*admission.Admission) {
	t.Helper()
	p := newParty(t, wire.RefuseFouls)
	at := func(n int) *admission.Admission {
		a := ends[n%len(ends)]
		if len(ends) > 1 {
			testmust.Do(t, a.CatchUp(t.Context()))
		}
		return a
	}
	got := post(t, at(0), p.genesis())
	testmust.Holdf(t, got.N == 0 && got.Table == p.id() && !got.Again, "genesis posted as %+v", got)
	for n := 1; len(p.State.Duties()) > 0; n++ {
		m := p.next()
		got := post(t, at(n), m)
		p.applied(m)
		if err := got.Receipt.Verify(m, key); err != nil || got.N != n || got.Head != p.State.Head() || got.Hash != wire.HashEntry(m) || got.Fault != nil {
			t.Fatalf("message %d posted as %+v, %v", n, got, err)
		}
		again := post(t, at(n+1), m)
		testmust.Requiref(t, again.Again && again.Receipt.Index == got.Receipt.Index, "the same bytes again: %+v", again)
	}
	want, over := p.State.Result()
	for i := range ends {
		wantAgain(t, at(i), p, key)
		now := testmust.Have(at(i).Table(t.Context(), p.id()))(t)
		result, ok := now.State.Result()
		if !over || !ok || !slices.Equal(result, want) || now.State.Head() != p.State.Head() || now.Entries != p.State.CountApplied()+1 {
			t.Errorf("front end %d has the table at %v with %d entries, result %v, want %v", i, now.State.Head(), now.Entries, result, want)
		}
	}
}

// wantAgain posts the first entries of a table again, as a client does that has lost the answer: it must
// get what it was promised, and must not play twice.
func wantAgain(t *testing.T, a *admission.Admission, p *party, key note.Verifier) {
	t.Helper()
	for n, entry := range p.Entries[:2] {
		if again := post(t, a, entry); !again.Again || again.N != n || again.Head != p.State.Head() || again.Receipt.Verify(entry, key) != nil {
			t.Errorf("entry %d again: %+v, want head %v", n, again, p.State.Head())
		}
	}
}

// A seat that signs several messages on one parent, one for each front end: all are in the log, one of them is applied,
// and who came later is told so; each front end lets in one more than the table may have, and no second; the seat pays for each where it posted it; and nothing moves but by the first.
func TestRivalsOfOneSeat(t *testing.T) {
	for name, bound := range map[string]func(*admission.Options, int64){
		"entries": func(o *admission.Options, _ int64) { o.TableEntries = 5 },
		"bytes":   func(o *admission.Options, room int64) { o.TableBytes = room },
	} {
		t.Run(name, func(t *testing.T) {
			e, p := newEnds(t), newParty(t, wire.RecordFouls)
			for range 2 {
				p.applied(p.key(table.Seat(p.State.CountApplied())))
			}
			seat, rivals, room := p.State.Duties()[0].Seats[0], [][]byte{}, int64(0)
			for range 3 {
				m := testmust.Have(p.HonestMessage(seat, p.State.DutiesOf(seat)[0], nil))(t) // shuffled anew
				rivals = append(rivals, m)
				room = max(room, int64(len(m)))
			}
			for _, entry := range p.Entries {
				room += int64(len(entry))
			}
			var o admission.Options
			bound(&o, room)
			var fronts []*admission.Admission
			var gates []*watchman
			for range rivals {
				w := &watchman{}
				o.Gate = w
				fronts, gates = append(fronts, e.bounded(catalogue, o)), append(gates, w)
			}
			for _, entry := range p.Entries {
				post(t, fronts[0], entry)
			}
			for _, a := range fronts {
				testmust.Do(t, a.CatchUp(t.Context()))
			}
			var before [3]int
			for i, w := range gates {
				before[i] = len(w.came)
			}
			void := 0
			for i, err := range e.together(fronts, rivals...) {
				if c, ok := errors.AsType[*admission.Conflict](err); ok && c.Index != nil && c.Fault.Class == table.Void {
					void++
					again := post(t, fronts[i], rivals[i])
					testmust.Holdf(t, again.Again && again.Fault != nil && again.Fault.Class == table.Void && again.Receipt.Index == *c.Index,
						"the void bytes again: %+v", again)
				} else if err != nil {
					t.Errorf("at front end %d: %v", i, err)
				} else {
					p.applied(rivals[i])
				}
			}
			testmust.Equal(t, void, len(rivals)-1, "of", len(rivals), "are void")
			paid, _, _ := strings.Cut(p.State.HolderKey(seat), "+")
			for i, a := range append(fronts, e.bounded(catalogue, o)) {
				if i < len(gates) && !slices.Contains(gates[i].came[before[i]:], paid+" right") {
					t.Errorf("at front end %d paid %q", i, gates[i].came[before[i]:])
				}
				e.playedOnce(a, p, 3+len(rivals))
				full, ok := errors.AsType[*admission.FullError](mustFail(t, a, p.next()))
				testmust.Holdf(t, ok && full.ID == p.id(), "front end %d takes more: %v", i, full)
			}
			testmust.Equal(t, e.signedBy(p, seat, 3), len(rivals), "messages in the log are signed by the seat")
		})
	}
}

// playedOnce checks that at a front end a table has so many entries, of which one rival has moved it on.
func (e *ends) playedOnce(a *admission.Admission, p *party, entries int) {
	e.t.Helper()
	testmust.Do(e.t, a.CatchUp(e.t.Context()))
	now := testmust.Have(a.Table(e.t.Context(), p.id()))(e.t)
	if now.Entries != entries || now.State.CountApplied() != 3 || now.State.Head() != p.State.Head() || now.State.Foul() != nil {
		e.t.Errorf("%d entries, %d applied, foul %v", now.Entries, now.State.CountApplied(), now.State.Foul())
	}
}

// signedBy counts what the log has from one index on, all of which a seat must have signed.
func (e *ends) signedBy(p *party, seat table.Seat, from uint64) (n int) {
	e.t.Helper()
	v := testmust.Have(note.NewVerifier(p.State.HolderKey(seat)))(e.t)
	for l, err := range e.order.Leaves(e.t.Context(), from, uint64(e.order.Size())) {
		testmust.Do(e.t, err)
		testmust.Do(e.t, parse(e.t, l.Entry).Verify(v))
		n++
	}
	return n
}

// A table that stands still since a message was handed in at one front end and another one
// came first; and one that waits for proofs of others which nobody asked for.
func TestTurnIsGivenUp(t *testing.T) {
	e := newEnds(t)
	var armed atomic.Bool
	stuck := make(chan struct{})
	e.order.SetFault(func(at string) error {
		if at == "queue" && armed.CompareAndSwap(true, false) {
			close(stuck)
			return context.DeadlineExceeded // the first is not taken, and nobody knows
		}
		return nil
	})
	a, b := e.end(catalogue), e.end(catalogue)
	p := newParty(t, wire.RecordFouls)
	post(t, a, p.genesis())
	testmust.Do(t, b.CatchUp(t.Context()))
	first, rival := p.key(0), p.key(1)
	armed.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	lost := make(chan error, 1)
	go func() {
		_, err := postAs(ctx, a, first)
		lost <- err
	}()
	<-stuck
	post(t, b, rival)
	p.applied(rival)
	testmust.Do(t, a.CatchUp(t.Context()))
	post(t, a, p.next())
	err := <-lost
	conflict, ok := errors.AsType[*admission.Conflict](err)
	testmust.Holdf(t, ok && conflict.Index != nil, "the message that was handed in again: %v", err)
	cancel()
}

// Blobs that only one front end has.
func TestBlobsReachEveryFrontEnd(t *testing.T) {
	bulky := newBulky(t, wire.RefuseFouls)
	e := newEnds(t)
	a, b := e.end(bulky.party.Catalogue()), e.end(bulky.party.Catalogue())
	for _, entry := range append(bulky.party.Entries, bulky.shuffle) {
		post(t, a, entry)
	}
	testmust.Do(t, b.CatchUp(t.Context()))
	again := post(t, b, bulky.shuffle)
	testmust.Holdf(t, again.Again && again.Fault == nil, "elsewhere it is %+v", again)
}

// Registrations through two front ends, one of them twice; decisions that race.
func TestEventsAtTwoFrontEnds(t *testing.T) {
	e := newEnds(t)
	both := []*admission.Admission{e.end(catalogue), e.end(catalogue)}
	c := newClub(t)
	c.post(both[0], c.announcement(30))
	for _, a := range both {
		testmust.Do(t, a.CatchUp(t.Context()))
	}
	var wg sync.WaitGroup
	for i := range 10 {
		n := c.register(fmt.Sprintf("player-%d", i))
		wg.Go(func() { c.post(both[i%2], n) })
	}
	wg.Wait()
	for _, a := range both {
		testmust.Do(t, a.CatchUp(t.Context()))
	}
	rosters := []*bulletin.Entry{c.roster(both[0]), nil}
	parent := c.id
	body := bulletin.RemarkBody{Text: "another"}
	rosters[1] = c.decide(parent, bulletin.DecideRemark, body)
	e.order.HoldEntries()
	var results [2]error
	for i, a := range both {
		wg.Go(func() { _, results[i] = a.Post(t.Context(), rosters[i]) })
	}
	testmust.Until(t, "both rosters to be handed in", func() bool { return e.order.HeldCount() == 2 })
	e.order.ReleaseHeld()
	wg.Wait()
	lost := 0
	for _, err := range results {
		if refusal, ok := errors.AsType[*admission.EventRefusal](err); ok && refusal.Stale && refusal.Index != nil {
			lost++
		} else if err != nil {
			t.Error(err)
		}
	}
	var heads [2]wire.Hash
	for i, a := range both {
		testmust.Do(t, a.Event(t.Context(), c.id, func(h *event.History, _ []admission.Entry) { heads[i] = h.Head }))
	}
	testmust.Holdf(t, lost == 1 && heads[0] == heads[1] && heads[0] != parent, "%d lost, heads %v: %v", lost, heads, results)
}

// A front end that reads from the log what begins a table or an event while somebody posts it there again, and then knows
// nothing of it: what comes for it is not taken, also after a restart.
func TestBeginningIsPostedWhileItIsRead(t *testing.T) {
	e := newEnds(t)
	for name, begins := range map[string][]byte{"table": newParty(t, wire.RefuseFouls).genesis(), "event": newClub(t).announcement(30).Bytes()} {
		testmust.Hold(t, admission.PlaceDuringPost(t, e.end(catalogue), begins), name, "is unknown")
	}
}
