package skat_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// chooser is a player: what he does, or nil to wait.
type chooser func(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error)

var sensible chooser = (*tabletest.Table).Choose

// reckless does anything that is allowed, but ends no deal early.
func reckless(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
	moves := t.Moves(seat)
	if public(t).Stage == skat.Playing {
		moves = slices.DeleteFunc(moves, func(m json.RawMessage) bool { return !strings.HasPrefix(string(m), `{"play"`) })
	}
	m, _ := play.RandomMove(moves, random)
	return m, nil
}

// careless bids and announces as the bot does, and plays any card.
func careless(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
	if public(t).Stage == skat.Playing {
		return reckless(t, seat, random)
	}
	return sensible(t, seat, random)
}

// timid bids on nothing, and plays any card.
func timid(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
	if public(t).Stage == skat.Bidding {
		return t.Moves(seat)[0], nil
	}
	return reckless(t, seat, random)
}

// playedBy is a table that is over, with a chooser at each seat.
func playedBy(c tabletest.Config, seed uint64, seats ...chooser) (*tabletest.Table, error) {
	t, err := tabletest.New(game, c, seed)
	for random := rand.New(rand.NewPCG(seed, 1)); err == nil && len(t.State.Duties()) > 0; {
		var entry []byte
		if entry, err = nextEntry(t, random, seats); err == nil {
			err = t.Add(entry)
		}
	}
	return t, err
}

// nextEntry is a step, or the move of the first who is due and does not wait.
func nextEntry(t *tabletest.Table, random *rand.Rand, seats []chooser) ([]byte, error) {
	d := t.State.Duties()[0]
	if d.Kind != table.Move {
		return t.Next()
	}
	for _, seat := range d.Seats {
		if m, err := seats[seat](t, seat, random); err != nil || m != nil {
			return t.HonestMessage(seat, d, m)
		}
	}
	return nil, fmt.Errorf("deal %d, %s: all of seats %v wait", public(t).Deal.Number, public(t).Stage, d.Seats)
}

// duel is what one player wins per deal and seat against two of another kind, and what
// one of those loses: each deal is played once with the one at every seat.
func duel(t *testing.T, deals uint64, one, other chooser) (won, lost float64) {
	t.Helper()
	ones, others := 0, 0
	for seed := range deals {
		for place := range 3 {
			seats := []chooser{other, other, other}
			seats[place] = one
			played := testmust.Have(playedBy(tabletest.Config{Seats: 3, Deals: 1}, seed, seats...))(t, "seed", seed, "place", place)
			result, _ := played.State.Result()
			for seat, n := range result {
				if seat == place {
					ones += n
				} else {
					others += n
				}
			}
		}
	}
	return float64(ones) / float64(3*deals), float64(others) / float64(6*deals)
}

// A bot that wins no more than chance does, or only because others bid what nobody can
// reach: it is better than who bids as it does and plays any card, and as a defender
// against two such.
func TestBotBeatsChance(t *testing.T) {
	testmust.OnlyThorough(t, "hundreds of deals are played")
	const deals = 60
	for _, c := range []struct {
		name    string
		other   chooser
		atLeast float64
	}{{"anything", reckless, 25}, {"any card", careless, 10}, {"any card, and bid on none", timid, 10}} {
		won, lost := duel(t, deals, sensible, c.other)
		t.Logf("one bot against two that play %s: %+.1f and %+.1f points per deal and seat", c.name, won, lost)
		testmust.Holdf(t, won-lost >= c.atLeast, "against two that play %s the bot wins %.1f more, want %v", c.name, won-lost, c.atLeast)
		lost, won = duel(t, deals, c.other, sensible)
		t.Logf("two bots against one that plays %s: %+.1f and %+.1f", c.name, won, lost)
		testmust.Hold(t, won > lost, "two bots do worse than one that plays", c.name)
	}
}

// Bots among themselves: they lose too many games if they bid on nothing, pass in most
// deals if they are afraid, and end no game early if they see nothing coming.
func TestBotsAtATable(t *testing.T) {
	testmust.OnlyThorough(t, "hundreds of deals are played")
	const deals = 300
	list := testmust.Have(playedBy(tabletest.Config{Seats: 3, Deals: deals}, 1, sensible, sensible, sensible))(t)
	ends, games, won, overbid, hand, points := map[string]int{}, map[skat.Game]int{}, 0, 0, 0, 0
	for _, past := range public(list).Past {
		ends[past.How]++
		if past.Result == nil {
			continue
		}
		games[past.Contract.Game]++
		points += past.Result.Score
		if past.Result.Won {
			won++
		}
		if past.Result.Overbid {
			overbid++
		}
		if past.Contract.Hand {
			hand++
		}
	}
	played := deals - ends[skat.PassedIn]
	t.Logf("%d deals: %v, games %v, %d by hand, won %d of %d, %d overbid, %.1f points a game", deals, ends, games, hand, won, played, overbid, float64(points)/float64(played))
	testmust.Hold(t, won*100 >= 70*played && ends[skat.PassedIn]*100 <= 15*deals && overbid*100 <= 4*deals && len(games) >= len(skat.Games) && ends[skat.Claimed] != 0,
		"this is no table of fair players")
}

