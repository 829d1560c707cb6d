package table_test

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// histories are finished tables, of every kind of duty, without secrets worth
// hiding.
var histories = sync.OnceValue(func() (list []*tabletest.Table) {
	for _, c := range []struct {
		game  table.Game
		seats int
		suite proof.Suite
	}{{whist, 3, nil}, {peter, 2, nil}, {lab, 3, nil}, {cards, 4, clear.DeferredSuite{}}, {cards, 4, clear.DeferredSuite{}}} {
		played := testmust.Need(tabletest.Play(c.game, tabletest.Config{Seats: c.seats, Suite: c.suite}, 1))
		list = append(list, played)
	}
	last := list[len(list)-1] // with a dispute in place of the first move
	n := slices.IndexFunc(last.States, func(s *table.State) bool { return len(s.Duties()) > 0 && s.Duties()[0].Kind == table.Move })
	last.Entries, last.States, last.State = last.Entries[:n+1], last.States[:n+1], last.States[n]
	seat := last.State.Duties()[0].Seats[0]
	entry, err := last.HonestMessage(seat, table.Duty{Kind: table.Dispute, Cards: last.State.DisputableCards(seat)[:1]}, nil)
	if err == nil {
		err = last.Add(entry)
	}
	if err == nil {
		err = last.Play(-1)
	}
	if err != nil {
		panic(err)
	}
	return list
})

// A message that its seat signed, with any body and proofs at any place, that
// panics, that changes the state though it is refused, or that is blamed on
// somebody else.
func FuzzApply(f *testing.F) {
	for which, played := range histories() {
		seen := map[wire.Kind]int{}
		for i, entry := range played.Entries[1:] {
			m := mustParse(entry).Message
			if seen[m.Kind]++; seen[m.Kind] <= 3 {
				p := []byte{}
				if len(m.Proofs) > 0 {
					p = m.Proofs[0]
				}
				f.Add(byte(which), uint16(i), byte(m.Seat), string(m.Kind), []byte(m.Body), byte(len(m.Proofs)), p)
			}
		}
	}
	for i, s := range histories()[2].States {
		if len(s.Duties()) == 1 && s.Duties()[0].Kind == table.Move {
			f.Add(byte(2), uint16(i), byte(0), "move", []byte(`{"move":{"claim":{"cards":[0,3],"faces":[7],"dealt":true}},"tokens":[]}`), byte(1), make([]byte, 64))
		}
	}
	f.Fuzz(func(t *testing.T, which byte, at uint16, seat byte, kind string, body []byte, n byte, p []byte) {
		played := histories()[int(which)%len(histories())]
		s := played.States[int(at)%len(played.States)]
		by := played.Hands[int(seat)%len(played.Hands)]
		m := &wire.Message{
			Format: wire.MessageFormat, Table: s.ID(), Parent: s.Head(),
			Seat: int(by.Seat), Kind: wire.Kind(kind), Body: json.RawMessage(body), Proofs: [][]byte{},
		}
		for range n % 4 {
			m.Proofs = append(m.Proofs, p)
		}
		if !json.Valid(body) {
			return
		}
		entry, err := wire.Sign(m, by.Signer)
		if err != nil {
			return
		}
		applied(t, s, entry, by.Seat)
	})
}

// Any bytes at any place.
func FuzzApplyEntry(f *testing.F) {
	for which, played := range histories() {
		for i := 0; i < len(played.Entries); i += 7 {
			f.Add(byte(which), uint16(i), played.Entries[i])
		}
	}
	f.Fuzz(func(t *testing.T, which byte, at uint16, entry []byte) {
		played := histories()[int(which)%len(histories())]
		e, err := wire.Parse(entry)
		if err != nil || e.Message == nil {
			return
		}
		applied(t, played.States[int(at)%len(played.States)], entry, table.Seat(e.Message.Seat))
	})
}

func applied(t *testing.T, s *table.State, entry []byte, signer table.Seat) {
	before := tabletest.Fingerprint(s)
	next, err := tabletest.Apply(s, entry)
	var fault *table.Fault
	switch {
	case err == nil && next.Head() != wire.HashEntry(entry):
		t.Error("applied, and is not the head")
	case err != nil && (!errors.As(err, &fault) || next != nil):
		t.Errorf("no fault: %v", err)
	case err != nil && fault.Class == table.Foul && fault.Seat != signer:
		t.Errorf("seat %d signed it: %v", signer, fault)
	}
	testmust.Equal(t, tabletest.Fingerprint(s), before, "the state changed")
}

