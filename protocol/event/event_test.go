package event_test

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// A decision by somebody who is not entitled to it, or about something that cannot be decided: it is
// void, and everything goes on. (Attack 24)
func TestVoidDecisions(t *testing.T) {
	w := newWorld(t, nil)
	w.register(players(8)...)
	first := w.h.Notices[0].Hash
	accept := func(number int, notice wire.Hash) bulletin.RosterBody {
		return bulletin.RosterBody{Upto: w.size, Accept: []bulletin.AcceptedNotice{{Number: number, Notice: notice}}, Refuse: []bulletin.RefusedNotice{}}
	}
	round := func(tables [][]int, byes ...int) bulletin.SeatingBody {
		return bulletin.SeatingBody{Round: 1, Part: 1, Parts: 1, Tables: tables, Byes: append([]int{}, byes...)}
	}
	ruling := func(do string, about bulletin.RulingSubject, points ...bulletin.PlayerPoints) bulletin.RulingBody {
		return bulletin.RulingBody{Do: do, About: about, Points: append([]bulletin.PlayerPoints{}, points...), Grounds: []wire.Hash{}}
	}
	void := func(by string, kind bulletin.DecisionKind, body any, why string) {
		t.Helper()
		head := w.h.Head
		testmust.FailSaying(t, testmust.ErrorOf(w.try(by, kind, body)), why, kind, "by", by)
		testmust.Requiref(t, w.h.Head == head, "a void %s moves the head", kind)
	}
	void("player-1", bulletin.DecideRoster, accept(1, first), "not entitled")
	void("arbiter", bulletin.DecideRoster, accept(1, first), "not entitled")
	void("organiser", bulletin.DecideRoster, accept(1, w.h.ID), "waits for an answer")
	void("organiser", bulletin.DecideRoster, bulletin.RosterBody{Upto: w.size + 5, Accept: []bulletin.AcceptedNotice{}, Refuse: []bulletin.RefusedNotice{}}, "after it")
	w.decide("organiser", bulletin.DecideRoster, accept(1, first))
	void("organiser", bulletin.DecideRoster, accept(2, first), "waits for an answer")
	void("organiser", bulletin.DecideRoster, accept(1, w.h.Notices[1].Hash), "on the roster")
	w.roster()
	void("organiser", bulletin.DecideRound, round([][]int{{1, 2, 2}}), "seated twice")
	void("organiser", bulletin.DecideRound, round([][]int{{1, 2, 3}}, 3), "seated twice")
	void("organiser", bulletin.DecideRound, round([][]int{{1, 2, 9}}), "nobody has the number 9")
	void("organiser", bulletin.DecideRound, bulletin.SeatingBody{Round: 2, Part: 1, Parts: 1, Tables: [][]int{}, Byes: []int{}}, "not the one that is to be seated")
	void("organiser", bulletin.DecideRound, bulletin.SeatingBody{Round: 1, Part: 2, Parts: 2, Tables: [][]int{}, Byes: []int{}}, "part 2 of 2")
	void("organiser", bulletin.DecidePlan, bulletin.PlanBody{Round: 1, Part: 1, Parts: 1, Tables: [][]int{}}, "not seated by a plan")
	void("organiser", bulletin.DecideRuling, ruling(bulletin.RuleAdjust, bulletin.RulingSubject{Table: w.h.ID.String()}, bulletin.PlayerPoints{Player: 1}), "not entitled")
	void("arbiter", bulletin.DecideRuling, ruling(bulletin.RulePenalty, bulletin.RulingSubject{Player: 9}, bulletin.PlayerPoints{Player: 9}), "nobody has the number 9")
	void("arbiter", bulletin.DecideRuling, ruling(bulletin.RulePenalty, bulletin.RulingSubject{Player: 1}, bulletin.PlayerPoints{Player: 2}), "must say about whom")
	void("arbiter", bulletin.DecideRuling, ruling(bulletin.RuleAdjust, bulletin.RulingSubject{Deal: 1}, bulletin.PlayerPoints{Player: 2}), "must say about whom")
	void("arbiter", bulletin.DecideRuling, ruling(bulletin.RuleUphold, bulletin.RulingSubject{Entry: w.h.ID.String()}), "no ruling that can be upheld")
	penalty := w.decide("arbiter", bulletin.DecideRuling, ruling(bulletin.RulePenalty, bulletin.RulingSubject{Player: 1}, bulletin.PlayerPoints{Player: 1, Points: -5}))
	void("arbiter", bulletin.DecideRuling, ruling(bulletin.RuleOverturn, bulletin.RulingSubject{Entry: penalty.String()}), "of their own")
	w.decide("jury", bulletin.DecideRuling, ruling(bulletin.RuleOverturn, bulletin.RulingSubject{Entry: penalty.String()}))
	void("jury", bulletin.DecideRuling, ruling(bulletin.RuleUphold, bulletin.RulingSubject{Entry: penalty.String()}), "has decided on this ruling")
	w.decide("organiser", bulletin.DecideArbiters, bulletin.ArbitersBody{Arbiters: []string{}, Jury: []string{}})
	void("arbiter", bulletin.DecideRuling, ruling(bulletin.RulePenalty, bulletin.RulingSubject{Player: 1}, bulletin.PlayerPoints{Player: 1}), "not entitled") // dismissed
	w.decide("organiser", bulletin.DecideCancel, bulletin.RemarkBody{Text: "The hall is flooded."})
	void("organiser", bulletin.DecideFinal, bulletin.FinalBody{Standings: strings.Repeat("0", 64)}, "is over")
	testmust.Equal(t, len(w.h.Void), 21, "entries are void")
}

