package event_test

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// stand plays one round of one table with these payments, and returns it.
func stand(t *testing.T, terms func(*bulletin.Event), payments ...[]int) (*world, *event.Table) {
	w := newWorld(t, func(e *bulletin.Event) {
		e.Rounds, e.Seating, e.Sizes, e.Deals = 1, e.Seating[:1], []int{len(payments[0])}, len(payments)
		e.Registration.Late = 1
		if terms != nil {
			terms(e)
		}
	})
	w.register(players(len(payments[0]))...)
	w.roster()
	w.draw()
	w.seat()
	g := w.h.TableGenesis(1, 1)
	table := w.table(g)
	for i, p := range payments {
		table.Lines[i].Payments = p
	}
	return w, table
}

// at is the player at a seat of the first table.
func (w *world) at(seat int) int { return w.h.Rounds[0].Tables[0][seat] }

func (w *world) rule(by, do string, about bulletin.RulingSubject, points ...bulletin.PlayerPoints) wire.Hash {
	w.t.Helper()
	return w.decide(by, bulletin.DecideRuling, bulletin.RulingBody{Do: do, About: about, Points: append([]bulletin.PlayerPoints{}, points...), Grounds: []wire.Hash{}})
}

// totals are by seat of the first table.
func (w *world) totals(without event.LeftOutLayers) []int {
	j := event.Judge(w.h, w.tables, w.size, event.Options{Without: without})
	list := make([]int, len(w.h.Rounds[0].Tables[0]))
	for _, s := range j.Standings {
		if seat := slices.Index(w.h.Rounds[0].Tables[0], s.Number); seat >= 0 {
			list[seat] = s.Total
		}
	}
	return list
}

func (w *world) wantTotals(what string, without event.LeftOutLayers, want ...int) {
	w.t.Helper()
	got := w.totals(without)
	testmust.Holdf(w.t, slices.Equal(got, want), "%s: %v, want %v", what, got, want)
}

