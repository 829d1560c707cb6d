package table_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// clocked is a table with a clock whose cards are being dealt: shuffles take turns.
func clocked(t *testing.T, change func(*wire.Genesis)) *markstest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 52, change)
	w.PlayMoves(3, 10) // card keys
	return w
}

// claimed is the claim that marks prove most for, by another seat.
func claimed(w *markstest.Table, late, by table.Seat, change func(*wire.TimeoutBody)) []byte {
	body := w.Clock(late).Claim
	if change != nil {
		change(&body)
	}
	return w.Act(by, wire.KindTimeout, body)
}

// wants checks what becomes of an entry: "" if it is applied.
func wants(t *testing.T, w *markstest.Table, what string, entry []byte, check table.Check) {
	t.Helper()
	switch fault := w.FaultOf(entry); {
	case fault == nil && check != "":
		t.Errorf("%s: applied, want %s", what, check)
	case fault != nil && (fault.Class != table.Void || fault.Check != check):
		t.Errorf("%s: %v, want void by %q", what, fault, check)
	}
}

// An honest seat loses a second before its time, or a claimant cannot win one after it: for a duty, a
// card key, or the bank of a deal. (Attack 1)
func TestClaimInTimeAndLate(t *testing.T) {
	w := clocked(t, nil)
	late, other := w.LateSeat()
	w.PassTime(61)
	wants(t, w, "60 s of 60 are proved", claimed(w, late, other, nil), table.CheckOver)
	w.PassTime(1)
	entry := claimed(w, late, other, nil)
	wants(t, w, "61 s of 60", entry, "")
	wants(t, w, "by the organiser", w.ByOrganiser(wire.KindTimeout, w.Clock(late).Claim), "")
	post(t, w, entry)
	gone, stopped := w.State.GoneSeat()
	testmust.Holdf(t, stopped && gone == late, "gone: seat %s, %v", gone.Letter(), stopped)
	ended := w.State.EndingActs()
	testmust.Holdf(t, len(ended) == 1 && ended[0].Kind == wire.KindTimeout && *ended[0].Seat == late && ended[0].Points[late] == -80 && ended[0].Points[other] == 40, "ended %+v", ended)
	wants(t, w, "again at a stopped table", w.Act(other, wire.KindTimeout, body(t, entry)), table.CheckClock)

	keys := markstest.New(t, w.Game, tabletest.Config{Seats: 3}, 53, nil)
	keys.PassTime(301)
	wants(t, keys, "300 s of 300 for a card key", claimed(keys, 0, 1, nil), table.CheckOver)
	keys.PassTime(1)
	wants(t, keys, "301 s of 300", claimed(keys, 0, 1, nil), "")
}

// A bank is counted twice, or not at all: the claim sums what it names within the deal, and each
// message adds the increment.
func TestClaimOfBank(t *testing.T) {
	w := clocked(t, func(g *wire.Genesis) { g.Clock.Move, g.Clock.Bank, g.Clock.Increment = 0, 60, 5 })
	slow, _ := w.LateSeat()
	for {
		late, _ := w.LateSeat()
		used := 2
		if late == slow {
			used = 40
		}
		w.PassTime(used)
		entry := testmust.Have(w.Next())(t)
		if late == slow && len(w.State.DutiesOf(slow)) > 0 && w.State.Deal() == 1 {
			c := w.Clock(slow)
			testmust.Requiref(t, c.Sum > 60+5*int64(len(c.Claim.Spans)-1) == (c.Left < 0), "%d s of the bank, %d left", c.Sum, c.Left)
			if c.Left < 0 {
				break
			}
		}
		post(t, w, entry)
	}
	other := (slow + 1) % 3
	c := w.Clock(slow)
	testmust.Requiref(t, len(c.Claim.Spans) >= 2, "one span is enough: %+v", c)
	wants(t, w, "the bank is used up", claimed(w, slow, other, nil), "")
	wants(t, w, "without the first span", claimed(w, slow, other, func(b *wire.TimeoutBody) { b.Spans = b.Spans[1:] }), table.CheckOver)
	wants(t, w, "a span twice", claimed(w, slow, other, func(b *wire.TimeoutBody) { b.Spans = append(b.Spans[:1:1], b.Spans...) }), table.CheckSpans)
	wants(t, w, "spans in another order", claimed(w, slow, other, func(b *wire.TimeoutBody) {
		if len(b.Spans) > 2 {
			b.Spans[0], b.Spans[1] = b.Spans[1], b.Spans[0]
		} else {
			b.Spans[0].Since = b.Spans[1].Since
		}
	}), table.CheckSpans)
	wants(t, w, "of another seat", claimed(w, slow, other, func(b *wire.TimeoutBody) { b.Seat = int(other+1) % 3 }), table.CheckOwed)
}

