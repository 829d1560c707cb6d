package events_test

import (
	"context"
	"fmt"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
)

// watch is the keepers of an event's clock, and what they hold.
type watch struct {
	now  time.Time
	list []*tlog.SignerKey
	held []keeper.Message
}

var clubEvening = wire.Clock{Keepers: []string{}, Lines: []string{}, Quorum: 2, Tick: 5, Start: 300, Move: 60, Bank: 600, Increment: 5, Grace: 15}

// clocked gives an event a clock with three keepers.
func (w *watch) clocked(h *hall, e *wire.Event) {
	w.now, e.Clock = time.Unix(1_900_000_000, 0), clubEvening
	for _, name := range []string{"anna.example", "bela.example", "csilla.example"} {
		k := markstest.Keeper(h.t, name, func() time.Time { return w.now })
		w.list, e.Clock.Keepers = append(w.list, k), append(e.Clock.Keepers, k.String())
	}
}

// mark puts a mark of the log as it is into the log.
func (w *watch) mark(h *hall) wire.Hash {
	c := testmust.Have(h.Checkpoint(h.t.Context()))(h.t)
	entry := markstest.Mark(h.t, markstest.Cosign(h.t, c, h.logKey, w.list...))
	h.entries = append(h.entries, entry)
	return wire.HashEntry(entry)
}

// withheld has the log keep back the message of a seat until another can claim that it is late.
// A keeper holds it. The organiser closes the table, and the arbiter takes the forfeit back.
func (w *watch) withheld(h *hall, t *tabletest.Table) {
	h.intoSecondDeal(t)
	h.entries, t.Entries = append(h.entries, t.Entries...), nil
	late := t.State.Duties()[0].Seats[0]
	other := (late + 1) % 4
	message := testmust.Have(t.Next())(h.t)
	from := w.mark(h)
	w.now = w.now.Add(30 * time.Second)
	m := testmust.Have(keeper.NewMessage(message))(h.t)
	speaker, _ := markstest.Liner(h.t, w.list[1].Name())
	line := testmust.Have(keeper.SignHold(speaker, w.now.Unix(), m.Place, m.Entry))(h.t)
	m.Lines, m.Names = append(m.Lines, line), append(m.Names, speaker.Name())
	w.held = append(w.held, m)
	w.now = w.now.Add(60 * time.Second)
	to := w.mark(h)
	claim, err := player.Act(t.State, t.State.Holder(other), h.signers[h.name(t, other)], wire.KindTimeout,
		wire.TimeoutBody{Seat: int(late), Seen: from, Spans: []wire.Span{{Since: t.State.Head(), From: from, To: to}}, Silence: [][]byte{}})
	h.must(err)
	closes, err := wire.Sign(&wire.Act{Format: wire.ActFormat, Table: t.State.ID(), Parent: wire.HashEntry(claim), By: h.key("organiser"), Kind: wire.KindClose,
		Body: h.body(wire.CloseBody{Reason: "The log does not answer one of us."}), Proofs: [][]byte{}}, h.signers["organiser"])
	h.must(err)
	h.entries = append(h.entries, claim, message, closes)
	h.decide("arbiter", wire.DecideRuling, wire.RulingBody{Do: wire.RuleAdjust, About: wire.About{Table: t.State.ID().String()}, Points: h.points(t), Grounds: []wire.Hash{wire.HashEntry(claim)}, Reason: "Keeper bela held the message in time."})
}

// points are what the finished deals of a table came to, for a ruling.
func (h *hall) points(t *tabletest.Table) (list []wire.Points) {
	for seat, n := range t.State.Sheet().Sums(4) {
		list = append(list, wire.Points{Player: h.now().History.Player(t.State.Holder(table.Seat(seat))).Number, Points: n})
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

// believed verifies with a policy that names all keepers and their keys, and with what they held.
func (w *watch) believed(h *hall, without event.Without) *events.Verified {
	text := ""
	for i, k := range w.list {
		_, vkey := markstest.Liner(h.t, k.Name())
		text += fmt.Sprintf("witness keeper%d %s\n# pakli keeper keeper%d %s\n", i, k, i, vkey)
	}
	o := h.options()
	o.Policy = testmust.Have(tlog.ParsePolicy([]byte(text + "quorum none\n")))(h.t)
	o.Held, o.Without = w.held, without
	return testmust.Have(events.Verify(h.t.Context(), seen{h, w}, o))(h.t)
}

// reopened requires that the time-out is attested and reopened by the keeper who held the
// message, that nobody pays for it, and that without any ruling, and without the clock, nobody
// would either.
func (w *watch) reopened(h *hall) {
	h.t.Helper()
	v := w.believed(h, event.Without{})
	var found int
	for _, r := range v.Tables {
		for _, e := range r.Endings {
			if e.Reopened == nil {
				continue
			}
			found++
			if e.Degree != verifier.Attested || e.Reopened.Keeper != "keeper1" || e.Reopened.Decided == nil || e.Points == nil {
				h.t.Errorf("%+v", e)
			}
		}
		if len(r.Findings) > 0 {
			h.t.Errorf("table %s: %v", r.Table, r.Findings)
		}
	}
	if found != 1 || v.Verdict != event.VerdictAdjusted {
		h.t.Errorf("%d time-outs are reopened, the event is %s", found, v.Verdict)
	}
	for _, s := range v.Standings {
		if s.Layers[event.ByClock] != 0 {
			h.t.Errorf("%s still has %d by the clock", s.Name, s.Layers[event.ByClock])
		}
	}
	clock := 0
	for _, s := range w.believed(h, event.Without{Ruled: true}).Standings {
		clock += abs(s.Layers[event.ByClock])
	}
	if clock != 6*h.terms.Ends.Forfeit {
		h.t.Errorf("without rulings %d change hands by the clock", clock)
	}
}

func abs(n int) int { return max(n, -n) }