// A notice that takes effect although it is somebody else's, repeated, or by nobody on the roster.
func TestVoidNotices(t *testing.T) {
	w := newWorld(t, nil)
	void := func(e *bulletin.Entry, why string) {
		t.Helper()
		testmust.FailSaying(t, w.h.TakeEntry(e, w.next()), why)
	}
	notice := func(by string, kind bulletin.NoticeKind, body any) *bulletin.Notice {
		return &bulletin.Notice{Format: bulletin.NoticeFormat, Event: w.h.ID, Seen: w.h.ID, By: w.key(by), Kind: kind, Body: w.body(body)}
	}
	register := bulletin.RegisterBody{Name: "B"}
	void(w.sign("a", notice("b", bulletin.Register, register)), "signature is by")
	other := notice("b", bulletin.Register, register)
	other.Event = wire.Hash{1}
	void(w.sign("b", other), "another event")
	unseen := notice("b", bulletin.Register, register)
	unseen.Seen = wire.Hash{1}
	void(w.sign("b", unseen), "last seen")
	void(w.sign("b", notice("b", bulletin.Withdraw, bulletin.RoundBody{Round: 1})), "not registered")
	void(w.sign("b", notice("b", bulletin.Withdraw, bulletin.RoundBody{Round: 4})), "no round 4")
	void(w.sign("b", notice("b", bulletin.Call, bulletin.CallBody{})), "on the roster")
	void(w.sign("b", notice("b", bulletin.Appeal, bulletin.AppealBody{})), "on the roster")
	void(w.sign("organiser", w.terms), "in the log before")
	good := w.sign("b", notice("b", bulletin.Register, register))
	testmust.Do(t, w.h.TakeEntry(good, w.next()))
	void(good, "in the log before")
	w.roster()
	void(w.sign("b", notice("b", bulletin.Register, bulletin.RegisterBody{Name: "C"})), "with the number 1")
	testmust.Holdf(t, len(w.h.Players) == 1 && len(w.h.Notices) == 1, "%d players, %d notices", len(w.h.Players), len(w.h.Notices))
}

