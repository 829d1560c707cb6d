package fivecarddraw_test

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
)

// FD-R-01: a pack in another order, which opens every card as another one; ranks or suits that do not
// fit the name.
func TestPack(t *testing.T) {
	names := fivecarddraw.FaceNames()
	_, err := card.NewDeck(fivecarddraw.DeckName, names)
	testmust.Requiref(t, err == nil && len(names) == fivecarddraw.DeckSize, "%d faces: %v", len(names), err)
	testmust.Holdf(t, names[0] == "AC" && names[1] == "2C" && names[9] == "10C" && names[13] == "AS" && names[26] == "AH" && names[51] == "KD",
		"the order is %v", names)
	for i, name := range names {
		f, err := fivecarddraw.ParseFace(name)
		rank := slices.Index([]string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"}, name[:len(name)-1])
		if suit := name[len(name)-1]; err != nil || int(f) != i || int(f.Rank()) != rank || "CSHD"[f.Suit()] != suit {
			t.Errorf("%s: face %d, rank %d, suit %d, %v", name, f, f.Rank(), f.Suit(), err)
		}
		text, err := f.MarshalText()
		var back fivecarddraw.Face
		testmust.Holdf(t, err == nil && back.UnmarshalText(text) == nil && back == f, "%s is written %s (%v) and read %v", name, text, err, back)
	}
}

// A card that is not in the pack is taken for one that is.
func TestNoCard(t *testing.T) {
	for _, name := range []string{"", "1C", "11C", "ac", "AX", "AC ", "C"} {
		testmust.Fail(t, testmust.ErrorOf(fivecarddraw.ParseFace(name)), name, "is read")
	}
	text, err := fivecarddraw.Face(fivecarddraw.DeckSize).MarshalText()
	testmust.Holdf(t, err != nil && fivecarddraw.Face(fivecarddraw.DeckSize).String() == "?", "face 52 is written %s", text)
}

// 92.2, FD-A-22, FD-A-25: a table opens on terms that contradict each other (Cheat 24) or that nobody
// could keep, or refuses terms without a clear word.
func TestTermsRefused(t *testing.T) {
	for _, c := range []struct {
		seats, deals int
		options      options
		word         string
	}{
		{7, 1, nil, "7 seats"}, {1, 1, nil, "1 seats"}, {2, 0, nil, "0 deals"}, {2, 1001, nil, "1001 deals"},
		{3, 1, options{"stack": "10", "ante": "11"}, "ante=11"},
		{3, 1, options{"stack": "0"}, "stack=0"}, {3, 1, options{"stack": "1000001"}, "stack=1000001"},
		{3, 1, options{"bet": "201"}, "bet=201"}, {3, 1, options{"bet": "0"}, "bet=0"},
		{3, 1, options{"small-blind": "3", "big-blind": "2"}, "blinds of 3 and 2"},
		{3, 1, options{"small-blind": "0", "big-blind": "2"}, "blinds of 0 and 2"},
		{3, 1, options{"small-blind": "1"}, "blinds of 1 and 0"},
		{3, 1, options{"small-blind": "1", "big-blind": "4"}, "bet = 2"},
		{3, 1, options{"limit": "none", "later-bet": "4"}, "later-bet"},
		{3, 1, options{"second-betting": "false", "later-bet": "4"}, "later-bet"},
		{3, 1, options{"later-bet": "1"}, "later-bet=1"},
		{3, 1, options{"limit": "pot", "cap": "4"}, "cap"}, {3, 1, options{"cap": "10"}, "cap=10"},
		{3, 1, options{"limit": "pot", "reopen": "half"}, "FD-R-26"},
		{3, 1, options{"pick": "order"}, "two seats"}, {3, 1, options{"exchange": "6"}, "exchange=6"},
		{3, 1, options{"prizes": "100"}, "payout=places"},
		{3, 1, options{"payout": "places", "prizes": "60,39"}, "99 percent"},
		{3, 1, options{"payout": "places", "prizes": "50,50"}, "falling"},
		{3, 1, options{"payout": "places", "prizes": "101"}, "falling"},
		{3, 1, options{"payout": "places", "prizes": ""}, "falling"},
		{3, 1, options{"payout": "places", "prizes": "60,040"}, "falling"},
		{2, 1, options{"payout": "places", "prizes": "50,30,20"}, "at most 2"},
		{3, 1, options{"openers": "jacks", "small-blind": "1", "big-blind": "2"}, "openers"},
		{3, 1, options{"reshuffle": "yes"}, "reshuffle=yes"}, {2, 1, options{"rules": "by-email", "reshuffle": "no"}, "unknown option reshuffle"},
		{3, 1, options{"disclose": "never"}, "disclose=never"}, {3, 1, options{"silent": "wins"}, "silent=wins"},
		{2, 1, options{"rules": "by-email", "silent": "waits"}, "unknown option silent"},
		{3, 1, options{"rules": "by-email"}, "two seats"},
		{2, 1, options{"rules": "by-email", "ante": "0"}, "unknown option ante"},
		{3, 1, options{"jokers": "2"}, "unknown option jokers"}, {3, 1, options{"rules": "home"}, "rules=home"},
	} {
		_, err := fivecarddraw.ParseOptions(table.Config{Seats: c.seats, Deals: c.deals, Options: c.options})
		testmust.FailSaying(t, err, c.word, c.seats, "seats", c.deals, "deals", c.options)
	}
}

// 92.2, 92.9, FD-R-23, FD-R-34, FD-R-55, FD-A-01, FD-A-03, FD-A-05, FD-A-06: terms change after they
// were agreed, or are refused although nothing is wrong.
func TestTermsAgreed(t *testing.T) {
	table92 := fivecarddraw.Options{Rules: fivecarddraw.OptTable, Stack: 200, Ante: 1, Bet: 2, LaterBet: 4, Cap: 4, Exchange: 5, Wheel: true, SecondBetting: true, Limit: fivecarddraw.OptFixed, Prizes: []int{},
		Reopen: fivecarddraw.OptFull, Draw: fivecarddraw.OptTogether, Pick: fivecarddraw.OptOrder, Showdown: fivecarddraw.OptMuck, Openers: fivecarddraw.OptNone, Payout: fivecarddraw.OptChips}
	mail := fivecarddraw.Options{Rules: fivecarddraw.OptByEmail, Stack: 100, Bet: 1, Exchange: 5, Wheel: true, Limit: fivecarddraw.OptNone, Prizes: []int{},
		Reopen: fivecarddraw.OptFull, Draw: fivecarddraw.OptOneByOne, Pick: fivecarddraw.OptOpponent, Showdown: fivecarddraw.OptAll, Openers: fivecarddraw.OptNone, Payout: fivecarddraw.OptChips, Disclose: fivecarddraw.OptEachDeal}
	for _, c := range []struct {
		seats   int
		options options
		want    fivecarddraw.Options // but for what differs
		differs func(*fivecarddraw.Options)
	}{
		{6, nil, table92, func(*fivecarddraw.Options) {}},
		{3, options{"limit": "pot", "bet": "3"}, table92, func(r *fivecarddraw.Options) { r.Limit, r.Bet, r.LaterBet, r.Cap = fivecarddraw.OptPot, 3, 0, 0 }},
		{3, options{"disclose": "deal", "silent": "forfeits"}, table92, func(r *fivecarddraw.Options) {
			r.Disclose, r.Silent = fivecarddraw.OptEachDeal, fivecarddraw.OptForfeits
		}},
		{3, options{"disclose": "table", "silent": "waits", "reopen": "full", "openers": "none", "reshuffle": "no"}, table92, func(*fivecarddraw.Options) {}},
		{6, options{"reshuffle": "discards"}, table92, func(r *fivecarddraw.Options) { r.Reshuffle = true }},
		{3, options{"payout": "places"}, table92, func(r *fivecarddraw.Options) { r.Payout, r.Prizes = fivecarddraw.OptPlaces, []int{100} }},
		{3, options{"payout": "places", "prizes": "50,30,20"}, table92, func(r *fivecarddraw.Options) { r.Payout, r.Prizes = fivecarddraw.OptPlaces, []int{50, 30, 20} }},
		{2, options{"pick": "order", "stack": "1"}, table92, func(r *fivecarddraw.Options) { r.Stack, r.Bet, r.LaterBet = 1, 1, 2 }},
		{2, options{"rules": "by-email"}, mail, func(*fivecarddraw.Options) {}},
		{2, options{"rules": "by-email", "stack": "30", "bet": "2"}, mail, func(r *fivecarddraw.Options) { r.Stack, r.Bet = 30, 2 }},
	} {
		c.differs(&c.want)
		got, err := fivecarddraw.ParseOptions(table.Config{Seats: c.seats, Deals: 1, Options: c.options})
		testmust.Holdf(t, err == nil && reflect.DeepEqual(got, c.want), "%d seats, %v: %+v, %v; want %+v", c.seats, c.options, got, err, c.want)
		later := c.want.Bet // FD-R-23: the unit of the second betting
		if c.want.LaterBet > 0 {
			later = c.want.LaterBet
		}
		if got.LeastBet(false) != c.want.Bet || got.LeastBet(true) != later {
			t.Errorf("%v: units %d and %d", c.options, got.LeastBet(false), got.LeastBet(true))
		}
	}
}

type total struct {
	testmust.Vector
	Limit                                                                string
	Unit, Height, Own, Stack, Middle, Step, Count, Call, Least, Greatest int
}

func (v total) round() (fivecarddraw.BetTerms, fivecarddraw.Round) {
	terms := fivecarddraw.BetTerms{Limit: v.Limit, Unit: v.Unit}
	if v.Limit == fivecarddraw.OptFixed {
		terms.Cap = 4
	}
	return terms, fivecarddraw.Round{Chips: []int{v.Own}, Spoken: []bool{false}, Height: v.Height, Step: v.Step, Count: v.Count, Bettor: -1}
}

// FD-R-22 to FD-R-25: a total that may not be bet is accepted, or one that may is refused, in any of
// the 15 vectors; every total is tried.
func TestTotals(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "totals", func(t *testing.T, v total) {
		terms, round := v.round()
		testmust.Equal(t, terms.Bounds(round, 0, v.Stack, v.Middle), (fivecarddraw.Bounds{Call: v.Call, Least: v.Least, Greatest: v.Greatest}), "bounds")
		for to := range v.Own + v.Stack + 10 {
			err := terms.CheckTotal(round, 0, v.Stack, v.Middle, to)
			testmust.Equal(t, v.Least > 0 && to >= v.Least && to <= v.Greatest, (err == nil), "to", to, err)
		}
	})
}

