package events_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
)

// kinds are the kinds of entries that an event adds to a log besides the messages of its tables.
var kinds = []string{
	"event", "mark",
	"register", "withdraw", "skip", "appeal", "call",
	"roster", "plan", "draw", "round", "ruling", "arbiters", "remark", "final", "cancel",
	"timeout", "resign", "agree", "pause", "resume", "back", "expose", "reseat", "close",
}

// kindOf returns the kind of an entry, or "" if kinds does not contain it.
func kindOf(entry []byte) string {
	if wire.BeginsMark(entry) {
		return "mark"
	}
	e, err := bulletin.Parse(entry)
	switch {
	case err != nil:
	case e.Event != nil:
		return "event"
	case e.Notice != nil:
		return string(e.Notice.Kind)
	case e.Decision != nil:
		return string(e.Decision.Kind)
	case e.Act != nil:
		return string(e.Act.Kind)
	}
	return ""
}

// speaking gives an event a clock that needs statements of silence.
func (w *watch) speaking(h *hall, e *bulletin.Event) {
	w.clocked(h, e)
	e.Clock.Silence = true
	for _, k := range w.list {
		_, vkey := markstest.LineSigner(h.t, k.Name())
		e.Clock.Lines = append(e.Clock.Lines, vkey)
	}
}

// silence returns the statements of all keepers that a seat is silent on the current head.
func (w *watch) silence(h *hall, t *tabletest.Table, seat table.Seat) (lines [][]byte) {
	for _, k := range w.list {
		s, _ := markstest.LineSigner(h.t, k.Name())
		line := testmust.Have(keeper.SignSilence(s, w.now.Unix(), keeper.Place{Table: t.State.ID(), Parent: t.State.Head(), Seat: int(seat)}))(h.t)
		lines = append(lines, line)
	}
	return lines
}

// late makes the seat that owes a move be late, and another seat claim the time-out; the log has
// both.
func (w *watch) late(h *hall, t *tabletest.Table) table.Seat {
	_ = testmust.Have(t.PlayUntil(table.Move))(h.t)
	h.entries, t.Entries = append(h.entries, t.Entries...), nil
	late := t.State.Duties()[0].Seats[0]
	from := w.mark(h)
	w.now = w.now.Add(90 * time.Second)
	body := wire.TimeoutBody{Seat: int(late), Seen: from, Spans: []wire.Span{{Since: t.State.Head(), From: from, To: w.mark(h)}}, Silence: w.silence(h, t, late)}
	claim := t.ActOf((late+1)%3, wire.KindTimeout, body)
	read := marks.New(h.logKey)
	for i, e := range h.entries {
		read.Take(uint64(i), tlog.LeafHash(e), e)
	}
	e := testmust.Have(wire.Parse(claim))(h.t)
	t.State = testmust.Have(t.State.Apply(e, table.Facts{Index: h.size(), Marks: read.Mark}))(h.t)
	t.Entries = append(t.Entries, claim)
	return late
}

// everyAct plays a table with an act of every kind.
func (w *watch) everyAct(h *hall, g *wire.Genesis) {
	t := h.open(g)
	_ = testmust.Have(t.PlayUntil(table.Move))(h.t)
	h.must(t.Add(t.RulingAct(wire.KindPause, wire.EmptyBody{})))
	h.must(t.Add(t.RulingAct(wire.KindResume, wire.EmptyBody{})))
	h.must(t.Add(t.ActOf(0, wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd})))
	h.must(t.Play(1))
	if w.list != nil {
		h.must(t.Add(t.ActOf(w.late(h, t), wire.KindBack, wire.EmptyBody{})))
	}
	testmust.Have(t.PlayUntil(table.Move))(h.t)
	h.must(t.Add(t.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})))
	expose := testmust.Have(t.Expose(0, t.State.Hand(0)...))(h.t)
	h.must(t.Add(expose))
	if w.list == nil {
		h.must(t.Add(t.ActOf(1, wire.KindBack, wire.EmptyBody{})))
	}
	sub := player.Hand{Seat: 1, Signer: h.signers["substitute"]}
	accept := testmust.Have(wire.SignAccept(sub.Signer, t.State.ID(), t.State.Head(), 1))(h.t)
	h.must(t.Add(t.RulingAct(wire.KindReseat, wire.ReseatBody{Seat: 1, Key: h.key("substitute"), Accept: accept})))
	h.must(t.SitDown(sub))
	h.must(t.Play(20))
	h.must(t.Add(t.RulingAct(wire.KindClose, wire.CloseBody{Reason: "The hall closes."})))
	h.entries = append(h.entries, t.Entries...)
	w.rulings(h, t.State.ID())
}

