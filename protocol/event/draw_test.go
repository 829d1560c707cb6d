package event_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// drawGenesis is a table of the draw.
func (w *world) drawGenesis(number int, late ...string) *wire.Genesis {
	e := w.terms
	g := &wire.Genesis{
		Format: wire.TableFormat2, Event: w.h.ID.String(), Number: number, Game: event.DrawGame, Suite: e.Suite, Options: map[string]string{}, Deals: 1,
		Fouls: e.Fouls, Clock: e.Clock, Ends: e.Ends, Organiser: e.Organiser, Arbiters: e.Arbiters, Seats: w.h.Drawers(w.size, late),
	}
	g.Names = make([]wire.Text, len(g.Seats))
	return g
}

// sit plays a table of the draw to its end.
func (w *world) sit(g *wire.Genesis) *event.Table {
	t := w.table(g)
	t.Lines = nil
	for i := range uint16(event.Faces) {
		t.Faces = append(t.Faces, i+uint16(len(w.tables)))
	}
	return t
}

// A draw that is ordered again until friends sit together, or made by others than those who are due.
// The first that is finished counts, and all are listed. A drawer who keeps the last token back is
// named and is not among the next drawers; it changes nothing if he comes back to that table later, or
// claims that others are late there. (Attacks 27, 28)
func TestDrawTable(t *testing.T) {
	terms := func(e *bulletin.Event) {
		e.Draw, e.Drawers, e.Commit, e.Rounds, e.Seating, e.Registration.Late = bulletin.DrawTable, 3, "", 1, e.Seating[:1], 1
	}
	for name, c := range map[string]struct {
		draw func(w *world)
		want []event.DepartureKind
	}{
		"one": {draw: func(w *world) { w.sit(w.drawGenesis(1)) }},
		"a second": {func(w *world) {
			w.sit(w.drawGenesis(1))
			w.sit(w.drawGenesis(2))
		}, []event.DepartureKind{event.DrawAgain}},
		"drawers out of order": {func(w *world) {
			g := w.drawGenesis(1)
			slices.Reverse(g.Seats[1:])
			w.sit(g)
			w.sit(w.drawGenesis(2))
		}, []event.DepartureKind{event.DrawTerms}},
		"puppets": {func(w *world) {
			g := w.drawGenesis(1)
			g.Seats[3] = w.key("friend")
			w.sit(g)
			w.sit(w.drawGenesis(2))
		}, []event.DepartureKind{event.DrawTerms}},
		"closed by the organiser": {func(w *world) {
			first := w.sit(w.drawGenesis(1))
			first.State, first.Closed = event.Adjudicated, true
			w.sit(w.drawGenesis(2))
		}, []event.DepartureKind{event.DrawClosed}},
		"the last token kept back twice": {draw: func(w *world) {
			var late []string
			for i := range 2 {
				table := w.sit(w.drawGenesis(i+1, late...))
				late = append(late, table.Terms.Seats[3])
				table.State, table.Failed = event.Unfinished, map[string]uint64{late[i]: table.Last}
			}
			w.sit(w.drawGenesis(3, late...))
		}, want: []event.DepartureKind{event.DrawUnfinished}},
		"given up while one player is waited for": {draw: func(w *world) {
			first := w.sit(w.drawGenesis(1))
			first.State, first.Waits = event.Unfinished, first.Terms.Seats[3:]
			w.sit(w.drawGenesis(2))
		}, want: []event.DepartureKind{event.DrawUnfinished}},
		"ended by a foul": {draw: func(w *world) {
			first := w.sit(w.drawGenesis(1))
			first.State, first.Failed = event.Foul, map[string]uint64{first.Terms.Seats[3]: first.Last}
			w.sit(w.drawGenesis(2, first.Terms.Seats[3]))
		}, want: []event.DepartureKind{event.DrawUnfinished}},
		"again without the one who was late, and with": {func(w *world) {
			first := w.sit(w.drawGenesis(1))
			first.State, first.Failed = event.Unfinished, map[string]uint64{first.Terms.Seats[3]: first.Last}
			w.sit(w.drawGenesis(2))
			w.sit(w.drawGenesis(3, first.Terms.Seats[3]))
		}, []event.DepartureKind{event.DrawTerms, event.DrawUnfinished}},
		"a decision names another": {func(w *world) {
			w.sit(w.drawGenesis(1))
			w.decide("organiser", bulletin.DecideDraw, bulletin.DrawBody{Table: w.h.ID.String(), Secret: []byte{}})
		}, []event.DepartureKind{event.DrawOther}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, terms)
			w.enter(8)
			c.draw(w)
			w.seat()
			for n := range w.h.Rounds[0].Tables {
				w.table(w.h.TableGenesis(1, n+1))
			}
			w.final()
			verdict := event.Confirmed
			if c.want != nil || len(w.tables) > 3 {
				verdict = event.VerdictAdjusted
			}
			w.departs(w.judge(), verdict, c.want...)
		})
	}
	for name, later := range map[string]func(w *world, first *event.Table){
		"over":         func(w *world, first *event.Table) { first.State, first.Last = event.Sound, w.next() },
		"another late": func(w *world, first *event.Table) { first.Failed[first.Terms.Seats[2]] = w.next() },
	} {
		w := newWorld(t, terms)
		w.enter(8)
		first := w.sit(w.drawGenesis(1))
		first.State, first.Failed = event.Unfinished, map[string]uint64{first.Terms.Seats[3]: first.Last}
		w.sit(w.drawGenesis(2, first.Terms.Seats[3]))
		w.round()
		w.final()
		before := w.judge()
		w.departs(before, event.VerdictAdjusted, event.DrawUnfinished)
		list := before.Departures
		testmust.Holdf(t, len(list) == 1 && list[0].Player == 3 && list[0].Entry == first.ID, "listed: %v, and player 3 was late", list)
		later(w, first)
		if after := w.judge(); after.Verdict != event.VerdictAdjusted || after.Draws[1].Seed != before.Draws[1].Seed || after.Digest != before.Digest {
			t.Errorf("%s: %s, with the seed %x after %x", name, after.Verdict, after.Draws[1].Seed, before.Draws[1].Seed)
		}
	}
	w := newWorld(t, terms)
	w.enter(8)
	testmust.Fail(t, testmust.ErrorOf(event.NextRound(w.h, w.tables)), "seated without a draw")
	w.decide("organiser", bulletin.DecideRound, w.seating(1, w.size, 1, 1, []int{1, 2, 3, 4}, []int{5, 6, 7, 8}))
	w.departs(w.judge(), event.NotFinal, event.DrawNone, event.SeatingTable)
}