type handVector struct {
	testmust.Vector
	X, Y    [fivecarddraw.HandSize]fivecarddraw.Face
	Than    string
	Classes [2]int
}

// FD-R-44, FD-A-07: a hand beats one that it should not, or wins by its suit, in any of the 46 vectors.
func TestHands(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "hands", func(t *testing.T, v handVector) {
		x, y := fivecarddraw.HandClass(v.X, true), fivecarddraw.HandClass(v.Y, true)
		testmust.Equal(t, [2]int{x, y}, v.Classes, "classes")
		testmust.Equal(t, map[int]string{-1: ">", 0: "=", 1: "<"}[cmp.Compare(x, y)], v.Than, v.X, v.Y)
	})
}

// FD-A-08: a wheel counts as a straight where it is none, or the other way round.
func TestWheel(t *testing.T) {
	wheel, steel := faces(t, "5S", "4D", "3H", "2C", "AS"), faces(t, "5C", "4C", "3C", "2C", "AC")
	high, flush := faces(t, "6S", "4D", "3H", "2C", "AS"), faces(t, "AS", "QS", "8S", "5S", "2S")
	for _, c := range []struct {
		faces [fivecarddraw.HandSize]fivecarddraw.Face
		wheel bool
		kind  fivecarddraw.HandKind
	}{{wheel, true, fivecarddraw.Straight}, {wheel, false, fivecarddraw.HighCard}, {steel, true, fivecarddraw.StraightFlush}, {steel, false, fivecarddraw.Flush}} {
		testmust.Equal(t, fivecarddraw.KindOf(fivecarddraw.HandClass(c.faces, c.wheel), c.wheel), c.kind, c.faces, "kind, where a wheel counts:", c.wheel)
	}
	a, b := fivecarddraw.HandClass(wheel, false), fivecarddraw.HandClass(high, false)
	testmust.Holdf(t, a == b+1, "without wheel A-5-4-3-2 is %d and A-6-4-3-2 %d", a, b)
	a, b = fivecarddraw.HandClass(steel, false), fivecarddraw.HandClass(flush, false)
	testmust.Holdf(t, a > b, "without wheel the flush of a wheel is %d and one of A-Q-8-5-2 %d", a, b)
}

