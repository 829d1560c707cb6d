package fivecarddraw_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// FD-R-16, FD-R-17, FD-A-12: rare honest deals that a table refuses, or pays to the wrong seat.
func TestHonest(t *testing.T) {
	noLimit := options{"limit": "none", "ante": "0"}
	blinds := options{"limit": "none", "ante": "0", "small-blind": "1", "big-blind": "2"}
	for _, c := range []struct {
		name   string
		o      options
		dealer table.Seat
		chips  []int
		hands  []string // from the left of the dealer
		says   string
		pays   []int
	}{
		{name: "all fold to the big blind", o: blinds, chips: []int{20, 20, 20}, says: "0:f 1:f", pays: []int{0, -1, 1}},
		{name: "everybody checks, a showdown for nothing", o: noLimit, chips: []int{9, 9, 9}, says: "1:k 2:k 0:k 1:d 2:d 0:d 1:k 2:k 0:k 1:s 2:s 0:s", pays: []int{0, 0, 0}},
		{name: "ante all-in with one chip", o: options{"ante": "3", "limit": "none"}, chips: []int{20, 1, 20}, hands: []string{aces, nothing, tens},
			says: "2:k 0:k 1:d 2:d 0:d 2:k 0:k 1:s 2:m 0:s", pays: []int{1, 2, -3}},
		{name: "small blind all-in, big blind not asked", o: blinds, chips: []int{1, 50}, hands: []string{tens, jacks}, says: "1:d 0:d 1:m", pays: []int{1, -1}},
		{name: "five pots", o: noLimit, chips: []int{5, 10, 15, 20, 25, 25}, hands: []string{aces, nothing, tens, "3S 6S 9S 10D KD", "4D 7S 8D JH QH", "4C 6C 8H 10H KS"},
			says: "1:10 2:15 3:20 4:25 5:c 0:c 1:d 2:d 3:d 4:d 5:d 0:d 1:s 2:m 3:s 4:s 5:s 0:m", pays: []int{-5, 45, -15, 15, -15, -25}},
		{name: "all-in before the exchange", o: noLimit, chips: []int{9, 9}, hands: []string{nothing, nothing2}, says: "1:9 0:c 1:d0 0:d 1:s 0:m", pays: []int{-9, 9}},
		{name: "six exchange 5 5 5 5 2 0", o: noLimit, chips: []int{9, 9, 9, 9, 9, 9},
			says: "1:k 2:k 3:k 4:k 5:k 0:k 1:d01234 2:d01234 3:d01234 4:d01234 5:d34 0:d 1:2 2:f 3:f 4:f 5:f 0:f", pays: []int{0, 0, 0, 0, 0, 0}},
		{name: "the last to bet mucks, and the other wins unseen", o: noLimit, chips: []int{9, 9}, hands: []string{aces, tens}, says: "1:k 0:k 1:d 0:d 1:4 0:c 1:m", pays: []int{4, -4}},
		{name: "all muck but one", o: noLimit, chips: []int{9, 9, 9}, says: "1:3 2:c 0:c 1:d 2:d 0:d 1:k 2:k 0:k 1:m 2:m", pays: []int{6, -3, -3}},
		{name: "three equal hands, two odd chips", o: options{"limit": "none", "ante": "2"}, dealer: 3, chips: []int{9, 9, 9, 9},
			hands: []string{"AC KS QD JH 9C", "AS KD QH JC 9S", "AD KH QC JS 9D", nothing}, says: "0:k 1:k 2:k 3:f 0:d 1:d 2:d 0:k 1:k 2:k 0:s 1:s 2:s", pays: []int{1, 1, 0, -2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mixes := asIs
			if c.hands != nil {
				mixes = stacked(t, "", c.hands...)
			}
			b := from(t, c.o, mixes, c.dealer, c.chips...).say(t, c.says)
			testmust.Holdf(t, len(b.s.Past) == 1 && slices.Equal(b.s.Past[0].Pays, c.pays), "paid %+v, want %v; stage %s", b.s.Past, c.pays, b.s.Stage)
		})
	}
}

const nothing2 = "4C 6C 8H 10H KS"