// Time that passed elsewhere: marks begin before the duty, end after the claim or the message, are of
// no log, or of one keeper. (Attacks 2, 4, 5, 6, 7)
func TestClaimWithOtherMarks(t *testing.T) {
	w := clocked(t, nil)
	before := w.Mark()
	w.PlayMoves(1, 20)
	late, other := w.LateSeat()
	w.PassTime(62)
	last := func(change func(*wire.Span)) func(*wire.TimeoutBody) {
		return func(b *wire.TimeoutBody) {
			b.Spans = append([]wire.Span{}, b.Spans...)
			change(&b.Spans[len(b.Spans)-1])
		}
	}
	wants(t, w, "as it should be", claimed(w, late, other, nil), "")
	wants(t, w, "from before the duty", claimed(w, late, other, last(func(s *wire.Span) { s.From = before })), table.CheckTimes)
	wants(t, w, "a mark that is none", claimed(w, late, other, last(func(s *wire.Span) { s.To = wire.Hash{1} })), table.CheckTimes)
	wants(t, w, "an entry that is no mark", claimed(w, late, other, last(func(s *wire.Span) { s.From = w.State.ID() })), table.CheckTimes)
	wants(t, w, "from and to exchanged", claimed(w, late, other, last(func(s *wire.Span) { s.From, s.To = s.To, s.From })), table.CheckOver)
	wants(t, w, "since another entry", claimed(w, late, other, last(func(s *wire.Span) { s.Since = w.State.ID() })), table.CheckOwed)
	one := w.Mark(w.Keepers[0])
	wants(t, w, "one keeper of three", claimed(w, late, other, last(func(s *wire.Span) { s.To = one })), table.CheckTimes)
	two := w.Mark(w.Keepers[0], w.Keepers[2])
	wants(t, w, "two of three", claimed(w, late, other, last(func(s *wire.Span) { s.To = two })), "")

	early := claimed(w, late, other, nil) // names marks that came before it, and one that will come after
	w.Now = w.Now.Add(time.Minute)
	w.Append(early)
	after := w.Mark()
	stale := claimed(w, late, other, last(func(s *wire.Span) { s.To = after }))
	marks := map[wire.Hash]timing.Mark{}
	for _, m := range w.Marks {
		marks[m.Hash] = m
	}
	testmust.Fail(t, w.State.CheckLate(body(t, stale), marks[after].Index, w.State.Keepers(), lookup(marks)), "a claim that comes before its own mark is good")
}

// Wrong clocks of keepers make a seat late that is not, although one clock runs right; or a clock set
// wrong by a day changes something. (Attack 7)
func TestClaimWithWrongClocks(t *testing.T) {
	for name, wrong := range map[string][]func(time.Time) time.Time{
		"double":         {double, double, nil},
		"jump on":        {jump(time.Hour), jump(24 * time.Hour), nil},
		"jump back":      {jump(-time.Hour), nil, nil},
		"wrong by a day": {ahead(24 * time.Hour), ahead(-24 * time.Hour), nil},
	} {
		w := clocked(t, nil)
		copy(w.Wrong, wrong)
		late, other := w.LateSeat()
		w.PassTime(50)
		wants(t, w, name+", in time", claimed(w, late, other, nil), table.CheckOver)
		if w.PassTime(20); name == "wrong by a day" {
			wants(t, w, name+", late", claimed(w, late, other, nil), "")
		}
	}
}

var start = time.Unix(1_900_000_000, 0)

func double(now time.Time) time.Time { return now.Add(now.Sub(start)) }

func ahead(by time.Duration) func(time.Time) time.Time {
	return func(now time.Time) time.Time { return now.Add(by) }
}

func jump(by time.Duration) func(time.Time) time.Time {
	return func(now time.Time) time.Time {
		if now.Sub(start) > 60*time.Second {
			return now.Add(by)
		}
		return now
	}
}

// Time runs while nobody may sign: in a pause, or while the table is stopped. After a pause it begins
// again. (Attack 8)
func TestClaimInAPause(t *testing.T) {
	w := clocked(t, nil)
	late, other := w.LateSeat()
	w.PassTime(40)
	post(t, w, w.ByOrganiser(wire.KindPause, wire.EmptyBody{}))
	w.PassTime(100)
	wants(t, w, "in a pause", claimed(w, late, other, nil), table.CheckClock)
	old := w.Clock(late).Claim.Spans[0]
	post(t, w, w.ByOrganiser(wire.KindResume, wire.EmptyBody{}))
	w.PassTime(50)
	wants(t, w, "with the time of the pause", claimed(w, late, other, func(b *wire.TimeoutBody) { b.Spans[0].Since, b.Spans[0].From = old.Since, old.From }), table.CheckOwed)
	wants(t, w, "after the pause", claimed(w, late, other, nil), table.CheckOver)
	w.PassTime(20)
	wants(t, w, "late after the pause", claimed(w, late, other, nil), "")
}