// Rulings that take effect twice, not at all, in another order than the log's, or that
// cannot be left out. (Attack 25)
func TestRulings(t *testing.T) {
	none, ruled := event.LeftOutLayers{}, event.LeftOutLayers{Ruled: true}
	w, table := stand(t, nil, []int{3, -1, -2}, []int{-4, 2, 2})
	deal := func(n int) bulletin.RulingSubject { return bulletin.RulingSubject{Table: table.ID.String(), Deal: n} }
	points := func(list ...int) (p []bulletin.PlayerPoints) {
		for seat, n := range list {
			p = append(p, bulletin.PlayerPoints{Player: w.at(seat), Points: n})
		}
		return p
	}
	w.wantTotals("as played", none, -1, 1, 0)
	first := w.rule("arbiter", bulletin.RuleAdjust, deal(1), points(0, 0, 0)...)
	w.wantTotals("a deal adjusted", none, -4, 2, 2)
	w.rule("arbiter", bulletin.RuleAdjust, deal(1), points(10, -5, -5)...)
	w.wantTotals("adjusted again: the later counts alone", none, 6, -3, -3)
	w.wantTotals("without rulings", ruled, -1, 1, 0)
	w.rule("jury", bulletin.RuleOverturn, bulletin.RulingSubject{Entry: first.String()})
	w.wantTotals("one that was replaced is overturned", none, 6, -3, -3)
	second := w.h.Rulings[1].Hash
	w.rule("jury", bulletin.RuleOverturn, bulletin.RulingSubject{Entry: second.String()})
	w.wantTotals("both overturned", none, -1, 1, 0)
	w.rule("arbiter", bulletin.RuleAdjust, deal(0), points(1, 1, -2)...)
	w.wantTotals("the whole table", none, 1, 1, -2)
	_, err := w.try("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleAdjust, About: deal(2), Points: points(9), Grounds: []wire.Hash{}})
	testmust.Hold(t, err != nil, "a deal of a table that was adjusted as a whole")
	w.rule("arbiter", bulletin.RulePenalty, bulletin.RulingSubject{Player: w.at(0), Round: 1}, bulletin.PlayerPoints{Player: w.at(0), Points: -7})
	w.wantTotals("a penalty", none, -6, 1, -2)
	w.rule("arbiter", bulletin.RulePenalty, bulletin.RulingSubject{Player: w.at(0), Round: 1}, bulletin.PlayerPoints{Player: w.at(0), Points: -2})
	w.wantTotals("another in its place", none, -1, 1, -2)
	w.rule("arbiter", bulletin.RuleDisqualify, bulletin.RulingSubject{Player: w.at(1), Round: 1})
	j := w.judge()
	for _, s := range j.Standings {
		testmust.Equal(t, s.Rank == 0, s.Number == w.at(1), "rank", s.Rank, "of number", s.Number)
	}
	w.wantTotals("the others keep theirs", none, -1, 1, -2)
}

// A layer that counts although it is left out, or that is left out although it is proved.
func TestLayers(t *testing.T) {
	w, table := stand(t, nil, []int{3, -1, -2})
	table.State = event.Adjudicated
	table.Lines = append(table.Lines, event.Line{Payments: []int{-40, 20, 20}, Layer: event.ByClock}, event.Line{Payments: []int{5, 0, -5}, Layer: event.Agreed})
	w.wantTotals("all", event.LeftOutLayers{}, -32, 19, 13)
	w.wantTotals("without the clock", event.LeftOutLayers{Clock: true}, 8, -1, -7)
	w.wantTotals("without what was agreed", event.LeftOutLayers{Agreed: true}, -37, 19, 18)
	w.wantTotals("proved", event.LeftOutLayers{Ruled: true, Clock: true, Agreed: true}, 3, -1, -2)
	w.final()
	w.departs(w.judge(), event.VerdictAdjusted)
}

// The deals of a substitute count for the player who left, or the other way round.
func TestSubstitutes(t *testing.T) {
	for _, own := range []string{bulletin.SubstituteOwn, bulletin.SubstituteSeat} {
		w, table := stand(t, func(e *bulletin.Event) { e.Substitute, e.Registration.Late = own, 1 }, []int{3, -1, -2}, []int{-4, 2, 2})
		keys := slices.Clone(table.Terms.Seats)
		keys[1] = w.key("substitute")
		table.Lines[1].Keys = keys
		w.register("substitute")
		w.decide("organiser", bulletin.DecideRoster, bulletin.RosterBody{Accept: []bulletin.AcceptedNotice{{Number: 4, Notice: w.h.Notices[3].Hash}}, Refuse: []bulletin.RefusedNotice{}})
		if own == bulletin.SubstituteSeat {
			w.wantTotals("the seat's", event.LeftOutLayers{}, -1, 1, 0)
			continue
		}
		w.wantTotals("his own", event.LeftOutLayers{}, -1, -1, 0)
		for _, s := range w.judge().Standings {
			testmust.Holdf(t, s.Number != 4 || s.Total == 2, "the substitute has %d", s.Total)
		}
	}
}

// The average for a bye rises because another player has left a table.
func TestForfeitsInNoAverage(t *testing.T) {
	for forfeit, want := range map[bool]int{false: 3 + 20, true: 3} {
		w := newWorld(t, func(e *bulletin.Event) {
			e.Rounds, e.Sizes, e.Seating = 2, []int{2}, []bulletin.Seating{bulletin.SeatAtRandom, bulletin.SeatAtRandom}
		})
		w.enter(3)
		w.round()
		first := w.tables[0]
		first.State, first.Lines = event.Adjudicated, []event.Line{{Deal: 1, Payments: []int{3, 3}, Layer: event.Proved}, {Payments: []int{20, 20}, Layer: event.Agreed, Forfeit: forfeit}}
		w.round()
		bye := w.h.Rounds[1].Byes[0]
		testmust.Require(t, !slices.Contains(w.h.Rounds[0].Byes, bye), "the same player has both byes")
		for _, s := range w.judge().Standings {
			if s.Number == bye {
				testmust.Holdf(t, *s.Rounds[0] == 23 && *s.Rounds[1] == want, "forfeit %v: rounds of %d, and %d for the bye", forfeit, *s.Rounds[0], *s.Rounds[1])
			}
		}
	}
}

// A replay counts besides the table that it replaces, or in place of another one.
func TestReplay(t *testing.T) {
	w, table := stand(t, nil, []int{3, -1, -2})
	again := w.table(w.h.TableGenesis(1, 1))
	again.Lines[0].Payments = []int{0, 1, -1}
	w.wantTotals("the first counts", event.LeftOutLayers{}, 3, -1, -2)
	w.departs(w.judge(), event.NotFinal, event.TableSecond)
	w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleReplay, About: bulletin.RulingSubject{Table: table.ID.String()}, Points: []bulletin.PlayerPoints{}, Instead: again.ID.String(), Grounds: []wire.Hash{}})
	w.wantTotals("the other counts", event.LeftOutLayers{}, 0, 1, -1)
	w.wantTotals("without rulings the first", event.LeftOutLayers{Ruled: true}, 3, -1, -2)
	w.final()
	w.departs(w.judge(), event.VerdictAdjusted)
}