// FD-R-34, FD-A-20, FD-A-27: the stock runs out although discards come back, and a seat may put no more
// away; the openers of an opener are mixed into the stock. What comes back, and to whom, the referee
// says in TestConformance.
func TestStockRunsOut(t *testing.T) {
	all := " 1:d01234 2:d01234 3:d01234 4:d01234"
	b := begin(t, 6, 1, options{"limit": "none", "ante": "0", "reshuffle": "discards"}, asIs).say(t, "1:k 2:k 3:k 4:k 5:k 0:k"+all)
	n := b.s.Exchangeable()
	testmust.Requiref(t, b.s.Deal.StockSize() == 2 && n == 5, "with %d cards left the fifth seat may put %d away", b.s.Deal.StockSize(), n)
	o := begin(t, 6, 1, options{"openers": "jacks", "reshuffle": "discards"}, stacked(t, "", jacks, tens, aces, nothing, nothing2, "2C 5H 8D QS KH"))
	o.say(t, "1:2 2:c 3:c 4:c 5:c 0:c"+all+" 5:d01234 0:d")
	if len(o.s.Deal.Returned) != 15 || !slices.Equal(o.s.Deal.Aside(1), o.s.Deal.Dealt[1]) {
		t.Fatalf("what the opener put away: %v of %v, back came %v", o.s.Deal.Aside(1), o.s.Deal.Dealt[1], o.s.Deal.Returned)
	}
	o.say(t, "1:k 2:k 3:k 4:k 5:k 0:k 1:s 2:s 3:s 4:s 5:s 0:s")
	proofs := o.Moves(o.s, o.view(1))
	testmust.Requiref(t, len(proofs) == 2, "the openers are gone: %v", proofs)
	o.say(t, "1:o")
	testmust.Holdf(t, o.s.Stage == fivecarddraw.Over, "openers that were put away are not taken: %s", o.s.Stage)
	no := begin(t, 6, 1, options{"limit": "none", "ante": "0"}, asIs).say(t, "1:k 2:k 3:k 4:k 5:k 0:k"+all)
	no.refuses(t, "FD-R-33", "5:d012")
}

// FD-R-56: a seat wins by not disclosing, or pays more than it has; a share goes to another seat than
// the one with the second hand; a deal that was disclosed is taken back.
func TestForfeits(t *testing.T) {
	o := options{"limit": "none", "ante": "0", "silent": "forfeits", "stack": "20"}
	script := "1:4 2:c 0:f 1:d 2:d 1:k 2:k 1:s 2:s" // the aces of 1 beat the tens of 2
	hands := stacked(t, "", aces, tens, nothing)
	for _, c := range []struct {
		name   string
		o      options
		deals  int
		says   string
		silent table.Seat
		want   []int
	}{
		{"the second hand wins", o, 1, script, 1, []int{0, -4, 4}},
		{"the loser is silent", o, 1, script, 2, []int{0, 4, -4}},
		{"who is out of it is silent", o, 1, script, 0, []int{0, 4, -4}},
		{"nobody else claims the pot", o, 1, "1:5 2:c 0:c 1:d 2:d 0:d 1:k 2:k 0:2 1:f 2:f", 0, []int{-5, 3, 2}},
		{"as far as its chips go", o, 2, "1:10 2:c 0:f 1:d 2:d 1:k 2:k 1:s 2:s 2:10 0:20 1:c 2:d 0:d 1:d 2:s 0:s 1:m", 1, []int{0, -20, 20}},
	} {
		b := begin(t, 3, c.deals, c.o, hands).say(t, c.says)
		if got, ok := b.Forfeit(b.s, c.silent); !ok || b.s.Stage != fivecarddraw.Over || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v at the stage %s, want %v", c.name, got, ok, b.s.Stage, c.want)
		}
	}
	each := begin(t, 3, 2, options{"limit": "none", "ante": "0", "silent": "forfeits", "stack": "20", "disclose": "deal"}, hands).say(t, script)
	each.say(t, "2:f 0:5 1:f")
	got, _ := each.Forfeit(each.s, 1)
	testmust.Holdf(t, slices.Equal(got, []int{0, 4, -4}), "the deal that it has disclosed is taken back: %v", got)
	waits := begin(t, 2, 1, options{"disclose": "table"}, asIs).say(t, "1:f")
	_, ok := waits.Forfeit(waits.s, 0)
	testmust.Hold(t, !ok, "with silent=waits there is a result")
}