// The bot has a move in every state that it comes into, and can prove it: one that
// waits where only it can move, or whose move is refused, stops a table for good. Every
// option is played in every value, two of the options by default, with three seats and four; half of the tables with
// seats that do whatever is allowed half of the time, and so bring it where no bot would come.
func TestBotAlwaysMoves(t *testing.T) {
	anything := func(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
		if random.IntN(2) > 0 {
			return sensible(t, seat, random)
		}
		m, _ := play.RandomMove(t.Moves(seat), random)
		return m, nil
	}
	tables, chosen := 0, testmust.SomeOf(t, len(skat.Options()), 3)
	for i, option := range skat.Options() {
		for j, value := range option.Values {
			if !chosen(i) {
				continue
			}
			c := tabletest.Config{Seats: 3 + (i+j)%2, Deals: 2, Options: options{option.Name: value}}
			if option.Name == "limit" {
				c.Options["score"] = skat.OptBierlachs
			}
			for _, player := range []chooser{sensible, anything} {
				tables++
				testmust.Do(t, testmust.ErrorOf(playedBy(c, uint64(tables), slices.Repeat([]chooser{player}, c.Seats)...)), c, "table", tables)
			}
		}
	}
}

// One source of chance gives one list: a bot that looks at the clock, or goes through a
// map, cannot be replayed.
func TestBotIsDeterministic(t *testing.T) {
	list := func() wire.Hash {
		c := tabletest.Config{Seats: 4, Deals: 2, Options: options{"kontra": "any", "ramsch": "schieber"}}
		return testmust.Have(playedBy(c, 5, sensible, sensible, sensible, sensible))(t).State.Head()
	}
	testmust.Equal(t, list(), list(), "two lists from one source of chance differ")
}

// BenchmarkBotDeal is a deal of three bots by a suite that hides nothing. What they think is
// reported besides: the rest is the rules and the messages.
func BenchmarkBotDeal(b *testing.B) {
	var thought time.Duration
	timed := func(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
		defer func(start time.Time) { thought += time.Since(start) }(time.Now())
		return sensible(t, seat, random)
	}
	for seed := range uint64(b.N) {
		testmust.Have(playedBy(tabletest.Config{Seats: 3, Deals: 1}, seed, timed, timed, timed))(b)
	}
	b.ReportMetric(float64(thought.Microseconds())/1000/float64(b.N), "ms-thought/op")
}

func set(t *testing.T, names string) (s card.Set) {
	t.Helper()
	for _, f := range faces(t, names) {
		s = s.AddFace(card.Face(f))
	}
	return s
}

// A bid on nothing, and a pass with a hand that anybody would play: at 18, and as far
// as the hand goes.
func TestWorth(t *testing.T) {
	for _, c := range []struct {
		hand string
		bid  int
		bids bool
	}{
		{"7C 8C KS 9S QH 8H 7H KD 9D QD", 18, false},
		{"JC JS AC 10C KC 8C AS 7S AH 9D", 18, true},
		{"JC JS AC 10C KC 8C AS 7S AH 9D", 36, true},
		{"JC JS AC 10C KC 8C AS 7S AH 9D", 120, false}, // overbid
		{"7C 8C 9C 7S 9S 7H 8H 7D 9D JD", 23, true},    // null
		{"7C 8C 9C 7S 9S 7H 8H 7D 9D JD", 59, true},    // open, by hand
		{"7C 8C 9C 7S 9S 7H 8H 7D 9D JD", 60, false},
		{"JC JS JH JD AC 10C AS 10S AH AD", 96, true}, // grand
	} {
		worth := skat.HandWorth(set(t, c.hand), c.bid, false)
		testmust.Holdf(t, (worth > 0) == c.bids, "%s at %d is worth %.1f", c.hand, c.bid, worth)
	}
}