// rulings makes notices and decisions of every kind about a table.
func (w *watch) rulings(h *hall, id wire.Hash) {
	rule := func(by string, r bulletin.RulingBody) wire.Hash {
		if r.Points == nil {
			r.Points = []bulletin.PlayerPoints{}
		}
		r.Grounds, r.Reason = []wire.Hash{id}, "As it was."
		return h.decide(by, bulletin.DecideRuling, r)
	}
	h.tell("player-4", bulletin.Call, bulletin.CallBody{Table: id})
	h.tell("player-5", bulletin.Skip, bulletin.RoundBody{Round: 2})
	h.tell("player-6", bulletin.Withdraw, bulletin.RoundBody{Round: 2})
	about := bulletin.RulingSubject{Table: id.String()}
	rule("arbiter", bulletin.RulingBody{Do: bulletin.RuleStands, About: about})
	rule("arbiter", bulletin.RulingBody{Do: bulletin.RuleSubstitute, About: bulletin.RulingSubject{Table: id.String(), Player: 7}})
	rule("arbiter", bulletin.RulingBody{Do: bulletin.RuleCorrect})
	for i, answer := range []string{bulletin.RuleUphold, bulletin.RuleOverturn} {
		penalty := rule("arbiter", bulletin.RulingBody{Do: bulletin.RulePenalty, About: bulletin.RulingSubject{Player: i + 1, Round: 1}, Points: []bulletin.PlayerPoints{{Player: i + 1, Points: -3}}})
		h.tell(h.names[h.now().History.PlayerByNumber(i+1).Key], bulletin.Appeal, bulletin.AppealBody{Ruling: penalty})
		rule("jury", bulletin.RulingBody{Do: answer, About: bulletin.RulingSubject{Entry: penalty.String()}})
	}
	h.decide("organiser", bulletin.DecideArbiters, bulletin.ArbitersBody{Arbiters: []string{h.key("arbiter"), h.key("deputy")}, Jury: []string{h.key("jury")}})
	h.decide("organiser", bulletin.DecideRemark, bulletin.RemarkBody{Text: "Lunch at noon."})
}

// everyKind is an event whose log has an entry of every kind except cancel, and without a clock also
// except the entries of a clock.
func everyKind(t *testing.T, clock bool) (h *hall) {
	w := new(watch)
	h = newHall(t, func(h *hall, e *bulletin.Event) {
		e.Jury, e.Seating[0], e.Registration.Late, e.Options = []string{h.key("jury")}, bulletin.SeatByPlan, 2, map[string]string{}
		if clock {
			w.speaking(h, e)
		}
	})
	for _, name := range []string{"player-1", "player-2", "player-3", "player-4", "player-5", "player-6", "substitute"} {
		h.register(name)
	}
	h.accept()
	h.decide("organiser", bulletin.DecidePlan, bulletin.PlanBody{Round: 1, Part: 1, Parts: 1, Tables: [][]int{{1, 2, 3}, {4, 5, 6}}})
	draw := h.begin(h.drawTable(), -1)
	h.decide("organiser", bulletin.DecideDraw, bulletin.DrawBody{Table: draw.State.ID().String(), Secret: []byte{}})
	for range 2 {
		v := h.seat()
		r := v.History.Rounds[len(v.History.Rounds)-1]
		for n := range r.Tables {
			if g := v.History.TableGenesis(r.Number, n+1); r.Number == 1 && n == 0 {
				w.everyAct(h, g)
			} else {
				h.begin(g, -1)
			}
		}
	}
	h.final()
	return h
}