// FD-R-53, FD-R-60 to FD-R-62, FD-A-16, FD-A-23, FD-A-24: antes vanish when nobody opens, or come to
// the wrong seat; an opener that folded is not asked; one without jacks wins.
func TestOpeners(t *testing.T) {
	o := options{"openers": "jacks", "stack": "20"}
	b := begin(t, 3, 3, o, stacked(t, "", jacks, aces, nothing)).say(t, "1:k 2:k 0:k")
	testmust.Requiref(t, b.s.Left == 3 && b.s.Deal.Number == 2 && b.s.Deal.Dealer == 1 && b.s.InMiddle() == 6, "passed in: %+v", b.s)
	b.say(t, "2:k 0:k 1:k")
	testmust.Requiref(t, b.s.Left == 6 && b.s.Deal.Number == 3, "passed in twice: %+v", b.s)
	b.say(t, "0:2 1:c 2:c") // 0 sits left of the dealer 2, and has jacks
	b.say(t, "0:d01 1:d 2:d 0:k 1:4 2:c 0:f 1:s 2:m")
	testmust.Requiref(t, b.s.Stage == fivecarddraw.Opening && b.s.Deal.Opener == 0 && !b.s.Deal.Live[0],
		"the opener folded, and is asked: %s %+v", b.s.Stage, b.s.Deal)
	b.say(t, "0:o") // the jacks put away
	testmust.Holdf(t, b.s.Stage == fivecarddraw.Over && b.s.Past[2].Pots[0].Chips == 9+6+8 && b.s.Past[2].Left == 0,
		"%s, %+v", b.s.Stage, b.s.Past[2])
	bluff := begin(t, 2, 2, o, stacked(t, "", nothing, tens)).say(t, "1:2 0:f")
	bluff.say(t, "1:o")
	testmust.Holdf(t, bluff.s.Left == 2 && bluff.s.Chips[1]+bluff.s.Deal.Paid[1] == 19,
		"without jacks the pot stays: left %d, chips %v", bluff.s.Left, bluff.s.Chips)
	bluff.say(t, "0:k 1:k")
	if bluff.s.Stage != fivecarddraw.Over || !slices.Equal(bluff.Result(bluff.s), []int{0, 0}) {
		t.Errorf("what is left at the end is shared: %v", bluff.Result(bluff.s))
	}
	folded := begin(t, 3, 2, o, asIs).say(t, "1:f 2:f")
	testmust.Holdf(t, folded.s.Left == 3 && folded.s.Deal.Number == 2 && folded.s.Past[0].Pays[0] == -1, "all but one folded, and nobody opened: %+v", folded.s)
	short := begin(t, 3, 9, options{"openers": "jacks", "stack": "1"}, asIs)
	testmust.Holdf(t, short.s.Stage == fivecarddraw.Over && len(short.s.Past) == 1 && slices.Equal(short.s.Chips, []int{1, 1, 1}),
		"all are all-in by the antes, and nobody can open: %+v", short.s)
	shown := begin(t, 2, 2, o, stacked(t, "", jacks, tens)).say(t, "1:2 0:c 1:d0 0:d 1:k 0:k 1:s 0:s")
	other := []fivecarddraw.ShownCard{{Card: 0, Face: 10}, {Card: 2, Face: 36}} // JC, and JS, which lies open, as JH
	shown.refusesMove(t, "FD-R-61", 1, fivecarddraw.Move{Openers: &other})
	shown.say(t, "1:o") // and the one that lies open is not turned up again (FD-P-07)
	lost := begin(t, 2, 1, o, stacked(t, "", "AC 5C 7H 9H JD", tens)).say(t, "1:2 0:c 1:d01234 0:d 1:k 0:k 1:s 0:s 1:o")
	testmust.Holdf(t, slices.Equal(lost.s.Past[0].Pots[0].Winners, []table.Seat{0}), "the other wins: %+v", lost.s.Past)
}

// mixtures are the options of the random deals.
var mixtures = []tabletest.Config{
	{Seats: 2, Options: options{}}, {Seats: 6, Options: options{"limit": "none", "stack": "30"}},
	{Seats: 4, Options: options{"limit": "pot", "small-blind": "1", "big-blind": "2", "stack": "40", "draw": "one-by-one"}},
	{Seats: 3, Options: options{"openers": "jacks", "stack": "17", "reopen": "half", "bet": "4", "later-bet": "7"}},
	{Seats: 5, Options: options{"openers": "jacks", "limit": "none", "ante": "2", "stack": "25"}},
	{Seats: 2, Options: options{"rules": "by-email", "stack": "20"}},
	{Seats: 2, Options: options{"pick": "opponent", "limit": "none", "stack": "15", "wheel": "false", "ante": "4"}},
	{Seats: 6, Options: options{"reopen": "half", "bet": "4", "small-blind": "3", "big-blind": "4", "ante": "1", "stack": "23", "payout": "places", "prizes": "50,30,20"}},
	{Seats: 5, Options: options{"showdown": "all", "limit": "none", "stack": "9", "second-betting": "false", "exchange": "2"}},
	{Seats: 3, Options: options{"cap": "0", "ante": "0", "stack": "50", "bet": "5"}},
	{Seats: 6, Options: options{"limit": "pot", "stack": "7", "ante": "2", "payout": "places", "silent": "forfeits"}},
	{Seats: 4, Options: options{"limit": "none", "stack": "20", "openers": "jacks", "disclose": "deal", "silent": "forfeits"}},
	{Seats: 3, Options: options{"limit": "pot", "stack": "20", "silent": "forfeits"}},
	{Seats: 6, Options: options{"reshuffle": "discards", "stack": "40"}},
	{Seats: 6, Options: options{"reshuffle": "discards", "stack": "40", "openers": "jacks", "draw": "one-by-one", "payout": "places", "prizes": "70,30"}},
}

