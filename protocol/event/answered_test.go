package event_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// A registration that the organiser answers when the draw has begun: the player has no seat in the round, of an event of
// one round in none, and the report must say so.
func TestAnswerAfterTheDraw(t *testing.T) {
	for _, change := range []func(*wire.Event){
		func(e *wire.Event) { e.Rounds, e.Seating, e.Registration.Late = 1, e.Seating[:1], 1 },
		func(e *wire.Event) { e.Registration.Late = 1 },
		func(e *wire.Event) { e.Registration.Late = 2 },
	} {
		w := newWorld(t, change)
		w.enter(8)
		w.register("victim")
		w.draw()
		w.roster()
		for round := range w.h.Terms.Rounds {
			if round > 0 {
				w.draw()
			}
			w.seat()
			w.play()
		}
		w.final()
		j := w.judge()
		if !slices.ContainsFunc(j.Departures, func(d event.Departure) bool { return d.What == event.Unanswered && d.Round == 1 }) {
			t.Errorf("%d rounds, late %d: %s, %v", w.h.Terms.Rounds, w.h.Terms.Registration.Late, j.Verdict, j.Departures)
		}
	}
}

// A drawer who withdraws between the organiser's last look and the draw: a table with other seats than the event's gives no
// seed, and must not be waited for.
func TestWithdrawalJustBeforeTheDraw(t *testing.T) {
	w := newWorld(t, func(e *wire.Event) { e.Draw, e.Drawers, e.Commit = wire.DrawTable, 3, "" })
	w.enter(8)
	g := w.drawGenesis(1)
	w.tell("player-1", wire.Withdraw, wire.RoundBody{Round: 1})
	spoilt := w.sit(g)
	spoilt.State, spoilt.Faces = event.Unfinished, nil
	if _, err := w.h.DrawTable(w.tables, w.size); errors.As(err, new(*event.DrawOpenError)) {
		t.Fatal("it is waited for")
	}
	w.sit(w.drawGenesis(2))
	w.seat()
}