// cancelled is an event that was cancelled.
func cancelled(t *testing.T) *hall {
	h := newHall(t)
	h.register("anna")
	h.decide("organiser", bulletin.DecideCancel, bulletin.RemarkBody{Text: "Snow."})
	return h
}

// The test changes a byte in each kind of entry that an event has besides the messages of its tables,
// and the log signs the result. Somebody must notice, or the entry counts for nobody; nobody is
// blamed, late, or loses points by a ruling that was not made. A log that signed a mark of the
// original entry has broken its promise.
func TestMutantsOfAnEvent(t *testing.T) {
	tried := map[string]int{}
	some := testmust.ChosenIndexes(t, 24, 1)
	for _, h := range []*hall{everyKind(t, true), everyKind(t, false), cancelled(t)} {
		whole, honest, marked := h.entries, h.verify(), h.marked()
		h.complete(honest)
		for at, entry := range whole {
			kind := kindOf(entry)
			of := kind
			if at < marked {
				of = "marked" // only the log can change marked entries
			}
			if kind == "" || tried[of] > 0 && !testmust.Thorough() {
				continue
			}
			for i := range some {
				place := (2*i + 1) * len(entry) / 48
				h.entries = slices.Clone(whole)
				h.entries[at] = bytes.Clone(entry)
				h.entries[at][place] ^= 1 << (place % 8)
				tried[of]++
				h.mutant(honest, at < marked, kind, place)
			}
		}
	}
	for _, kind := range kinds {
		testmust.Hold(t, tried[kind] != 0, "no mutant of", kind)
	}
}

// mutant verifies the event with one altered entry.
func (h *hall) mutant(honest *events.VerifiedEvent, marked bool, kind string, place int) {
	h.t.Helper()
	v, err := h.try()
	switch {
	case marked:
		testmust.Holdf(h.t, err == nil && v.Log.Verdict == verifier.LogBroken && v.Judgement == nil, "%s, byte %d, before a mark: %v", kind, place, err)
	case kind == "event" && err == nil:
		h.t.Errorf("the announcement, byte %d: it is still an event", place)
	case kind != "event":
		h.must(err)
		h.harmless(v, honest, kind, place)
	}
}

// marked returns how many entries the last mark covers.
func (h *hall) marked() (last int) {
	for i, entry := range h.entries {
		if c, err := marks.ReadMark(uint64(i), entry, []note.Verifier{h.logKey}); err == nil {
			last = int(c.Size)
		}
	}
	return last
}

// complete requires that in an event with all kinds of entries each of them counts.
func (h *hall) complete(v *events.VerifiedEvent) {
	h.t.Helper()
	acts := 0
	for _, r := range v.Tables {
		acts += r.Acts
		testmust.Requiref(h.t, len(r.Findings) == 0 && r.Err == nil, "table %s: %v, %v", r.Table, r.Findings, r.Err)
	}
	if len(v.History.Void) > 0 || len(v.Tables) > 0 && acts != 8+len(timeouts(v)) {
		h.t.Fatalf("void %v, %d acts, time-outs %v", v.History.Void, acts, timeouts(v))
	}
}

// timeouts returns the time-outs of an event's tables, by entry.
func timeouts(v *events.VerifiedEvent) map[wire.Hash]bool {
	found := map[wire.Hash]bool{}
	for _, r := range v.Tables {
		for _, e := range r.Endings {
			if e.Kind == wire.KindTimeout {
				found[e.Entry] = true
			}
		}
	}
	return found
}