// A seed chosen among several, or a player chosen when the seed is known, by the time at which the
// table of a draw begins or ends. One draw counts in each round, and the draws that do not count are
// listed.
func TestDrawsOfRounds(t *testing.T) {
	seated := func(w *world, round int) []int {
		r := w.h.Rounds[round-1]
		return slices.Sorted(slices.Values(append(slices.Concat(r.Tables...), r.Byes...)))
	}
	for name, c := range map[string]struct {
		second func(w *world) *event.Table // plays round 1, and returns the draw of round 2
		want   []event.DepartureKind
		plays  int // round 2
	}{
		"begun before the round before was seated": {func(w *world) *event.Table {
			early := w.sit(w.drawGenesis(2))
			early.State = event.Unfinished
			w.round()
			early.State, early.Last = event.Sound, w.next()
			testmust.Fail(w.t, testmust.ErrorOf(event.NextRound(w.h, w.tables)), "a round by a draw of the round before")
			return w.sit(w.drawGenesis(3))
		}, []event.DepartureKind{event.DrawAgain}, 8},
		"two at a time": {func(w *world) *event.Table {
			w.round()
			first := w.sit(w.drawGenesis(2))
			second := w.sit(w.drawGenesis(3))
			first.Last = w.next()
			return second
		}, []event.DepartureKind{event.DrawAgain}, 8},
		"over when the round is seated": {func(w *world) *event.Table {
			w.round()
			draw := w.sit(w.drawGenesis(2))
			late := w.sit(w.drawGenesis(3))
			late.State = event.Unfinished
			w.seat()
			late.State, late.Last = event.Sound, w.next()
			return draw
		}, []event.DepartureKind{event.DrawAgain}, 8},
		"they come, go and are ruled out while it is played": {second: func(w *world) *event.Table {
			w.round()
			draw := w.sit(w.drawGenesis(2))
			w.register("puppet")
			w.roster()
			testmust.Have(w.tell("player-5", bulletin.Withdraw, bulletin.RoundBody{Round: 2}))(w.t)
			w.disqualifies(6, 2)
			draw.Last = w.next()
			return draw
		}, plays: 8},
		"a drawer has withdrawn, another is disqualified": {second: func(w *world) *event.Table {
			w.round()
			testmust.Have(w.tell("player-1", bulletin.Withdraw, bulletin.RoundBody{Round: 2}))(w.t)
			w.disqualifies(2, 2)
			g := w.drawGenesis(2)
			testmust.Holdf(w.t, slices.Equal(g.Seats[1:], []string{w.key("player-3"), w.key("player-4"), w.key("player-5")}), "these draw: %v", g.Seats)
			return w.sit(g)
		}, plays: 6},
		"while a table is in play": {func(w *world) *event.Table {
			w.round()
			draw := w.sit(w.drawGenesis(2))
			w.tables[len(w.tables)-2].Last = w.next()
			return draw
		}, []event.DepartureKind{event.SeatingEarly}, 8},
		"after the last round": {func(w *world) *event.Table {
			w.round()
			draw := w.sit(w.drawGenesis(2))
			w.round()
			w.sit(w.drawGenesis(3))
			return draw
		}, []event.DepartureKind{event.DrawAgain}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(e *bulletin.Event) {
				e.Draw, e.Drawers, e.Rounds, e.Seating, e.Registration.Late = bulletin.DrawTable, 3, 2, e.Seating[:2], 2
			})
			w.enter(8)
			w.sit(w.drawGenesis(1))
			draw := c.second(w)
			if w.h.CountSeated() < 2 {
				w.seat()
			}
			j := w.judge()
			w.departs(j, event.NotFinal, c.want...)
			if d := j.Draws[2]; d.Table != draw || d.From != draw.Index || w.h.Rounds[1].Upto != draw.Index {
				t.Errorf("the draw of round 2 is %+v, and the round is seated by index %d", d, w.h.Rounds[1].Upto)
			}
			all := seated(w, 2)
			testmust.Holdf(t, len(all) == c.plays, "%v have lots in round 2, want %d", all, c.plays)
		})
	}
}