// FD-R-02, FD-R-54: a chip appears or vanishes, at any move of any table; a chip is nobody's at the end
// or if a seat does not disclose (FD-R-56); a pot has no claimant (FD-R-42); a table never ends.
//
// It plays 100,000 deals without suites and messages, 1,000 without PAKLI_TESTS=thorough:
// go test -run TestConservation ./protocol/games/fivecarddraw
func TestConservation(t *testing.T) {
	goal := 100_000
	if !testmust.Thorough() {
		goal = 1_000
	}
	deals, tables, moves, mixed := 0, 0, 0, 0
	for seed := uint64(0); deals < goal; seed++ {
		c := mixtures[seed%uint64(len(mixtures))]
		r := rand.New(rand.NewPCG(seed, 2))
		b := begin(t, c.Seats, 1+r.IntN(60), c.Options, random(r))
		forfeit := func() {
			testmust.Do(t, forfeited(b.s, table.Seat(r.IntN(c.Seats))), "seed", seed, c)
		}
		b.disclosing = forfeit
		b.plays(t, func(_ table.Seat, v table.View) (fivecarddraw.Move, bool) {
			if b.s.Rules.Reshuffle && r.IntN(4) > 0 {
				return play.RandomMove(eagerRules{}.Moves(b.s, v), r)
			}
			return play.RandomMove(b.Moves(b.s, v), r)
		}, func() {
			moves++
			if b.s.Stage == fivecarddraw.BetAfter && len(b.s.Deal.Returned) > 0 {
				mixed++
			}
			testmust.Do(t, chips(b.s), "seed", seed, c)
		})
		sum := 0
		for _, n := range b.Result(b.s) {
			sum += n
		}
		testmust.Requiref(t, b.s.Stage == fivecarddraw.Over && b.s.Left == 0 && sum == 0,
			"seed %d, %v: the results add up to %d, %d chips are left", seed, c, sum, b.s.Left)
		forfeit()
		deals += len(b.s.Past)
		tables++
	}
	t.Logf("%d deals of %d tables, %d moves, %d of them after a second mix", deals, tables, moves, mixed)
	testmust.Hold(t, mixed != 0, "FD-R-34: in no deal did the stock run out")
}

// forfeited says what is wrong with the result if a seat does not disclose: chips appear or vanish, or
// the seat gains by it.
func forfeited(s fivecarddraw.State, silent table.Seat) error {
	result, ok := (fivecarddraw.Rules{}).Forfeit(s, silent)
	if ok != (s.Rules.Silent == fivecarddraw.OptForfeits) {
		return fmt.Errorf("FD-R-56: forfeit is %v with silent=%q", ok, s.Rules.Silent)
	}
	if !ok {
		return nil
	}
	sum, kept := 0, (fivecarddraw.Rules{}).Result(s)[silent]
	for _, n := range result {
		sum += n
	}
	if gains := s.Stage == fivecarddraw.Over && result[silent] > kept; sum != 0 || gains || slices.Min(result) < -s.Rules.Stack {
		return fmt.Errorf("FD-R-56: %v add up to %d; seat %d would have had %d", result, sum, silent, kept)
	}
	return nil
}

// asIs leaves the pack as it is.
func asIs([]card.Face) {}

// from is a table that has come to a deal with these chips and this dealer.
func from(t testing.TB, o options, mixes func([]card.Face), dealer table.Seat, chips ...int) *bare {
	t.Helper()
	b := begin(t, len(chips), 2, o, mixes)
	b.s = fivecarddraw.With(b.s, dealer, chips...)
	b.steps()
	return b
}

