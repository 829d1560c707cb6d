package fivecarddraw_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
)

// counts are how many hands there are of each kind, the best first.
var counts = map[bool][9]int{
	true:  {40, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540},
	false: {36, 624, 3_744, 5_112, 9_180, 54_912, 123_552, 1_098_240, 1_303_560},
}

// AllHands is the variable of the environment that has every hand compared, and not one of
// some hundred:
//
//	PAKLI_ALL_HANDS=1 go test -run TestTwoOpinions ./protocol/games/fivecarddraw
const AllHands = "PAKLI_ALL_HANDS"

// FD-R-44: a hand that two ways of ranking put into two classes; and, of all 2,598,960,
// kinds that are more or fewer than there are.
func TestTwoOpinions(t *testing.T) {
	if len(ordinals[true]) != 7462 || len(ordinals[false]) != 7462 {
		t.Fatalf("the referee has %d and %d classes", len(ordinals[true]), len(ordinals[false]))
	}
	for _, wheel := range []bool{true, false} {
		step := 101
		if os.Getenv(AllHands) != "" {
			step = 1
		}
		var kinds [9]int
		compared := 0
		eachHand(step, func(h [fivecarddraw.HandSize]fivecarddraw.Face) {
			var names []string
			for _, f := range h {
				names = append(names, f.String())
			}
			got, want := fivecarddraw.HandClass(h, wheel), handClass(names, wheel)
			testmust.Requiref(t, got == want, "wheel=%v: %v is of class %d, and %d in the list", wheel, h, got, want)
			kinds[fivecarddraw.StraightFlush-fivecarddraw.KindOf(got, wheel)]++
			compared++
		})
		if step == 1 && (kinds != counts[wheel] || compared != 2_598_960) {
			t.Errorf("wheel=%v: %d hands, kinds %v, want %v", wheel, compared, kinds, counts[wheel])
		}
		t.Logf("wheel=%v: %d hands compared", wheel, compared)
	}
}

// eachHand calls use with every step-th hand.
func eachHand(step int, use func([fivecarddraw.HandSize]fivecarddraw.Face)) {
	n := 0
	for a := fivecarddraw.Face(0); a < fivecarddraw.DeckSize; a++ {
		for b := a + 1; b < fivecarddraw.DeckSize; b++ {
			for c := b + 1; c < fivecarddraw.DeckSize; c++ {
				for d := c + 1; d < fivecarddraw.DeckSize; d++ {
					for e := d + 1; e < fivecarddraw.DeckSize; e++ {
						if n%step == 0 {
							use([fivecarddraw.HandSize]fivecarddraw.Face{c, a, e, b, d})
						}
						n++
					}
				}
			}
		}
	}
}

// FD-R-50 to FD-R-52: chips that the code of the game gives to another seat than the referee, in
// cases nobody thought of.
func TestPotsOfChance(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 51))
	for range 20_000 {
		n := 2 + r.IntN(5)
		paid, live, classes := make([]int, n), make([]bool, n), make([]int, n)
		for seat := range n {
			paid[seat], classes[seat], live[seat] = 1+r.IntN(12), 1+r.IntN(4), r.IntN(3) > 0
		}
		most, dealer := slices.Max(paid), r.IntN(n)
		for seat, p := range paid { // who put in most has not folded
			live[seat] = live[seat] || p == most
		}
		back := fivecarddraw.UncalledChips(paid)
		if want := uncalledChips(paid); !slices.Equal(back, want) {
			t.Fatalf("paid %v: %v come back, by the referee %v", paid, back, want)
		}
		var order []table.Seat
		for i := range n {
			paid[i] -= back[i]
			order = append(order, table.Seat((dealer+1+i)%n))
		}
		got, want := make([]int, n), make([]int, n)
		for _, p := range fivecarddraw.PotLayers(paid, live, 0) {
			winners := p.Winners(order, classes)
			for i, chips := range fivecarddraw.PotShares(p.Chips, len(winners)) {
				got[winners[i]] += chips
			}
		}
		for _, h := range heaps(paid, live, 0) {
			best := slices.MinFunc(h.claimants, func(a, b int) int { return classes[a] - classes[b] })
			winners := slices.DeleteFunc(slices.Clone(h.claimants), func(s int) bool { return classes[s] != classes[best] })
			for s, chips := range share(h.chips, winners, dealer, n) {
				want[s] += chips
			}
		}
		testmust.Requiref(t, slices.Equal(got, want), "paid %v, live %v, classes %v, dealer %d: %v, by the referee %v", paid, live, classes, dealer, got, want)
	}
}