// An organiser who plans who meets whom after the lots have given the places.
func TestPlannedAfterTheDraw(t *testing.T) {
	w := newWorld(t, func(e *bulletin.Event) { e.Seating[0], e.Seating[1] = bulletin.SeatByPlan, bulletin.SeatByPlan })
	w.enter(8)
	plan := bulletin.PlanBody{Round: 1, Part: 1, Parts: 1, Tables: [][]int{{1, 2, 3, 4}, {5, 6, 7, 8}}}
	w.decide("organiser", bulletin.DecidePlan, plan)
	w.round()
	w.departs(w.judge(), event.NotFinal)
	plan.Round = 2
	w.decide("organiser", bulletin.DecidePlan, plan)
	w.round()
	w.departs(w.judge(), event.NotFinal, event.PlanLate)
}

// A registration that the organiser answers after the draw has begun. The player has no seat in that
// round, and none at all in an event of one round; the report must say so.
func TestAnswerAfterTheDraw(t *testing.T) {
	for _, change := range []func(*bulletin.Event){
		func(e *bulletin.Event) { e.Rounds, e.Seating, e.Registration.Late = 1, e.Seating[:1], 1 },
		func(e *bulletin.Event) { e.Registration.Late = 1 },
		func(e *bulletin.Event) { e.Registration.Late = 2 },
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
		testmust.Holdf(t, slices.ContainsFunc(j.Departures, func(d event.Departure) bool { return d.What == event.Unanswered && d.Round == 1 }),
			"%d rounds, late %d: %s, %v", w.h.Terms.Rounds, w.h.Terms.Registration.Late, j.Verdict, j.Departures)
	}
}