type roundVector struct {
	testmust.Vector
	Options options
	Stacks  []int
	Speaks  []string
	Round   []int
	Middle  int
}

// FD-R-11, FD-R-20 to FD-R-26, FD-A-10, FD-A-13 to FD-A-15: a seat is asked that should not be, or is
// not asked; chips go the wrong way, in any of the 13 vectors.
func TestRounds(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "rounds", func(t *testing.T, v roundVector) {
		b := from(t, v.Options, asIs, 0, v.Stacks...)
		b.say(t, strings.Join(v.Speaks, " "))
		testmust.Holdf(t, b.s.Stage != fivecarddraw.Betting && slices.Equal(b.s.Deal.Round.Chips, v.Round) && b.s.InMiddle() == v.Middle,
			"stage %s, round %v, middle %d; want %v, %d", b.s.Stage, b.s.Deal.Round.Chips, b.s.InMiddle(), v.Round, v.Middle)
	})
}

type showVector struct {
	testmust.Vector
	Order    []table.Seat
	Says     []string
	Receives []int
}

// FD-R-40 to FD-R-42: a seat is asked although nothing is contested, or loses a pot that all others
// gave up, in any of the 4 vectors.
func TestShowdowns(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "showdowns", func(t *testing.T, v showVector) {
		b := from(t, options{"limit": "none", "ante": "0"}, asIs, (v.Order[0]+2)%3, 10, 90, 90)
		b.say(t, map[table.Seat]string{
			0: "0:10 1:40 2:c 0:d 1:d 2:d 1:k 2:k",
			1: "1:40 2:c 0:c 1:d 2:d 0:d 1:k 2:k",
		}[v.Order[0]])
		for i, word := range v.Says {
			b.say(t, fmt.Sprintf("%d:%c", v.Order[i], word[0]))
		}
		past := b.s.Past[len(b.s.Past)-1]
		for seat, paid := range []int{10, 40, 40} {
			testmust.Holdf(t, past.Paid[seat] == paid && past.Pays[seat]+paid == v.Receives[seat],
				"seat %d paid %d and received %d, want %d", seat, past.Paid[seat], past.Pays[seat]+past.Paid[seat], v.Receives[seat])
		}
	})
}

// A deal of two seats with the hands: 1 sits left of the dealer 0.
const (
	jacks   = "JC JS 3H 5D 8C"
	tens    = "10C 10S 4H 6D 9C"
	aces    = "AC AS 2H 7D QC"
	nothing = "3C 5C 7H 9H JD"
)

// against plays a table in which the bot has one seat and the others move at random; it returns the
// bot's winnings, in stacks.
func against(t *testing.T, c tabletest.Config, bot table.Seat, seed uint64) float64 {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	b := begin(t, c.Seats, c.Deals, c.Options, random(r))
	b.plays(t, func(seat table.Seat, v table.View) (fivecarddraw.Move, bool) {
		if seat == bot {
			return b.Choose(b.s, v, r)
		}
		return play.RandomMove(b.Moves(b.s, v), r)
	}, func() {})
	return float64(b.Result(b.s)[bot]) / float64(b.s.Rules.Stack)
}

// A bot plays no better than chance, or makes a move that the rules refuse. Its mean must be three
// standard errors above 0.
func TestBot(t *testing.T) {
	const tables = 20
	configs := []tabletest.Config{
		{Seats: 2, Deals: 10, Options: options{"limit": "fixed"}},
		{Seats: 3, Deals: 10, Options: options{"limit": "pot", "small-blind": "1", "big-blind": "2"}},
		{Seats: 4, Deals: 10, Options: options{"openers": "jacks"}},
		{Seats: 6, Deals: 6, Options: options{"limit": "none", "draw": "one-by-one"}},
	}
	for i := range testmust.ChosenIndexes(t, len(configs), 4) {
		c := configs[i]
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			sum, squares := 0.0, 0.0
			for seed := range tables {
				won := against(t, c, table.Seat(seed%c.Seats), uint64(seed))
				sum, squares = sum+won, squares+won*won
			}
			mean := sum / tables
			deviation := math.Sqrt((squares/tables - mean*mean) / tables)
			t.Logf("%d tables of %d deals: %+.2f stacks a table, standard error %.2f", tables, c.Deals, mean, deviation)
			testmust.Hold(t, mean >= 3*deviation, "it wins", mean, "stacks a table, with a standard error of", deviation)
		})
	}
}