// A seat that plays in a pause, and later loses its bank by the time of the pause.
func TestMessageInAPause(t *testing.T) {
	w := clocked(t, func(g *wire.Genesis) { g.Clock.Move, g.Clock.Bank, g.Clock.Increment = 0, 60, 0 })
	post(t, w, w.ByOrganiser(wire.KindPause, wire.EmptyBody{}))
	w.PlayMoves(3, 200) // shuffles
	post(t, w, w.ByOrganiser(wire.KindResume, wire.EmptyBody{}))
	late, other := w.LateSeat()
	w.PassTime(30)
	c := w.Clock(late)
	testmust.Holdf(t, c.Sum <= 30 && c.Left >= 0, "%d s of the bank are used, %d are left", c.Sum, c.Left)
	wants(t, w, "30 s of 60 after the pause", claimed(w, late, other, nil), table.CheckOver)
	_, owed, spent := w.State.Timing(late)
	testmust.Requiref(t, len(owed) == 1 && len(spent) == 1, "owed %v, discharged %v", owed, spent)
	var paused, running wire.Span
	paused.Since, paused.Done = spent[0].Since.Entry, spent[0].Done.Entry.String()
	paused.From, paused.To = w.Marks[0].Hash, w.Marks[len(w.Marks)-1].Hash
	running = w.Clock(late).Claim.Spans[0]
	wants(t, w, "a span in the pause", claimed(w, late, other, func(b *wire.TimeoutBody) { b.Spans = []wire.Span{paused, running} }), table.CheckTimes)
}

// A claim by the seat itself, by a stranger, about a seat that owes nothing or does not exist, or at a
// table without a clock. (Attacks 8, 9)
func TestClaimByOthers(t *testing.T) {
	w := clocked(t, nil)
	late, other := w.LateSeat()
	w.PassTime(70)
	wants(t, w, "by the late seat", claimed(w, late, late, nil), table.CheckEntitled)
	wants(t, w, "of a seat that owes nothing", claimed(w, late, late, func(b *wire.TimeoutBody) { b.Seat = int(other) }), table.CheckOwed)
	wants(t, w, "of a seat that there is not", claimed(w, late, other, func(b *wire.TimeoutBody) { b.Seat = 5 }), table.CheckOwed)
	stranger, err := player.SignAct(w.State, w.State.Genesis().Organiser, w.Hands[0].Signer, wire.KindTimeout, w.Clock(late).Claim)
	if err == nil {
		wants(t, w, "signed by another than it says", stranger, table.CheckSignature)
	}
	without := clocked(t, func(g *wire.Genesis) {
		g.Clock = wire.Clock{Keepers: []string{}, Lines: []string{}}
	})
	wants(t, without, "without a clock", without.Act(other, wire.KindTimeout, w.Clock(late).Claim), table.CheckClock)
}

// A seat's head moved just before the claim, so that what it signed is void: it has the grace to sign
// again. (Attack 10)
func TestClaimAfterTheHeadMoved(t *testing.T) {
	w := clocked(t, nil)
	late, other := w.LateSeat()
	w.PassTime(62)
	seen := w.Clock(late).Claim.Seen
	post(t, w, w.Act(other, wire.KindAgree, wire.AgreeBody{To: wire.AgreePause}))
	w.PassTime(15)
	wants(t, w, "14 s of 15", claimed(w, late, other, nil), table.CheckGrace)
	wants(t, w, "a mark from before the head", claimed(w, late, other, func(b *wire.TimeoutBody) { b.Seen = seen }), table.CheckGrace)
	w.PassTime(3)
	wants(t, w, "after the grace", claimed(w, late, other, nil), "")
}

// A claim that names as seen a mark that the log does not have, where the clock has no grace: it must be refused, and
// told which. What a client sends is refused by no table, also when no mark covers the head yet.
func TestClaimThatHasSeenNothing(t *testing.T) {
	w := clocked(t, func(g *wire.Genesis) { g.Clock.Grace = 0 })
	late, other := w.LateSeat()
	w.PassTime(70)
	post(t, w, w.Act(other, wire.KindAgree, wire.AgreeBody{To: wire.AgreePause}))
	none := wire.Hash{7}
	fault := w.FaultOf(claimed(w, late, other, func(b *wire.TimeoutBody) { b.Seen = none }))
	testmust.Holdf(t, fault != nil && fault.Check == table.CheckGrace && errors.Is(fault, keeper.ErrNoMark) && strings.Contains(fault.Error(), none.String()),
		"%v, want void by %s, with the mark", fault, table.CheckGrace)
	wants(t, w, "as a client makes it", claimed(w, late, other, nil), "")
	body := w.Clock(late).Claim
	body.Seen = w.Mark() // behind the claim, as a bundle shows it, and who reads the log has not come to it
	behind := parsed(t, w.Act(other, wire.KindTimeout, body))
	_, err := w.State.Apply(behind, table.Facts{Index: w.Marks[len(w.Marks)-1].Index, Marks: w.MarkFinder()})
	testmust.Holdf(t, isFault(err, table.CheckGrace), "a mark behind the claim: %v, want void by %s", err, table.CheckGrace)
}