func faces(t *testing.T, names ...string) (list [fivecarddraw.HandSize]fivecarddraw.Face) {
	t.Helper()
	for i, name := range names {
		list[i] = testmust.Have(fivecarddraw.ParseFace(name))(t)
	}
	return list
}

// FD-R-61: cards that open show nothing, or cards that show it do not open.
func TestOpens(t *testing.T) {
	for _, c := range []struct {
		cards []string
		opens bool
	}{
		{nil, false}, {[]string{"JS"}, false}, {[]string{"JS", "JC"}, true}, {[]string{"10S", "10C"}, false}, {[]string{"AS", "KS"}, false},
		{[]string{"AS", "AD"}, true}, {[]string{"2S", "2C", "2D"}, true}, {[]string{"JS", "2C", "JD"}, true}, {[]string{"10S", "10C", "9D"}, false},
		{[]string{"2S", "2C", "3S", "3C"}, true}, {[]string{"2S", "2C", "2D", "2H"}, true}, {[]string{"AS", "KS", "QS", "JS"}, false},
		{[]string{"AS", "2D", "3C", "4S", "5S"}, true}, {[]string{"2S", "4S", "6S", "8S", "10S"}, true}, {[]string{"AS", "KS", "QS", "JS", "9C"}, false},
		{[]string{"10S", "10C", "KS", "QS", "JS"}, false}, {[]string{"3S", "3C", "3H", "2S", "2C"}, true},
	} {
		var cards []fivecarddraw.Face
		for _, name := range c.cards {
			cards = append(cards, testmust.Have(fivecarddraw.ParseFace(name))(t))
		}
		testmust.Equal(t, fivecarddraw.OpensBetting(cards, true), c.opens, c.cards, "opens")
	}
	wheel := faces(t, "AS", "2D", "3C", "4S", "5S")
	testmust.Hold(t, !fivecarddraw.OpensBetting(wheel[:], false), "a wheel opens where it is no straight")
}