// Places bring more points than there are when seven players share one, which the referee never sees.
func TestPlaces(t *testing.T) {
	w, _ := stand(t, func(e *bulletin.Event) { e.Score, e.Places = bulletin.ScorePlaces, []int{1} }, []int{0, 0, 0, 0, 0, 0, 0})
	w.wantTotals("seven share one, rounded down", event.LeftOutLayers{}, 8, 8, 8, 8, 8, 8, 8)
}

// disqualifies rules a player out from a round on.
func (w *world) disqualifies(player, round int) {
	w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleDisqualify, About: bulletin.RulingSubject{Player: player, Round: round}, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}, Reason: "Marked cards."})
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
	w.decide("organiser", bulletin.DecideFinal, bulletin.FinalBody{Upto: upto, Standings: hex.EncodeToString(digest[:])})
	j := w.judge()
	w.departs(j, event.Misreported, event.StandingsDiffer)
	leader := j.Standings[0].Number
	testmust.Holdf(t, leader != before.Standings[0].Number, "player %d leads, who is disqualified", leader)
}

// An organiser seats a round, by its upto, as it was before a friend was disqualified; and an arbiter
// who has seen the seed rules out a player in whose place others sit.
func TestSeatedFromBeforeARuling(t *testing.T) {
	w := newWorld(t, nil)
	w.drawn(8)
	w.round()
	upto := w.size
	w.disqualifies(1, 2)
	w.draw()
	w.decide("organiser", bulletin.DecideRound, w.seating(2, upto, 1, 1, w.h.Rounds[0].Tables...))
	w.departs(w.judge(), event.NotFinal, event.SeatingUpto, event.SeatingAway, event.SeatingTable)

	w = newWorld(t, nil)
	w.drawn(8)
	w.round()
	w.draw()
	want := testmust.Have(event.NextRound(w.h, w.tables))(t)
	w.decide("organiser", bulletin.DecideRound, w.seating(2, w.size-1, 1, 2))
	w.disqualifies(1, 2)
	_, err := w.try("organiser", bulletin.DecideRound, w.seating(2, want[0].Upto, 2, 2, w.h.Rounds[0].Tables...))
	testmust.Fail(t, err, "a part that follows a ruling ends a round that was begun before it")
	w.seat()
	w.departs(w.judge(), event.NotFinal)
	testmust.Holdf(t, slices.EqualFunc(w.h.Rounds[1].Tables, want[0].Tables, slices.Equal[[]int]),
		"%v play, and before the ruling these were to: %v", w.h.Rounds[1].Tables, want[0].Tables)
	w.play()
	w.seat()
	w.departs(w.judge(), event.NotFinal)
	all := append(slices.Concat(w.h.Rounds[2].Tables...), w.h.Rounds[2].Byes...)
	testmust.Holdf(t, !slices.Contains(all, 1) && len(all) == 7, "%v play, and player 1 is disqualified", all)
}

// seating is a part of a round with these tables, and without byes.
func (w *world) seating(round int, upto uint64, part, parts int, tables ...[]int) bulletin.SeatingBody {
	return bulletin.SeatingBody{Round: round, Upto: upto, Part: part, Parts: parts, Tables: append([][]int{}, tables...), Byes: []int{}}
}