// An organiser who prefers friends: every departure is named, and nothing else. (Attacks 26, 30, 31)
func TestDepartures(t *testing.T) {
	for name, c := range map[string]struct {
		terms   func(*bulletin.Event)
		round   int
		cheat   func(w *world)
		verdict event.Verdict
		want    []event.DepartureKind
	}{
		"skips a registration": {round: 0, cheat: func(w *world) {
			w.register("late-1", "late-2")
			w.decide("organiser", bulletin.DecideRoster, bulletin.RosterBody{Upto: w.size, Accept: []bulletin.AcceptedNotice{{Number: 9, Notice: w.h.Notices[9].Hash}}, Refuse: []bulletin.RefusedNotice{}})
		}, want: []event.DepartureKind{event.RosterSkipped, event.Unanswered}},
		"refuses whom it does not like": {round: 0, cheat: func(w *world) {
			w.register("late-1")
			w.decide("organiser", bulletin.DecideRoster, w.refuses(8))
		}, want: []event.DepartureKind{event.RosterRefused}},
		"refuses for want of places that others have since": {terms: func(e *bulletin.Event) { e.Registration.Max = 9 }, round: 0, cheat: func(w *world) {
			w.register("late-1", "late-2")
			b := w.refuses(8)
			b.Accept = []bulletin.AcceptedNotice{{Number: 9, Notice: w.h.Notices[9].Hash}}
			w.decide("organiser", bulletin.DecideRoster, b)
		}, want: []event.DepartureKind{event.RosterRefused}},
		"refuses for want of places that others have from above upto": {terms: func(e *bulletin.Event) { e.Registration.Max = 9 }, round: 0, cheat: func(w *world) {
			upto := w.size
			w.register("late-1", "late-2")
			w.decide("organiser", bulletin.DecideRoster, bulletin.RosterBody{Upto: upto, Accept: []bulletin.AcceptedNotice{{Number: 9, Notice: w.h.Notices[9].Hash}}, Refuse: []bulletin.RefusedNotice{}})
			w.decide("organiser", bulletin.DecideRoster, w.refuses(8))
		}, want: []event.DepartureKind{event.RosterRefused}},
		"renumbers": {round: 0, cheat: func(w *world) {
			w.register("late-1", "late-2")
			w.decide("organiser", bulletin.DecideRoster, bulletin.RosterBody{Upto: w.size, Accept: []bulletin.AcceptedNotice{{Number: 10, Notice: w.h.Notices[8].Hash}, {Number: 9, Notice: w.h.Notices[9].Hash}}, Refuse: []bulletin.RefusedNotice{}})
		}, want: []event.DepartureKind{event.RosterOrder}},
		"accepts who withdrew": {round: 0, cheat: func(w *world) {
			w.register("late-1")
			testmust.Have(w.tell("late-1", bulletin.Withdraw, bulletin.RoundBody{Round: 1}))(t)
			w.decide("organiser", bulletin.DecideRoster, bulletin.RosterBody{Upto: w.size, Accept: []bulletin.AcceptedNotice{{Number: 9, Notice: w.h.Notices[8].Hash}}, Refuse: []bulletin.RefusedNotice{}})
		}, want: []event.DepartureKind{event.RosterWithdrawn}},
		"takes a friend too late": {round: 3, cheat: func(w *world) {
			w.register("late-1")
			w.decide("organiser", bulletin.DecideRoster, bulletin.RosterBody{Upto: w.size, Accept: []bulletin.AcceptedNotice{{Number: 9, Notice: w.h.Notices[8].Hash}}, Refuse: []bulletin.RefusedNotice{}})
		}, want: []event.DepartureKind{event.RosterLate}},
		"another secret": {round: 0, cheat: func(w *world) {
			w.decide("organiser", bulletin.DecideDraw, bulletin.DrawBody{Secret: []byte("a better one")})
		}, want: []event.DepartureKind{event.DrawSecret}},
		"another table of a place": {round: 2, cheat: func(w *world) {
			w.table(w.h.TableGenesis(1, 1))
		}, want: []event.DepartureKind{event.TableSecond}},
		"a table with other terms": {round: 1, cheat: func(w *world) {
			g := w.h.TableGenesis(1, 1)
			g.Deals = 1
			w.table(g)
		}, want: []event.DepartureKind{event.TableTerms}},
		"a table with an arbiter of its own": {round: 1, cheat: func(w *world) {
			g := w.h.TableGenesis(1, 1)
			g.Arbiters = append(g.Arbiters, w.key("friend"))
			w.table(g)
		}, want: []event.DepartureKind{event.TableTerms}},
		"a table with an arbiter who was dismissed": {round: 1, cheat: func(w *world) {
			g := w.h.TableGenesis(1, 1)
			w.decide("organiser", bulletin.DecideArbiters, bulletin.ArbitersBody{Arbiters: []string{}, Jury: []string{}})
			w.table(g)
		}, want: []event.DepartureKind{event.TableTerms}},
		"a table with other players": {round: 1, cheat: func(w *world) {
			g := w.h.TableGenesis(1, 1)
			g.Seats[0], g.Names[0] = w.key("friend"), "friend"
			w.table(g)
		}, want: []event.DepartureKind{event.TableTerms}},
		"publishes before the end": {round: 4, cheat: func(w *world) {
			last := w.tables[len(w.tables)-1]
			last.State, last.Lines = event.Unfinished, last.Lines[:1]
		}, want: []event.DepartureKind{event.TableUnfinished}},
		"does not begin a table": {round: 4, cheat: func(w *world) {
			w.tables = w.tables[:len(w.tables)-1]
		}, want: []event.DepartureKind{event.TableMissing}},
		"hides a foul": {round: 4, cheat: func(w *world) {
			last := w.tables[len(w.tables)-1]
			last.State, last.Lines = event.Foul, last.Lines[:1]
		}, verdict: event.FoulOpen, want: []event.DepartureKind{event.TableFoul}},
		"leaves an appeal open": {round: 4, cheat: func(w *world) {
			ruling := w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RulePenalty, About: bulletin.RulingSubject{Player: 1}, Points: []bulletin.PlayerPoints{{Player: 1, Points: -10}}, Grounds: []wire.Hash{}})
			testmust.Have(w.tell("player-1", bulletin.Appeal, bulletin.AppealBody{Ruling: ruling}))(t)
		}, want: []event.DepartureKind{event.AppealOpen}},
		"publishes too soon": {terms: func(e *bulletin.Event) { e.Protest = 600 }, round: 4, cheat: func(w *world) {
			w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleCorrect, Reason: "Her name is spelt with an é.", Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}})
		}, want: []event.DepartureKind{event.ProtestShort}},
		"publishes when the last table is over": {terms: func(e *bulletin.Event) { e.Protest = 600 }, round: 4, cheat: func(*world) {}, want: []event.DepartureKind{event.ProtestShort}},
		"adjusts one-sidedly": {round: 4, cheat: func(w *world) {
			t := w.tables[0]
			w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleAdjust, About: bulletin.RulingSubject{Table: t.ID.String(), Deal: 1}, Points: []bulletin.PlayerPoints{{Player: w.h.Rounds[0].Tables[0][0], Points: 30}}, Grounds: []wire.Hash{}})
		}, want: []event.DepartureKind{event.RulingSum}},
		"rules on a deal that there is not": {round: 4, cheat: func(w *world) {
			t := w.tables[0]
			w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleAdjust, About: bulletin.RulingSubject{Table: t.ID.String(), Deal: 9}, Points: []bulletin.PlayerPoints{{Player: w.h.Rounds[0].Tables[0][0], Points: 0}}, Grounds: []wire.Hash{}})
		}, want: []event.DepartureKind{event.RulingDeal}},
		"rules on a table of nobody": {round: 4, cheat: func(w *world) {
			w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleStands, About: bulletin.RulingSubject{Table: w.h.ID.String()}, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}})
		}, want: []event.DepartureKind{event.RulingTable}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.terms)
			w.cup(8, func(round int) {
				if round == c.round {
					c.cheat(w)
				}
			})
			if c.verdict == "" {
				c.verdict = event.VerdictAdjusted
			}
			w.departs(w.judge(), c.verdict, c.want...)
		})
	}
}