type potVector struct {
	testmust.Vector
	Paid, Strength, Back, Receives []int
	Live                           []int
	Dealer                         int
	Pots                           []fivecarddraw.Pot
}

// FD-R-50 to FD-R-52, FD-A-09: chips go to the wrong seat, or stay behind, in any of the 21 vectors.
func TestPots(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "pots", func(t *testing.T, v potVector) {
		live, classes := make([]bool, len(v.Paid)), make([]int, len(v.Paid))
		for _, seat := range v.Live {
			live[seat], classes[seat] = true, 10-v.Strength[seat]
		}
		back, pots, received := divide(v.Paid, live, classes, v.Dealer)
		testmust.Holdf(t, reflect.DeepEqual(pots, v.Pots) && slices.Equal(back, v.Back) && slices.Equal(received, v.Receives),
			"pots %v, back %v, receives %v; want %v, %v, %v", pots, back, received, v.Pots, v.Back, v.Receives)
	})
}

func clockwise(n, dealer int) (order []table.Seat) {
	for i := range n {
		order = append(order, table.Seat((dealer+1+i)%n))
	}
	return order
}

func divide(paid []int, live []bool, classes []int, dealer int) (back []int, pots []fivecarddraw.Pot, received []int) {
	back = fivecarddraw.UncalledChips(paid)
	received, paid = slices.Clone(back), slices.Clone(paid)
	for seat := range paid {
		paid[seat] -= back[seat]
	}
	pots = fivecarddraw.PotLayers(paid, live, 0)
	for _, p := range pots {
		winners := p.Winners(clockwise(len(paid), dealer), classes)
		for i, share := range fivecarddraw.PotShares(p.Chips, len(winners)) {
			received[winners[i]] += share
		}
	}
	return back, pots, received
}

