package event_test

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// disqualifies rules a player out from a round on.
func (w *world) disqualifies(player, round int) {
	w.decide("arbiter", wire.DecideRuling, wire.RulingBody{Do: wire.RuleDisqualify, About: wire.About{Player: player, Round: round}, Points: []wire.Points{}, Grounds: []wire.Hash{}, Reason: "Marked cards."})
}

// An organiser who publishes the standings as they were before a friend was disqualified.
func TestFinalFromBeforeARuling(t *testing.T) {
	w := newWorld(t, nil)
	w.drawn(8)
	for range 3 {
		w.round()
	}
	before, upto := w.judge(), w.size
	w.disqualifies(before.Standings[0].Number, 1)
	digest := event.HashStandings(w.h.ID, upto, before.Standings)
	w.decide("organiser", wire.DecideFinal, wire.FinalBody{Upto: upto, Standings: hex.EncodeToString(digest[:])})
	j := w.judge()
	w.departs(j, event.Misreported, event.StandingsDiffer)
	if leader := j.Standings[0].Number; leader == before.Standings[0].Number {
		t.Errorf("player %d leads, who is disqualified", leader)
	}
}

// An organiser who seats a round from before a friend was disqualified, by its upto; and an arbiter who
// has seen the seed, and rules somebody out for whom others sit.
func TestSeatedFromBeforeARuling(t *testing.T) {
	w := newWorld(t, nil)
	w.drawn(8)
	w.round()
	upto := w.size
	w.disqualifies(1, 2)
	w.draw()
	w.decide("organiser", wire.DecideRound, w.seating(2, upto, 1, 1, w.h.Rounds[0].Tables...))
	w.departs(w.judge(), event.NotFinal, event.SeatingUpto, event.SeatingAway, event.SeatingTable)

	w = newWorld(t, nil)
	w.drawn(8)
	w.round()
	w.draw()
	want := testmust.Have(event.NextRound(w.h, w.tables))(t)
	w.decide("organiser", wire.DecideRound, w.seating(2, w.size-1, 1, 2))
	w.disqualifies(1, 2)
	_, err := w.try("organiser", wire.DecideRound, w.seating(2, want[0].Upto, 2, 2, w.h.Rounds[0].Tables...))
	testmust.Fail(t, err, "a part that follows a ruling ends a round that was begun before it")
	w.seat()
	w.departs(w.judge(), event.NotFinal)
	if !slices.EqualFunc(w.h.Rounds[1].Tables, want[0].Tables, slices.Equal[[]int]) {
		t.Errorf("%v play, and before the ruling these were to: %v", w.h.Rounds[1].Tables, want[0].Tables)
	}
	w.play()
	w.seat()
	w.departs(w.judge(), event.NotFinal)
	if all := append(slices.Concat(w.h.Rounds[2].Tables...), w.h.Rounds[2].Byes...); slices.Contains(all, 1) || len(all) != 7 {
		t.Errorf("%v play, and player 1 is disqualified", all)
	}
}

// seating is a part of a round with these tables, and without byes.
func (w *world) seating(round int, upto uint64, part, parts int, tables ...[]int) wire.SeatingBody {
	return wire.SeatingBody{Round: round, Upto: upto, Part: part, Parts: parts, Tables: append([][]int{}, tables...), Byes: []int{}}
}