// A check passes before the thing it is about has come.
func TestNotYet(t *testing.T) {
	w := newWorld(t, nil)
	yet := func(when string, want ...event.Check) {
		t.Helper()
		var list []event.Check
		for _, c := range w.judge().Checks {
			if c.Outcome == event.NotYet {
				list = append(list, c.ID)
			}
		}
		testmust.Holdf(t, slices.Equal(list, want), "%s not yet: %v", when, list)
	}
	yet("announced", event.CheckRoster, event.CheckDraw, event.CheckSeating, event.CheckTables, event.CheckAppeals, event.CheckStandings)
	w.register(players(8)...)
	yet("registered", event.CheckRoster, event.CheckDraw, event.CheckSeating, event.CheckTables, event.CheckAppeals, event.CheckStandings)
	w.roster()
	w.draw()
	yet("drawn", event.CheckSeating, event.CheckTables, event.CheckAppeals, event.CheckStandings)
	w.round()
	w.round()
	yet("two rounds", event.CheckTables, event.CheckAppeals, event.CheckStandings)
	w.seat()
	yet("seated", event.CheckTables, event.CheckAppeals, event.CheckStandings)
	w.play()
	w.tables[len(w.tables)-1].State = event.Unfinished
	yet("a table in play", event.CheckTables, event.CheckAppeals, event.CheckStandings)
	w.tables[len(w.tables)-1].State = event.Sound
	yet("played", event.CheckAppeals, event.CheckStandings)
	w.final()
	yet("published")
}

