package cosign_test

import (
	"errors"
	"math/bits"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// present has a seat say where it is.
func (w *keeperWorld) present(seat table.Seat, head wire.Hash, state string) error {
	w.t.Helper()
	r := w.about(seat)
	p := keeper.Place{Table: w.State.ID(), Parent: head, Seat: int(seat)}
	w.Now = w.Now.Add(time.Second)
	r.Message = testmust.Have(exchange.SignPresence(p, state, w.Now, w.Hands[seat].Signer))(w.t)
	return testmust.ErrorOf(w.keeper.Present(r))
}

// A seat that was shown another history, whatever and however, and is timed out at a head that it has not come to; or one that could answer and
// does not, and is never late. Where it is counts for as long as it says so three times.
func TestSilenceOfOneElsewhere(t *testing.T) {
	const elsewhere = "not where it could answer"
	for what, c := range map[string]struct {
		state       string
		here        bool
		want, later string
	}{
		"at the head":                {exchange.Here, true, "", ""},
		"at another":                 {exchange.Here, false, elsewhere, ""},
		"lost at the head":           {exchange.Lost, true, elsewhere, ""},
		"gone for good":              {exchange.Leaves, true, "is not kept any more", "is not kept any more"},
		"resting in another history": {exchange.Rests, false, "may have been shown another history", "may have been shown another history"},
	} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		w.settle(late)
		head := w.State.Head()
		if !c.here {
			head = wire.Hash{1}
		}
		w.Now = w.Now.Add(time.Second)
		testmust.Do(t, w.present(late, head, c.state), what)
		w.silent(what, late, c.want)
		w.passed += 17 * time.Second
		w.silent(what+", and went", late, c.later)
		w.open()
		w.keeper.Silence(w.about(late)) // of a table that nobody asks about it reads nothing
		w.see()
		w.passed += 15 * time.Second
		w.silent(what+", after a restart", late, c.later)
	}
}

// A seat that comes to the head late, since the log has hidden it or something that it needs, and has no time left to answer.
func TestSeatThatComesToTheHead(t *testing.T) {
	for what, state := range map[string]string{"lost": exchange.Lost, "elsewhere": exchange.Here} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		w.settle(late)
		before := w.State.Head()
		if state == exchange.Here {
			before = wire.Hash{1}
		}
		testmust.Do(t, w.present(late, before, state))
		w.passed += 5 * time.Second
		for range 3 {
			testmust.Do(t, w.present(late, w.State.Head(), exchange.Here))
			w.silent(what, late, "for long enough that it could answer")
			w.passed += 5 * time.Second
		}
		testmust.Do(t, w.present(late, w.State.Head(), exchange.Here))
		w.silent(what+", after the grace", late, "")
	}
}

// Somebody else who says where a seat is, so that it is never late, or is; the same again later; and what is none.
func TestPresenceOfOthers(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, other := w.LateSeat()
	w.settle(late)
	r := w.about(late)
	p := keeper.Place{Table: w.State.ID(), Parent: wire.Hash{1}, Seat: int(late)}
	for what, state := range map[string]string{"lost": exchange.Lost, "goes": exchange.Leaves, "rests": exchange.Rests} {
		r.Message = testmust.Have(exchange.SignPresence(p, state, w.Now, w.Hands[other].Signer))(t)
		testmust.FailSaying(t, testmust.ErrorOf(w.keeper.Present(r)), "no holder of the seat", what)
	}
	elsewhere := p
	elsewhere.Table[0] ^= 1
	r.Message = testmust.Have(exchange.SignPresence(elsewhere, exchange.Lost, w.Now, w.Hands[late].Signer))(t)
	testmust.FailSaying(t, testmust.ErrorOf(w.keeper.Present(r)), "no holder of the seat", "at another table")
	for _, bad := range [][]byte{nil, testmust.Have(exchange.SignPresence(p, "asleep", w.Now, w.Hands[late].Signer))(t), testmust.Have(w.Next())(t)} {
		r.Message = bad
		testmust.FailBy(t, testmust.ErrorOf(w.keeper.Present(r)), tlog.ErrMalformed, "no presence")
	}
	w.silent("after what others say", late, "")

	testmust.Do(t, w.present(late, wire.Hash{1}, exchange.Lost))
	w.Now = w.Now.Add(time.Second)
	testmust.Do(t, w.present(late, w.State.Head(), exchange.Here))
	w.Now = w.Now.Add(-time.Second)
	err := w.present(late, wire.Hash{1}, exchange.Lost)
	testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrMalformed), "what a seat has said before is taken again: %v", err)
	w.silent("after what it said before", late, "for long enough that it could answer")

	p.Parent = wire.Hash{2}
	r.Message = testmust.Have(exchange.SignPresence(p, exchange.Rests, w.Now, w.Hands[late].Signer))(t)
	testmust.Have(w.keeper.Present(r))(t)
	again := r
	w.Now = w.Now.Add(time.Second)
	testmust.Do(t, w.present(late, wire.Hash{3}, exchange.Rests))
	w.open()
	testmust.Fail(t, testmust.ErrorOf(w.keeper.Present(again)), "a seat rests again where it rested before")
}