// FD-R-20 to FD-R-26: a seat that the code of the game asks and the referee does not, or lets do another thing, in
// rounds nobody thought of. At every decision every total is tried.
func TestRoundsOfChance(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 26))
	rounds, decisions := 60_000, 0
	if !testmust.Thorough() {
		rounds = 1_500
	}
	for range rounds {
		decisions += playRound(t, r)
	}
	t.Logf("%d rounds, %d decisions", rounds, decisions)
}

// playRound plays one round by both, and counts the decisions.
func playRound(t *testing.T, r *rand.Rand) (decisions int) {
	t.Helper()
	n := 2 + r.IntN(5)
	terms := fivecarddraw.BetTerms{Limit: []string{fivecarddraw.OptFixed, fivecarddraw.OptPot, fivecarddraw.OptNone}[r.IntN(3)], Unit: 1 + r.IntN(5)}
	if terms.Limit == fivecarddraw.OptFixed {
		terms.Cap, terms.Half = r.IntN(5), r.IntN(2) == 0
	}
	h := house{"limit": terms.Limit, "bet": strconv.Itoa(terms.Unit), "cap": strconv.Itoa(terms.Cap), "reopen": map[bool]string{true: "half", false: "full"}[terms.Half]}
	want := round{house: h, unit: terms.Unit, live: make([]bool, n), in: make([]int, n), stack: make([]int, n), middle: r.IntN(9)}
	for s := range n {
		want.stack[s], want.live[s] = r.IntN(25), r.IntN(6) > 0
	}
	before := r.IntN(n)
	got := fivecarddraw.NewRound(n, table.Seat(before))
	if r.IntN(2) == 0 { // a blind, perhaps a short one
		posted := min(want.stack[before], terms.Unit)
		got = got.Blind(table.Seat(before), posted, terms.Unit)
		want.pay(before, posted)
		want.height, want.step, want.count = terms.Unit, terms.Unit, 1
	}
	for want.beginFrom(before); ; decisions++ {
		seat, asked := got.NextSpeaker(want.live, want.stack)
		s, due := want.awaitedSeat()
		testmust.Requiref(t, asked == due && (!asked || int(seat) == s),
			"%+v: seat %d is asked (%v), by the referee %d (%v): %+v", terms, seat, asked, s, due, want)
		if !asked {
			return decisions
		}
		for total := range want.in[s] + want.stack[s] + 3 {
			err, lawful := terms.CheckTotal(got, seat, want.stack[s], want.middle, total), want.checkTotal(s, total)
			testmust.Requiref(t, (err == nil) == (lawful == nil), "%+v: seat %d to %d: %v, by the referee %v: %+v", terms, seat, total, err, lawful, want)
		}
		bounds := fivecarddraw.Bounds{Call: want.missing(s)}
		bounds.Least, bounds.Greatest = want.bounds(s)
		b := terms.Bounds(got, seat, want.stack[s], want.middle)
		testmust.Requiref(t, b == bounds, "%+v: bounds %+v, by the referee %+v: %+v", terms, b, bounds, want)
		m := heardMove{seat: s, verb: "check"}
		switch word := r.IntN(8); {
		case word == 0:
			m.verb = "fold"
			got = got.Pass(seat)
		case word < 5 && bounds.Least > 0:
			m.verb, m.to = "to", bounds.Least+r.IntN(bounds.Greatest-bounds.Least+1)
			got = got.Raise(terms, seat, m.to)
		case bounds.Call == 0:
			got = got.Pass(seat)
		default:
			m.verb = "call"
			got = got.Call(seat, bounds.Call)
		}
		testmust.Have(want.hearMove(m))(t)
	}
}