// An event that begins with fewer players than announced, because one has registered twice, or has
// withdrawn.
func TestEntrantsAreCounted(t *testing.T) {
	w := newWorld(t, nil)
	counts := func(want int, what string) {
		t.Helper()
		testmust.Equal(t, w.h.CountEntrants(), want, what)
	}
	w.register("anna", "bela")
	testmust.Have(w.tell("bela", bulletin.Register, bulletin.RegisterBody{Name: "Bela again"}))(t)
	counts(2, "bela twice")
	w.roster()
	w.register("csilla")
	counts(3, "csilla waits")
	testmust.Have(w.tell("csilla", bulletin.Withdraw, bulletin.RoundBody{Round: 1}))(t)
	testmust.Have(w.tell("anna", bulletin.Withdraw, bulletin.RoundBody{Round: 1}))(t)
	counts(1, "anna and csilla have withdrawn")
}

// The time to appeal is counted from before the end of the last table, or from a table at which play
// goes on after a ruling, so that nobody could ever publish.
func TestProtestBegins(t *testing.T) {
	w := newWorld(t, func(e *bulletin.Event) { e.Protest = 600 })
	w.cup(8, func(round int) {
		if round == 2 {
			w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleCorrect, Reason: "Her name is spelt with an é.", Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}})
		}
	})
	for _, c := range []struct {
		last    event.State
		begin   uint64
		elapsed int64
		want    int64
	}{{event.Sound, w.tables[len(w.tables)-1].Last, 600, 0}, {event.Sound, w.tables[len(w.tables)-1].Last, 590, 10}, {event.Unfinished, w.tables[len(w.tables)-2].Last, 600, 0}} {
		w.tables[len(w.tables)-1].State = c.last
		j := event.Judge(w.h, w.tables, w.size, event.Options{Elapsed: func(from, to uint64) int64 {
			testmust.Holdf(t, from == c.begin && to == w.h.Final.Index, "from entry %d to %d", from, to)
			return c.elapsed
		}})
		testmust.Equal(t, j.Protest, c.want, "seconds are left", c)
	}
}

// refuses is a roster that refuses a notice, by its place.
func (w *world) refuses(notice int) bulletin.RosterBody {
	return bulletin.RosterBody{Upto: w.size, Accept: []bulletin.AcceptedNotice{}, Refuse: []bulletin.RefusedNotice{{Notice: w.h.Notices[notice].Hash, Reason: "The hall is full."}}}
}

// An organiser who answers a registration too late for the round that it asked for.
func TestAnsweredTooLate(t *testing.T) {
	w := newWorld(t, func(e *bulletin.Event) { e.Registration.Late = 0 })
	w.cup(8, func(round int) {
		switch round {
		case 0:
			w.register("late-1")
		case 1:
			w.roster()
		}
	})
	w.departs(w.judge(), event.VerdictAdjusted, event.Unanswered)
}

// Registrations that the method refuses, or that come while the standings are being published, are
// listed as departures.
func TestRefusedWithGround(t *testing.T) {
	w := newWorld(t, func(e *bulletin.Event) { e.Registration.Max, e.Registration.Late = 4, 0 })
	w.register(players(4)...)
	testmust.Have(w.tell("player-2", bulletin.Register, bulletin.RegisterBody{Name: "Player 2 again"}))(t)
	w.register("away", "one-too-many")
	testmust.Have(w.tell("away", bulletin.Withdraw, bulletin.RoundBody{Round: 1}))(t)
	w.roster()
	w.draw()
	w.round()
	w.register("too-late")
	w.roster()
	for range 2 {
		w.round()
	}
	final := event.NextFinal(w.h, w.tables, w.size)
	w.register("at-the-last-moment")
	w.decide("organiser", bulletin.DecideFinal, final)
	w.departs(w.judge(), event.Confirmed)
}