func mustParse(entry []byte) *wire.Entry {
	return testmust.Need(wire.Parse(entry))
}

// leavings are states of a table that somebody may end: in play, stopped, paused, over.
var leavings = sync.OnceValue(func() *tabletest.Table {
	tb, err := tabletest.New(peter, tabletest.Config{Seats: 3, Deals: 2, Fouls: wire.WarnFouls, Ends: ends}, 1)
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(err)
	_, err = tb.PlayUntil(table.Move)
	must(err)
	must(tb.Add(tb.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})))
	expose, err := tb.Expose(0, tb.State.Hand(0)...)
	must(err)
	must(tb.Add(expose))
	must(tb.Add(tb.ActOf(1, wire.KindBack, wire.EmptyBody{})))
	h, reseat, err := tb.Substitute(2)
	must(err)
	must(tb.Add(reseat))
	must(tb.SitDown(h))
	must(tb.Play(12))
	must(tb.Add(tb.RulingAct(wire.KindPause, wire.EmptyBody{})))
	must(tb.Add(tb.RulingAct(wire.KindClose, wire.CloseBody{})))
	return tb
})

// freeLeavings are those of a table that nobody rules.
var freeLeavings = sync.OnceValue(func() *tabletest.Table {
	free := *ends
	free.SelfRuled = true
	tb, err := tabletest.New(peter, tabletest.Config{Seats: 3, Deals: 2, Ends: &free}, 1)
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(err)
	_, err = tb.PlayUntil(table.Move)
	must(err)
	leave := func() { must(tb.Add(tb.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))) }
	leave()
	must(tb.Add(tb.ActOf(1, wire.KindBack, wire.EmptyBody{})))
	leave()
	for _, seat := range []table.Seat{0, 2} {
		must(tb.Add(tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd})))
	}
	return tb
})

// An act that is signed, of any kind and with any body at any place, that panics, that
// changes the state though it is void, or that anybody is blamed for; one that is applied
// and leaves a state that cannot be looked at.
func FuzzAct(f *testing.F) {
	tables := []*tabletest.Table{leavings(), freeLeavings()}
	for which, tb := range tables {
		for i, entry := range tb.Entries {
			if a := mustParse(entry).Act; a != nil {
				for by := range byte(4) {
					f.Add(uint16(i-1), by|byte(which)<<7, string(a.Kind), []byte(a.Body), byte(len(a.Proofs)))
				}
			}
		}
	}
	for _, kind := range []wire.Kind{wire.KindAgree, wire.KindResign, wire.KindTimeout, wire.KindPause, wire.KindBack, wire.KindReseat} {
		f.Add(uint16(9), byte(kind[0]), string(kind), []byte(`{"to":"undo"}`), byte(0))
		f.Add(uint16(9), byte(kind[0]), string(kind), []byte(`{"scope":"deal"}`), byte(0))
	}
	f.Fuzz(func(t *testing.T, at uint16, by byte, kind string, body []byte, proofs byte) {
		tb := tables[by>>7]
		s := tb.States[int(at)%len(tb.States)]
		key, signer := s.Genesis().Organiser, tb.Organiser
		if n := int(by) % 4; n < 3 {
			key, signer = s.HolderKey(table.Seat(n)), tb.Hands[n].Signer
		}
		a := &wire.Act{Format: wire.ActFormat, Table: s.ID(), Parent: s.Head(), By: key, Kind: wire.Kind(kind), Body: body, Proofs: [][]byte{}}
		for range proofs % 3 {
			a.Proofs = append(a.Proofs, make([]byte, 64))
		}
		if !json.Valid(body) {
			return
		}
		entry, err := wire.Sign(a, signer)
		if err != nil {
			return
		}
		applied(t, s, entry, 0)
		next, err := tabletest.Apply(s, entry)
		var fault *table.Fault
		testmust.Holdf(t, err == nil || errors.As(err, &fault) && fault.Class == table.Void, "%v, want void", err)
		if err == nil {
			tabletest.Fingerprint(next)
			sums := next.Sheet().Sums(3)
			testmust.Holdf(t, len(sums) == 3 && sums[0]+sums[1]+sums[2] == 0, "the sheet sums to %v", sums)
		}
	})
}