// counted returns how many entries of an event count, by kind.
func counted(v *events.VerifiedEvent) (list []int) {
	list = []int{len(v.History.Notices), len(v.History.Decisions), len(v.History.Void)}
	for _, r := range v.Tables {
		list = append(list, r.Applied, r.Acts, r.Voided)
	}
	return list
}

// harmless requires that an event with an altered entry differs from the honest one and blames
// nobody.
func (h *hall) harmless(v, honest *events.VerifiedEvent, kind string, place int) {
	h.t.Helper()
	testmust.Holdf(h.t, !slices.Equal(counted(v), counted(honest)), "%s, byte %d: nobody notices", kind, place)
	before := timeouts(honest)
	for _, r := range v.Tables {
		testmust.Holdf(h.t, len(r.Findings)+len(r.Attempts) <= 0, "%s, byte %d: a seat is blamed: %v", kind, place, r.Findings)
	}
	for entry := range timeouts(v) {
		testmust.Holdf(h.t, before[entry], "%s, byte %d: somebody is late by %s", kind, place, entry)
	}
	ruled := maps.Collect(func(yield func(wire.Hash, bool) bool) {
		for _, r := range honest.History.Rulings {
			yield(r.Decision.Hash, true)
		}
	})
	for _, r := range v.History.Rulings {
		testmust.Holdf(h.t, ruled[r.Decision.Hash], "%s, byte %d: ruling %s counts", kind, place, r.Decision.Hash)
	}
	for _, s := range v.Standings {
		testmust.Holdf(h.t, s.Layers[event.ByClock] == 0 || len(timeouts(v)) != 0, "%s, byte %d: %s has %v", kind, place, s.Name, s.Layers)
	}
}

// watch is the keepers of an event's clock, with the messages that they hold.
type watch struct {
	now  time.Time
	list []*tlog.SignerKey
	held []keeper.Message
}

var clubEvening = wire.Clock{Keepers: []string{}, Lines: []string{}, Quorum: 2, Tick: 5, Start: 300, Move: 60, Bank: 600, Increment: 5, Grace: 15}

// clocked gives an event a clock with three keepers.
func (w *watch) clocked(h *hall, e *bulletin.Event) {
	w.now, e.Clock = time.Unix(1_900_000_000, 0), clubEvening
	for _, name := range []string{"anna.example", "bela.example", "csilla.example"} {
		k := markstest.NewKeeper(h.t, name, func() time.Time { return w.now })
		w.list, e.Clock.Keepers = append(w.list, k), append(e.Clock.Keepers, k.String())
	}
}

// mark appends a mark of the current log to the log.
func (w *watch) mark(h *hall) wire.Hash {
	c := testmust.Have(h.Checkpoint(h.t.Context()))(h.t)
	entry := markstest.SignMark(h.t, markstest.Cosign(h.t, c, h.logKey, w.list...))
	h.entries = append(h.entries, entry)
	return wire.HashEntry(entry)
}

// withheld makes the log withhold a seat's message until another seat can claim that it is late. A
// keeper holds the message. The organiser closes the table, and the arbiter revokes the forfeit.
func (w *watch) withheld(h *hall, t *tabletest.Table) {
	h.intoSecondDeal(t)
	h.entries, t.Entries = append(h.entries, t.Entries...), nil
	late := t.State.Duties()[0].Seats[0]
	other := (late + 1) % 4
	message := testmust.Have(t.Next())(h.t)
	from := w.mark(h)
	w.now = w.now.Add(30 * time.Second)
	m := testmust.Have(keeper.NewMessage(message))(h.t)
	speaker, _ := markstest.LineSigner(h.t, w.list[1].Name())
	line := testmust.Have(keeper.SignHold(speaker, w.now.Unix(), m.Place, m.Entry))(h.t)
	m.Lines, m.Names = append(m.Lines, line), append(m.Names, speaker.Name())
	w.held = append(w.held, m)
	w.now = w.now.Add(60 * time.Second)
	to := w.mark(h)
	claim, err := player.SignAct(t.State, t.State.HolderKey(other), h.signers[h.name(t, other)], wire.KindTimeout,
		wire.TimeoutBody{Seat: int(late), Seen: from, Spans: []wire.Span{{Since: t.State.Head(), From: from, To: to}}, Silence: [][]byte{}})
	h.must(err)
	closes, err := wire.Sign(&wire.Act{Format: wire.ActFormat, Table: t.State.ID(), Parent: wire.HashEntry(claim), By: h.key("organiser"), Kind: wire.KindClose,
		Body: h.body(wire.CloseBody{Reason: "The log does not answer one of us."}), Proofs: [][]byte{}}, h.signers["organiser"])
	h.must(err)
	h.entries = append(h.entries, claim, message, closes)
	h.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleAdjust, About: bulletin.RulingSubject{Table: t.State.ID().String()}, Points: h.points(t), Grounds: []wire.Hash{wire.HashEntry(claim)}, Reason: "Keeper bela held the message in time."})
}