// Two players are exchanged, a friend is given a bye, or a seating is made before results. (Attack 29)
func TestSeatingDepartures(t *testing.T) {
	for name, c := range map[string]struct {
		cheat func(b *bulletin.SeatingBody)
		want  []event.DepartureKind
	}{
		"exchanges two":         {func(b *bulletin.SeatingBody) { b.Tables[0][0], b.Tables[1][0] = b.Tables[1][0], b.Tables[0][0] }, []event.DepartureKind{event.SeatingTable}},
		"exchanges seats":       {func(b *bulletin.SeatingBody) { b.Tables[0][0], b.Tables[0][1] = b.Tables[0][1], b.Tables[0][0] }, []event.DepartureKind{event.SeatingTable}},
		"gives another the bye": {func(b *bulletin.SeatingBody) { b.Tables[0][0], b.Byes[0] = b.Byes[0], b.Tables[0][0] }, []event.DepartureKind{event.SeatingTable, event.SeatingByes}},
		"leaves one out":        {func(b *bulletin.SeatingBody) { b.Byes = []int{} }, []event.DepartureKind{event.SeatingLeft, event.SeatingByes}},
		"by what came later":    {func(b *bulletin.SeatingBody) { b.Upto++ }, []event.DepartureKind{event.SeatingUpto}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(e *bulletin.Event) { e.Sizes = []int{4}; e.Rounds, e.Seating = 2, e.Seating[:2] })
			w.drawn(9)
			w.round()
			w.draw()
			parts := testmust.Have(event.NextRound(w.h, w.tables))(t)
			c.cheat(parts[0])
			w.decide("organiser", bulletin.DecideRound, parts[0])
			w.play()
			w.final()
			w.departs(w.judge(), event.VerdictAdjusted, c.want...)
		})
	}
}

// A player who has said that he stays away is seated, or one who is present is not.
func TestAbsence(t *testing.T) {
	w := newWorld(t, nil)
	w.cup(9, func(round int) {
		switch round {
		case 1:
			testmust.Have(w.tell("player-3", bulletin.Withdraw, bulletin.RoundBody{Round: 2}))(t)
			w.tell("player-4", bulletin.Skip, bulletin.RoundBody{Round: 2})
			w.register("late")
			w.roster()
		}
	})
	w.departs(w.judge(), event.Confirmed)
	for n, want := range map[int][]bool{3: {true, false, false}, 4: {true, false, true}, 10: {false, true, true}} {
		for r, there := range want {
			seated := slices.Contains(append(slices.Concat(w.h.Rounds[r].Tables...), w.h.Rounds[r].Byes...), n)
			testmust.Equal(t, seated, there, "player", n, "in round", r+1)
		}
	}
	w = newWorld(t, nil)
	w.enter(8)
	w.tell("player-1", bulletin.Skip, bulletin.RoundBody{Round: 1})
	w.draw()
	w.decide("organiser", bulletin.DecideRound, w.seating(1, w.size-1, 1, 1, []int{1, 2, 3, 4}, []int{5, 6, 7, 8}))
	w.departs(w.judge(), event.NotFinal, event.SeatingAway, event.SeatingTable)
}

// Standings that the organiser made up: off by a point, or with two tied players exchanged. (Attack 32)
func TestMisreported(t *testing.T) {
	for name, change := range map[string]func([]event.Standing){
		"a point": func(list []event.Standing) { list[3].Total++ },
		"a rank":  func(list []event.Standing) { list[0].Number, list[1].Number = list[1].Number, list[0].Number },
	} {
		w := newWorld(t, nil)
		w.drawn(8)
		for range 3 {
			w.round()
		}
		honest := w.judge()
		w.departs(honest, event.NotFinal)
		list := slices.Clone(honest.Standings)
		change(list)
		digest := event.HashStandings(w.h.ID, w.size, list)
		w.decide("organiser", bulletin.DecideFinal, bulletin.FinalBody{Upto: w.size, Standings: wire.Hash(digest).String()})
		j := w.judge()
		w.departs(j, event.Misreported, event.StandingsDiffer)
		testmust.Holdf(t, j.Checks[8].Outcome == event.Failed && j.Verdict.ExitCode() == 7, "%s: %+v", name, j.Checks)
	}
}

// A player makes honest standings look made up, by playing on at a table that the organiser has given
// up. Below the index the log must be as it was.
func TestPlayedOnAfterTheEnd(t *testing.T) {
	w := newWorld(t, nil)
	w.cup(8, func(round int) {
		if round == 4 {
			last := w.tables[len(w.tables)-1]
			last.State = event.Unfinished
			w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleStands, About: bulletin.RulingSubject{Table: last.ID.String()}, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}, Reason: "Given up."})
		}
	})
	before := w.judge()
	w.departs(before, event.VerdictAdjusted)
	last := w.tables[len(w.tables)-1]
	line := w.line(3, 4)
	line.Index = w.next()
	last.Lines, last.Last, last.State = append(last.Lines, line), line.Index, event.Sound
	after := w.judge()
	w.departs(after, event.VerdictAdjusted)
	testmust.Equal(t, after.Digest, before.Digest, "other standings")
}