// A drawer who withdraws between the organiser's last look and the draw. A table with other seats than
// the event's gives no seed, and nobody must wait for it.
func TestWithdrawalJustBeforeTheDraw(t *testing.T) {
	w := newWorld(t, func(e *bulletin.Event) { e.Draw, e.Drawers, e.Commit = bulletin.DrawTable, 3, "" })
	w.enter(8)
	g := w.drawGenesis(1)
	w.tell("player-1", bulletin.Withdraw, bulletin.RoundBody{Round: 1})
	spoilt := w.sit(g)
	spoilt.State, spoilt.Faces = event.Unfinished, nil
	_, err := w.h.DrawTable(w.tables, w.size)
	testmust.Require(t, !errors.As(err, new(*event.DrawOpenError)), "it is waited for")
	w.sit(w.drawGenesis(2))
	w.seat()
}

// Somebody registers with 24 keys, waits for the draw, and withdraws with all except the one that then
// meets the victim. Whoever withdraws, nobody else changes seats.
func TestPuppetsWithdrawAfterTheDraw(t *testing.T) {
	const puppets = 24
	var seated [][]int
	for stays := range puppets {
		w := newWorld(t, nil)
		w.enter(9)
		var names []string
		for i := range puppets {
			names = append(names, fmt.Sprintf("puppet-%d", i+1))
		}
		w.register(names...)
		w.roster()
		w.draw()
		for i, name := range names {
			if i != stays {
				w.tell(name, bulletin.Withdraw, bulletin.RoundBody{Round: 1})
			}
		}
		w.seat()
		w.departs(w.judge(), event.NotFinal)
		if seated == nil {
			seated = w.h.Rounds[0].Tables
		}
		testmust.Requiref(t, slices.EqualFunc(seated, w.h.Rounds[0].Tables, slices.Equal[[]int]),
			"with puppet %d alone they sit as %v, with another as %v", stays+1, w.h.Rounds[0].Tables, seated)
	}
}

// Somebody who has seen the draw, and registers with as many keys as it takes until one of them has the
// lot he wants.
func TestRegistersAfterTheDraw(t *testing.T) {
	w := newWorld(t, nil)
	w.drawn(8)
	w.register("puppet-1", "puppet-2", "puppet-3")
	w.roster()
	w.seat()
	w.departs(w.judge(), event.NotFinal)
	all := append(slices.Concat(w.h.Rounds[0].Tables...), w.h.Rounds[0].Byes...)
	testmust.Holdf(t, len(all) == 8, "%v have lots, and 8 were there", all)
	w.play()
	w.seat()
	w.departs(w.judge(), event.NotFinal)
	all = append(slices.Concat(w.h.Rounds[1].Tables...), w.h.Rounds[1].Byes...)
	testmust.Holdf(t, len(all) == 11, "%v have lots in the next round, and 11 are there", all)
}

// The lots of a later round are known while it can still be decided who plays in it.
func TestSeedOfEachRound(t *testing.T) {
	w := newWorld(t, nil)
	w.drawn(8)
	_, drawn := w.judge().Draws[2]
	testmust.Hold(t, !drawn, "round 2 is drawn before round 1 is seated")
	seeds := map[event.Seed]bool{}
	for range 3 {
		w.round()
		testmust.Fail(t, testmust.ErrorOf(event.NextRound(w.h, w.tables)), "a round without a draw")
	}
	for _, d := range w.judge().Draws {
		seeds[d.Seed] = true
	}
	testmust.Equal(t, len(seeds), 3, "seeds for three rounds")
}