// points returns the points of a table's finished deals, for a ruling.
func (h *hall) points(t *tabletest.Table) (list []bulletin.PlayerPoints) {
	for seat, n := range t.State.Sheet().Sums(4) {
		list = append(list, bulletin.PlayerPoints{Player: h.now().History.PlayerByKey(t.State.HolderKey(table.Seat(seat))).Number, Points: n})
	}
	return list
}

// seen is a hall whose checkpoint the keepers have cosigned.
type seen struct {
	*hall
	by *watch
}

func (s seen) Checkpoint(ctx context.Context) (tlog.Checkpoint, error) {
	c, err := s.hall.Checkpoint(ctx)
	if err == nil {
		c = markstest.Cosign(s.t, c, s.logKey, s.by.list...)
	}
	return c, err
}

// believed verifies with a policy that names all keepers and their keys, and with the messages that
// they held.
func (w *watch) believed(h *hall, without event.LeftOutLayers) *events.VerifiedEvent {
	text := ""
	for i, k := range w.list {
		_, vkey := markstest.LineSigner(h.t, k.Name())
		text += fmt.Sprintf("witness keeper%d %s\n# pakli keeper keeper%d %s\n", i, k, i, vkey)
	}
	o := h.options()
	o.Policy = testmust.Have(tlog.ParsePolicy([]byte(text + "quorum none\n")))(h.t)
	o.Held, o.Without = w.held, without
	return testmust.Have(events.Verify(h.t.Context(), seen{h, w}, o))(h.t)
}

// reopened requires that the keeper who held the message attests and reopens the time-out, and that
// nobody pays for it, even without rulings and without the clock.
func (w *watch) reopened(h *hall) {
	h.t.Helper()
	v := w.believed(h, event.LeftOutLayers{})
	var found int
	for _, r := range v.Tables {
		for _, e := range r.Endings {
			if e.Reopened == nil {
				continue
			}
			found++
			testmust.Holdf(h.t, e.Degree == verifier.Attested && e.Reopened.Keeper == "keeper1" && e.Reopened.Decided != nil && e.Points != nil, "%+v", e)
		}
		testmust.Holdf(h.t, len(r.Findings) == 0, "table %s: %v", r.Table, r.Findings)
	}
	testmust.Holdf(h.t, found == 1 && v.Verdict == event.VerdictAdjusted, "%d time-outs are reopened, the event is %s", found, v.Verdict)
	for _, s := range v.Standings {
		testmust.Equal(h.t, s.Layers[event.ByClock], 0, s.Name, "still has by the clock")
	}
	clock := 0
	for _, s := range w.believed(h, event.LeftOutLayers{Ruled: true}).Standings {
		clock += abs(s.Layers[event.ByClock])
	}
	testmust.Equal(h.t, clock, 6*h.terms.Ends.Forfeit, "points that change hands by the clock without rulings")
}

func abs(n int) int { return max(n, -n) }