// FD-R-62, 92.7: chips from earlier deals that nobody claims, or that all may claim although the first
// layer is not theirs; a deal in which nobody paid, and which has no pot.
func TestPotOfWhatIsLeft(t *testing.T) {
	three := []bool{true, true, true}
	for _, c := range []struct {
		paid []int
		live []bool
		left int
		want []fivecarddraw.Pot
	}{
		{[]int{5, 9, 9}, three, 7, []fivecarddraw.Pot{{Chips: 22, Claimants: []table.Seat{0, 1, 2}}, {Chips: 8, Claimants: []table.Seat{1, 2}}}},
		{[]int{0, 0, 0}, three, 7, []fivecarddraw.Pot{{Chips: 7, Claimants: []table.Seat{0, 1, 2}}}},
		{[]int{0, 0, 0}, []bool{true, false, true}, 0, []fivecarddraw.Pot{{Chips: 0, Claimants: []table.Seat{0, 2}}}},
		{[]int{0, 4, 4}, []bool{false, true, true}, 3, []fivecarddraw.Pot{{Chips: 11, Claimants: []table.Seat{1, 2}}}},
	} {
		got := fivecarddraw.PotLayers(c.paid, c.live, c.left)
		testmust.Holdf(t, reflect.DeepEqual(got, c.want), "paid %v, left %d: %v, want %v", c.paid, c.left, got, c.want)
	}
}

type prizeVector struct {
	testmust.Vector
	Stack, Dealer int
	Prizes        []int
	Standings     []struct{ Deal, Chips int }
	Result        []int
}

func (v prizeVector) standings() (list []fivecarddraw.Standing) {
	for _, s := range v.Standings {
		list = append(list, fivecarddraw.Standing{Deal: s.Deal, Chips: s.Chips, Dealer: table.Seat(v.Dealer)})
	}
	return list
}

// FD-R-55, FD-A-21: a prize goes to another seat than the one that has earned it, in any of the 8
// vectors; or a referee pays other prizes.
func TestPrizes(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "prizes", func(t *testing.T, v prizeVector) {
		var out []leaving
		for _, s := range v.Standings {
			out = append(out, leaving{deal: s.Deal, chips: s.Chips, dealer: v.Dealer, end: s.Deal == 0})
		}
		for _, got := range [][]int{fivecarddraw.PayPlaces(v.Stack, v.Prizes, v.standings()), placePayout(out, v.Stack, v.Prizes)} {
			testmust.Holdf(t, slices.Equal(got, v.Result), "%v, want %v", got, v.Result)
		}
	})
}

// The odd chip of seats that went out in another deal goes to the left of the dealer of the last deal
// and not of theirs.
func TestDealerOfTheDeal(t *testing.T) {
	out := func(dealer table.Seat) fivecarddraw.Standing {
		return fivecarddraw.Standing{Deal: 3, Chips: 5, Dealer: dealer}
	}
	for dealer, want := range [][]int{{-8, -7, 15}, {-7, -8, 15}, {-7, -8, 15}} {
		standings := []fivecarddraw.Standing{out(table.Seat(dealer)), out(table.Seat(dealer)), {Chips: 33, Dealer: 0}}
		got := fivecarddraw.PayPlaces(11, []int{77, 23}, standings)
		testmust.Holdf(t, slices.Equal(got, want), "dealer %d: %v, want %v", dealer, got, want)
	}
}