// recordedDraw is a seed as docs/spec/vectors/event has it: of a table and its faces, or of a
// secret and notices; and a lot that it gives.
type recordedDraw struct {
	Table   string   `json:"table,omitempty"`
	Faces   []uint16 `json:"faces,omitempty"`
	Secret  string   `json:"secret,omitempty"`
	Notices []string `json:"notices,omitempty"`
	Commit  string   `json:"commit,omitempty"` // of an event in which the secret is that of the round
	Seed    string   `json:"seed"`
	Round   int      `json:"round"`
	Player  int      `json:"player"`
	Lot     string   `json:"lot"`
}

// draws are made by the package.
func draws() (list []recordedDraw) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 6 {
		d := recordedDraw{Round: r.IntN(1000), Player: 1 + r.IntN(65535)}
		var seed event.Seed
		if i%2 == 0 {
			id := wire.HashEntry(fmt.Append(nil, i))
			for _, f := range r.Perm(52)[:event.Faces] {
				d.Faces = append(d.Faces, uint16(f))
			}
			d.Table, seed = id.String(), event.SeedOfTable(id, d.Faces)
		} else {
			var notices []wire.Hash
			for n := range i {
				notices = append(notices, wire.HashEntry(fmt.Append(nil, i, n)))
				d.Notices = append(d.Notices, notices[n].String())
			}
			secret := fmt.Append(nil, "secret ", i)
			d.Secret, seed = hex.EncodeToString(secret), event.SeedOfSecret(secret, notices)
			d.Commit = hex.EncodeToString(event.HashSecret(secret, d.Round))
		}
		lot := seed.Lot(d.Round, d.Player)
		d.Seed, d.Lot = hex.EncodeToString(seed[:]), hex.EncodeToString(lot[:])
		list = append(list, d)
	}
	return list
}

// holds recomputes a draw from 56.1 alone.
func (d recordedDraw) holds() bool {
	var b []byte
	if d.Table != "" {
		id, _ := hex.DecodeString(d.Table)
		b = append([]byte("pakli-draw/v1\n"), id...)
		for _, f := range d.Faces {
			b = binary.BigEndian.AppendUint16(b, f)
		}
	} else {
		b, _ = hex.DecodeString(d.Secret)
		commit := b
		for range d.Round {
			sum := sha256.Sum256(commit)
			commit = sum[:]
		}
		if hex.EncodeToString(commit) != d.Commit {
			return false
		}
		for _, n := range d.Notices {
			hash, _ := hex.DecodeString(n)
			b = append(b, hash...)
		}
	}
	seed := sha256.Sum256(b)
	lot := append([]byte("pakli-lot/v1\n"), seed[:]...)
	lot = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(lot, uint16(d.Round)), uint16(d.Player))
	return hex.EncodeToString(seed[:]) == d.Seed && fmt.Sprintf("%x", sha256.Sum256(lot)) == d.Lot
}

// A seed or a lot that another implementation cannot compute.
func TestDrawVectors(t *testing.T) {
	var b bytes.Buffer
	for i, d := range draws() {
		testmust.Hold(t, d.holds(), "draw", i, "is not as specified", d)
		b.Write(append(testmust.Have(json.Marshal(d))(t), '\n'))
	}
	same(t, "draws.jsonl", b.Bytes())
}

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

// Four members of a club and a pair of brothers among sixteen players sit together although they need
// not; so do brothers in a club to which everybody belongs.
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

// An organiser who names two players after the draw has begun, when a seed may have been seen, or for a
// round by rank when results show who would meet whom; and one who seats as if that counted.
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

// Groups in an event that does not keep players apart, or whose organiser knows all lots beforehand;
// groups of nobody; groups named by a player.
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

// Everybody writes the same club, and a seating tries each place for each player, which takes an hour
// in a large event. A player must move at most 16 tables.
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