// A claim that is judged without its marks at hand, and taken to be void or good.
func TestClaimWithoutMarks(t *testing.T) {
	w := clocked(t, nil)
	late, other := w.LateSeat()
	w.PassTime(70)
	e := parsed(t, claimed(w, late, other, nil))
	_, err := w.State.Apply(e, table.Facts{})
	testmust.Holdf(t, err != nil && isUntimed(err), "without marks: %v", err)
	testmust.Do(t, w.State.Expects(e), "expected")
}

// A late message counts after an applied claim, or a claim after the message: the first in the log
// counts. After a return the deal begins anew, with a new clock.
func TestClaimOrMessage(t *testing.T) {
	w := clocked(t, nil)
	late, other := w.LateSeat()
	w.PassTime(70)
	entry, act := testmust.Have(w.Next())(t), claimed(w, late, other, nil)
	moved := testmust.Have(tabletest.Apply(w.State, entry))(t)
	_, err := tabletest.Apply(moved, act)
	testmust.Holdf(t, isFault(err, table.CheckParent), "a claim after the message: %v", err)
	post(t, w, act)
	wants(t, w, "the message after the claim", entry, table.CheckParent)
	post(t, w, w.Act(late, wire.KindBack, wire.EmptyBody{}))
	w.PassTime(50)
	again, next := w.LateSeat()
	wants(t, w, "50 s after the return", claimed(w, again, next, nil), table.CheckOver)
	w.PlayMoves(1, 0)
}

func isUntimed(err error) bool {
	_, fault := errors.AsType[*table.Fault](err)
	return errors.Is(err, table.ErrUntimed) && !fault
}

func body(t *testing.T, entry []byte) *wire.TimeoutBody {
	t.Helper()
	e := parsed(t, entry)
	b := new(wire.TimeoutBody)
	decodeAct(t, e.Act.Body, b)
	return b
}

func lookup(marks map[wire.Hash]timing.Mark) table.Marks {
	return func(hash wire.Hash) (keeper.Mark, error) {
		m, ok := marks[hash]
		if !ok {
			return m.Mark, keeper.ErrNoMark
		}
		return m.Mark, nil
	}
}

func isFault(err error, c table.Check) bool {
	f, ok := errors.AsType[*table.Fault](err)
	return ok && f.Check == c
}

func post(t *testing.T, w *markstest.Table, entry []byte) {
	t.Helper()
	testmust.Do(t, w.Post(entry))
}

func decodeAct(t *testing.T, raw json.RawMessage, into wire.ActBody) {
	t.Helper()
	testmust.Do(t, wire.DecodeAct(raw, into))
}

// The seat on turn lets its time run out and claims that a seat is late which may only concede; or
// anybody claims it of anybody when it is nobody's turn. A concession uses no time of the seat on turn.
func TestClaimOfWhoIsNotAwaited(t *testing.T) {
	for name, some := range map[string]int{"skat/v1": 1, "toolbox/v1": 0} {
		game, _ := games.Lookup(name)
		w := markstest.New(t, game, tabletest.Config{Seats: 3}, 54, nil)
		for len(w.State.Duties()) != 1 || w.State.Duties()[0].Kind != table.Move || len(w.State.Duties()[0].Seats) < 2 {
			testmust.Do(t, w.Post(testmust.Have(w.Next())(t)))
		}
		w.PassTime(70)
		duty := w.State.Duties()[0]
		for i, seat := range duty.Seats {
			_, owed, _ := w.State.Timing(seat)
			testmust.Hold(t, len(owed) == 1 == (i < some), name, seat.Letter(), "is awaited:", owed)
		}
		if some == 0 {
			continue
		}
		turn, other := duty.Seats[0], duty.Seats[1]
		wants(t, w, "of who is on turn", claimed(w, turn, other, nil), "")
		wants(t, w, "of who may concede", claimed(w, turn, turn, func(b *wire.TimeoutBody) { b.Seat = int(other) }), table.CheckOwed)
		_, _, before := w.State.Timing(other)
		post(t, w, testmust.Have(w.HonestMessage(other, duty, json.RawMessage(`{"concede":true}`)))(t))
		_, _, spent := w.State.Timing(other)
		testmust.Hold(t, len(spent) == len(before)+1 && spent[len(before)].Since == spent[len(before)].Done, "spent", spent)
	}
}