// An arbiter who is also in the jury under another name, and judges his own ruling.
func TestJuryUnderAnotherName(t *testing.T) {
	seed := sha256.Sum256([]byte("arbiter")) // as the key of that name has it
	skey, vkey, err := note.GenerateKey(bytes.NewReader(seed[:]), "judge")
	testmust.Do(t, err)
	w := newWorld(t, func(e *bulletin.Event) { e.Jury = []string{vkey} })
	w.signers["judge"] = testmust.Have(note.NewSigner(skey))(t)
	w.keys["judge"] = vkey
	w.enter(4)
	own := w.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RulePenalty, About: bulletin.RulingSubject{Player: 1}, Points: []bulletin.PlayerPoints{{Player: 1, Points: -5}}, Grounds: []wire.Hash{}})
	if _, err := w.try("judge", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleUphold, About: bulletin.RulingSubject{Entry: own.String()}, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}}); err == nil {
		t.Error("upheld by whoever ruled")
	}
}

// A player who was not let in, or who has another player's ticket.
func TestTickets(t *testing.T) {
	w := newWorld(t, func(e *bulletin.Event) { e.Registration.Door = e.Arbiters[0] })
	ticket := testmust.Have(bulletin.SignTicket(w.h.ID, w.key("player-1"), w.signers["arbiter"]))(t)
	for _, name := range players(3) {
		w.tell(name, bulletin.Register, bulletin.RegisterBody{Name: wire.Text(name), Ticket: ticket})
	}
	honest := w.h.NextRoster(w.size)
	testmust.Holdf(t, len(honest.Accept) == 1 && len(honest.Refuse) == 2 && honest.Refuse[0].Reason == "no ticket", "the door let in %+v", honest)
	w.decide("organiser", bulletin.DecideRoster, bulletin.RosterBody{Upto: w.size, Accept: []bulletin.AcceptedNotice{{Number: 1, Notice: w.h.Notices[0].Hash}, {Number: 2, Notice: w.h.Notices[1].Hash}}, Refuse: []bulletin.RefusedNotice{{Notice: w.h.Notices[2].Hash, Reason: "no"}}})
	w.departs(w.judge(), event.NotFinal, event.RosterTicket)
}

// An organiser who publishes while a friend leads.
func TestTooFewRounds(t *testing.T) {
	w := newWorld(t, nil)
	w.drawn(8)
	w.round()
	w.final()
	w.departs(w.judge(), event.VerdictAdjusted, event.RoundMissing)
}

// An organiser's program was killed between the parts of a seating, and seats the rest differently or
// never; or it was killed between two plans.
func TestGoesOnWithParts(t *testing.T) {
	w := newWorld(t, func(e *bulletin.Event) {
		e.Sizes, e.Registration, e.Rounds, e.Seating = []int{2}, bulletin.Registration{Max: 1100}, 1, e.Seating[:1]
	})
	w.drawn(1004)
	parts, err := event.NextRound(w.h, w.tables)
	testmust.Requiref(t, err == nil && len(parts) == 2, "%d parts, %v", len(parts), err)
	w.decide("organiser", bulletin.DecideRound, parts[0])
	w.size += 10 // others play meanwhile
	rest, err := event.NextRound(w.h, w.tables)
	testmust.Requiref(t, err == nil && len(rest) == 1 && w.h.CountSeated() == 0, "%d parts, %v", len(rest), err)
	w.decide("organiser", bulletin.DecideRound, rest[0])
	w.departs(w.judge(), event.NotFinal)
	testmust.Hold(t, w.h.CountSeated() == 1, "the round lacks parts")
	testmust.Fail(t, testmust.ErrorOf(event.NextRound(w.h, w.tables)), "a round after the last")
	w = newWorld(t, func(e *bulletin.Event) {
		e.Seating = []bulletin.Seating{bulletin.SeatByPlan, bulletin.SeatAtRandom, bulletin.SeatByPlan}
	})
	w.decide("organiser", bulletin.DecidePlan, bulletin.PlanBody{Round: 1, Part: 1, Parts: 1, Tables: [][]int{{1, 2, 3, 4}}})
	left := w.h.UnplannedRounds()
	testmust.Holdf(t, slices.Equal(left, []int{3}), "rounds %v lack a plan", left)
}