// Discards that throw a trump away, keep a bare ten, or leave a suit behind that could
// be cleared; and a game that cannot reach the bid where another one can.
func TestAfterSkat(t *testing.T) {
	plan := skat.PlanAfterSkat(set(t, "JH JD AC 10C KC 8C 7C AS 7S 9S 10D 9H"), 18, false)
	if plan.Contract.Game != skat.ClubsGame || !plan.Aside.Has(card.Face(faces(t, "10D")[0])) || plan.Aside.Minus(skat.ClubsGame.Cards(skat.Trump)) != plan.Aside {
		t.Errorf("plays %v and lays aside %v", plan.Contract, skat.Faces(plan.Aside))
	}
	twelve := set(t, "JC JH AD 10D KD 8D 7D 7S KS AH 10C 9H")
	plan = skat.PlanAfterSkat(twelve, 18, false)
	testmust.Holdf(t, plan.Contract.Game == skat.DiamondsGame, "plays %v, of diamonds", plan.Contract)
	plan = skat.PlanAfterSkat(twelve, 48, false)
	testmust.Holdf(t, plan.Contract.Game != skat.DiamondsGame, "plays %v, worth 18, at 48", plan.Contract)
	if plan := skat.PlanAfterSkat(set(t, "7C 9C JC 7S 9S 7H 8H 7D 9D JD AS AH"), 18, false); plan.Contract.Game != skat.Null || plan.Aside != set(t, "AS AH") {
		t.Errorf("plays %v and lays aside %v", plan.Contract, skat.Faces(plan.Aside))
	}
}

// A claim of tricks that somebody could take: a higher card, a trump left over, or
// another one on the way there.
func TestSure(t *testing.T) {
	others := func(hand, out string) skat.TrickSituation {
		at := skat.TrickSituation{Game: skat.ClubsGame, Declarer: 0, Hand: set(t, hand), Left: [3]int{4, 4, 4}}
		at.Could[1], at.Could[2] = set(t, out), set(t, out)
		return at
	}
	for _, c := range []struct {
		hand, out string
		sure      bool
	}{
		{"JC JS AC AH", "7C 8C 7H 8H 9H 7D 8D 9D", true},
		{"JC JS AC AH", "7C 8C 9C 10C 7H 8H 9H 7D", false},
		{"JC JS AC KH", "7C 8C 7H 8H AH 7D 8D 9D", false},
		{"JC JH AC AH", "JS 8C 7H 8H 9H 7D 8D 9D", false},
		{"JC JS JH JD", "AC 8C 9C 10C KC QC 7C 7D", true},
	} {
		testmust.Equal(t, others(c.hand, c.out).IsSure(), c.sure, c.hand, "against", c.out)
	}
	follows := others("JC JS AC AH", "7C 8C 7H 8H 9H 7D 8D 9D")
	follows.Trick, follows.Leader = faces(t, "7D"), 2
	testmust.Hold(t, !follows.IsSure(), "sure of a trick that another leads")
}

// Cards that give points away, or take a trick that should be left: what every club
// teaches first.
func TestCards(t *testing.T) {
	const rest = "JH AC 7C 8C 9C QC KC 7S 8S 9S QS KS 7H 8H 9H QH 7D 8D QD KD"
	for _, c := range []struct {
		name             string
		game             skat.Game
		declarer, leader int
		trick, hand      string
		want             string
	}{
		{"smears the partner's trick", skat.ClubsGame, 1, 1, "9H AH", "10H 7H KD 8S", "10H"},
		{"gives the declarer's trick nothing", skat.ClubsGame, 2, 1, "9H AH", "10H 7H KD 8S", "7H"},
		{"takes points as the last", skat.ClubsGame, 1, 1, "10S QS", "AS 7S 8D", "AS"},
		{"draws trumps", skat.ClubsGame, 0, 0, "", "JC JS 10C KC AH 7D", "JC"},
		{"trumps what counts", skat.ClubsGame, 0, 1, "AS 10S", "9C JC 7D", "9C"},
		{"goes under in a null", skat.Null, 0, 1, "9S QS", "AS JS 7S", "JS"},
		{"leaves the declarer the trick of a null", skat.Null, 2, 1, "8S KS", "AS JS", "JS"},
		{"goes under in a Ramsch, with what counts", skat.Grand, skat.Nobody, 1, "AS KS", "10S 9S 7S", "10S"},
	} {
		at := skat.TrickSituation{Game: c.game, Declarer: c.declarer, Player: 0, Leader: c.leader, Trick: faces(t, c.trick), Hand: set(t, c.hand)}
		n := at.Hand.Len()
		for p := 1; p < 3; p++ {
			at.Could[p] = set(t, rest).Minus(at.Hand).Minus(skat.SetOf(at.Trick...))
			at.Left[p] = min(n, at.Could[p].Len())
		}
		testmust.Equal(t, at.BestCard(), faces(t, c.want)[0], c.name, "plays")
	}
}