// Who had a seat and says that it goes, rests, or is elsewhere: whoever has it now is never late for that. Who has it now, and says so, is not late
// for what the other has not said; nor, as long as a keeper has not read who has it, is anybody.
func TestHolderBefore(t *testing.T) {
	for state, want := range map[string]string{
		exchange.Leaves: "is not kept any more", exchange.Rests: "may have been shown another history", exchange.Lost: "not where it could answer",
	} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		before := w.Hands[late]
		testmust.Do(t, w.present(late, wire.Hash{1}, state))
		w.see()
		w.passed += 15 * time.Second
		testmust.Do(t, w.present(late, wire.Hash{1}, state), "again")
		w.silent("the holder", late, want)

		substitute, act, err := w.Substitute(late)
		testmust.Do(t, err)
		w.Post(act)
		testmust.Do(t, w.SitDown(substitute))
		w.see()
		w.passed += 15 * time.Second
		w.Hands[late] = before
		testmust.Do(t, w.present(late, wire.Hash{1}, state), "once more")
		w.silent("after another's "+state, late, "")

		r := w.about(late)
		r.Reseat = act
		r.Message = testmust.Have(exchange.SignPresence(keeper.Place{Table: w.State.ID(), Parent: wire.Hash{1}, Seat: int(late)}, state, w.Now, substitute.Signer))(t)
		testmust.Have(w.keeper.Present(r))(t)
		w.silent("who has it now", late, want)
	}
}

// A seat that has rested and plays again is late like any other when the rest is long forgotten; one that is back at the same head still rests there.
func TestRestIsOver(t *testing.T) {
	for what, c := range map[string]struct{ head, want string }{
		"come back":    {"new", ""},
		"not moved on": {"old", "may have been shown another history"},
	} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		w.settle(late)
		testmust.Do(t, w.present(late, wire.Hash{1}, exchange.Rests))
		head := wire.Hash{1}
		if c.head == "new" {
			head = w.State.Head()
		}
		w.Now = w.Now.Add(time.Second)
		testmust.Do(t, w.present(late, head, exchange.Here))
		w.passed += time.Minute
		w.silent(what, late, c.want)
		w.Now = w.Now.Add(8 * 24 * time.Hour)
		w.keeper.PassOnce(t.Context())
		if c.want != "" {
			c.want = "is not kept any more"
		}
		w.silent(what+", after a week", late, c.want)
	}
}

// unlogged is a key to which who rules gives a seat by an act that no log has.
func (w *keeperWorld) unlogged(seat table.Seat) (note.Signer, []byte) {
	w.t.Helper()
	substitute, act, err := w.Substitute(seat)
	testmust.Do(w.t, err)
	return substitute.Signer, act
}

func (w *keeperWorld) says(s note.Signer, act []byte, seat table.Seat, state string) error {
	w.t.Helper()
	r := w.about(seat)
	w.Now = w.Now.Add(time.Millisecond)
	r.Reseat = act
	r.Message = testmust.Have(exchange.SignPresence(keeper.Place{Table: w.State.ID(), Parent: wire.Hash{1}, Seat: int(seat)}, state, w.Now, s))(w.t)
	return testmust.ErrorOf(w.keeper.Present(r))
}

// Keys without end, to which who rules gives a seat: they take the room for presences from the one that has it, of whom nothing is known then, and fill the
// file of doubts of all tables.
func TestKeysWithoutEnd(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, other := w.LateSeat()
	for range 64 {
		s, act := w.unlogged(other)
		testmust.Do(t, w.says(s, act, other, exchange.Here))
	}
	full, act := w.unlogged(late)
	w.Post(act)
	w.see()
	w.passed += 17 * time.Second
	for range 3 {
		s, act := w.unlogged(other)
		testmust.Do(t, w.says(s, act, other, exchange.Here), "as before, by now forgotten")
	}
	testmust.Do(t, w.says(full, act, late, exchange.Lost), "who has it")
	w.silent("who has it", late, "not where it could answer")
	for range 64 {
		s, act := w.unlogged(other)
		_ = w.says(s, act, other, exchange.Here)
	}
	s, again := w.unlogged(late)
	testmust.FailSaying(t, w.says(s, again, late, exchange.Lost), "no room", "one more")
	w.passed += time.Minute
	w.silent("where somebody was refused", late, "was refused for want of room")
	for range 20 {
		s, act := w.unlogged(other)
		testmust.Do(t, w.says(s, act, other, exchange.Leaves))
	}
	set := 0
	for _, c := range testmust.Have(os.ReadFile(filepath.Join(w.dir, "doubts")))(t) {
		set += bits.OnesCount8(c)
	}
	testmust.Hold(t, set <= 4, set, "doubts of two seats, which have two each")
}

// A machine whose clock was ahead and is set right while its program begins again: whatever it says is old, and keepers do not know where its seat
// is. And what it has said before the clock was ahead, said again by somebody else.
func TestClockSetBack(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, _ := w.LateSeat()
	w.settle(late)
	before := w.about(late)
	before.Message = testmust.Have(exchange.SignPresence(w.Place(late), exchange.Here, w.Now.Add(-10*time.Minute), w.Hands[late].Signer))(t)
	testmust.Have(w.keeper.Present(before))(t)
	w.Now = w.Now.Add(time.Hour)
	testmust.Do(t, w.present(late, w.State.Head(), exchange.Here))
	w.Now = w.Now.Add(-time.Hour)
	testmust.Fail(t, w.present(late, wire.Hash{1}, exchange.Lost), "what a seat has said before is taken again while it counts")
	w.passed += 17 * time.Second
	testmust.Fail(t, testmust.ErrorOf(w.keeper.Present(before)), "what it has said before")
	testmust.Do(t, w.present(late, wire.Hash{1}, exchange.Lost))
	w.silent("with a clock that was set back", late, "not where it could answer")
}
