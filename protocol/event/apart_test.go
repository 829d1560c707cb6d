package event_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
)

// keptApart is an event that keeps players apart, and draws its lots at a table.
func keptApart(t *testing.T, rounds ...bulletin.Seating) *world {
	return newWorld(t, func(e *bulletin.Event) {
		e.Apart, e.Sizes, e.Rounds, e.Seating, e.Registration.Late = true, []int{4}, len(rounds), rounds, len(rounds)
		e.Draw, e.Drawers, e.Commit = bulletin.DrawTable, 1, ""
	})
}

func (w *world) groups(list ...[]int) {
	w.decide("organiser", bulletin.DecideGroups, bulletin.GroupsBody{Groups: list})
}

// atOneTable reports whether two players sit at one table of a round.
func (w *world) atOneTable(round, a, b int) bool {
	return slices.ContainsFunc(w.h.Rounds[round-1].Tables, func(t []int) bool { return slices.Contains(t, a) && slices.Contains(t, b) })
}

// Four of a club and a pair of brothers among sixteen who sit together where they need not; brothers in a club in which all are.
func TestClubsAndGroupsAreParted(t *testing.T) {
	for name, c := range map[string]struct {
		club func(i int) string
		want []int // who is not kept apart, of everybody
	}{
		"a club":       {club: func(i int) string { return []string{"Pagát SE", "", "PAGAT S.E.", "–"}[i%4] }},
		"all one club": {club: func(int) string { return "Pagát" }},
	} {
		t.Run(name, func(t *testing.T) {
			w, i := keptApart(t, bulletin.SeatAtRandom, bulletin.SeatByRank, bulletin.SeatAtRandom), 0
			w.club = func() string { i++; return c.club(i) }
			w.enter(16)
			w.groups([]int{1, 2}, []int{3, 4, 5})
			for r := 1; r <= 3; r++ {
				w.drawAny()
				w.seat()
				for _, pair := range [][2]int{{1, 2}, {3, 4}, {4, 5}, {3, 5}} {
					testmust.Holdf(t, !w.atOneTable(r, pair[0], pair[1]), "%v are together in round %d", pair, r)
				}
				for n, list := range w.h.UnpartedPlayers(w.h.Rounds[r-1]) {
					want := 2 // of the club, which has two for each table
					if name == "all one club" {
						want = 4
					}
					testmust.Equal(t, len(list), want, "not kept apart at table", n+1)
				}
				w.play()
			}
			w.final()
			w.departs(w.judge(), event.Confirmed)
		})
	}
}

// An organiser who names two players when the draw has begun, at which a seed may have been seen; or, for a round by rank, when results
// say who would meet whom; and one who seats as if that counted.
func TestGroupsNamedTooLate(t *testing.T) {
	for name, c := range map[string]struct {
		second bulletin.Seating
		before bool // the draw of the second round
		counts bool
	}{
		"before the draw": {bulletin.SeatAtRandom, true, true}, "after it began": {bulletin.SeatAtRandom, false, false},
		"by the results": {bulletin.SeatByRank, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			seat := func(named []int) (*world, []*bulletin.SeatingBody) {
				w := keptApart(t, bulletin.SeatAtRandom, c.second, bulletin.SeatAtRandom)
				w.enter(16)
				w.drawAny()
				w.round()
				genesis := testmust.Have(w.h.DrawTable(w.tables, w.size))(t)
				if c.before {
					w.groups(named)
				}
				w.sit(genesis)
				if !c.before {
					w.groups(named)
				}
				return w, testmust.Have(event.NextRound(w.h, w.tables))(t)
			}
			_, parts := seat([]int{15, 16}) // the draw is the same, whatever groups there are
			together := parts[0].Tables[1][:2]
			w, parts := seat(together)
			sits := slices.ContainsFunc(parts[0].Tables, func(t []int) bool { return slices.Contains(t, together[0]) && slices.Contains(t, together[1]) })
			testmust.Equal(t, !sits, c.counts, "two who would meet are parted")
			if !c.counts {
				t := parts[0].Tables
				i := slices.Index(t[1], together[0])
				t[1][i], t[0][0] = t[0][0], t[1][i]
				w.decide("organiser", bulletin.DecideRound, parts[0])
				w.departs(w.judge(), event.NotFinal, event.SeatingTable)
			}
		})
	}
}

// Groups in an event that does not keep players apart, or whose organiser knows all lots before; of nobody; by a player.
func TestVoidGroups(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*bulletin.Event)
		by     string
		group  []int
		why    string
	}{
		"not in the terms": {func(e *bulletin.Event) { e.Apart = false }, "organiser", []int{1, 2}, "whose terms say"},
		"lots are known":   {func(e *bulletin.Event) { e.Draw, e.Drawers = bulletin.DrawCommit, 0 }, "organiser", []int{1, 2}, "drawn at a table"},
		"of nobody":        {func(*bulletin.Event) {}, "organiser", []int{1, 9}, "nobody has the number 9"},
		"by an arbiter":    {func(*bulletin.Event) {}, "arbiter", []int{1, 2}, "not entitled"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(e *bulletin.Event) {
				e.Apart, e.Draw, e.Drawers = true, bulletin.DrawTable, 1
				c.change(e)
			})
			w.enter(8)
			testmust.FailSaying(t, testmust.ErrorOf(w.try(c.by, bulletin.DecideGroups, bulletin.GroupsBody{Groups: [][]int{c.group}})), c.why)
		})
	}
}

// Everybody writes the same club, and a seating tries each place for each player: an hour, of a large event. A player goes 16 tables
// far and not one further.
func TestExchangesWithinTables(t *testing.T) {
	seat := func(club map[string]string) []*bulletin.SeatingBody {
		w := keptApart(t, bulletin.SeatAtRandom)
		w.terms.Sizes = []int{2} // of both worlds after the announcement: the draw is the same
		for _, name := range players(80) {
			w.club = func() string { return club[name] }
			w.register(name)
		}
		w.roster()
		w.drawAny()
		return testmust.Have(event.NextRound(w.h, w.tables))(t)
	}
	cut := seat(nil)[0].Tables
	for far, stays := range map[int]bool{15: false, 16: true} {
		club := map[string]string{}
		for _, n := range slices.Concat(cut[:far+1]...) {
			club[players(80)[n-1]] = "Pagát"
		}
		testmust.Equal(t, slices.Equal(seat(club)[0].Tables[0], cut[0]), stays, "the first table stays as it was cut, with others", far, "tables away")
	}
}
