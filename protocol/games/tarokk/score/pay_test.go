package score_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

func total(p score.Payments) int {
	sum := 0
	for _, n := range p {
		sum += n
	}
	return sum
}

// R-PAY-6, R-PAY-7, BGA-7: a point that is nobody's: over random deals and
// rules, with the pool as one account more.
func TestZeroSum(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 11))
	for range 20_000 {
		r, d := randomRules(rnd), randomDeal(rnd)
		before := score.Pool(rnd.IntN(100))
		var counts, held [4]int
		for seat := range counts {
			counts[seat], held[seat] = []int{0, 8, 9}[rnd.IntN(3)], rnd.IntN(10)
		}
		l := score.Late{Deal: d, V: score.Score(r, d).V, Tarokks: held, Announced: counts}
		all := score.Pay(r, d, l.V).Plus(score.CountPay(counts)).Plus(score.Trial(r, d.Level, d.Declarer))
		for _, seat := range l.Claimants(r) {
			all = all.Plus(l.Pay(seat))
		}
		all = all.Plus(score.TalonFee(r, [4]card.Set{deck.Honours})).Times(1 << rnd.IntN(5))
		if total(all) != 0 {
			t.Fatalf("%+v under %+v: %v", d, r, all)
		}
		pool, stakes := before.ThrownIn(r)
		pool, trial := pool.TrialLost(r, d.Declarer)
		pool, ultimo := pool.Ultimo(r, d)
		pool, shares := pool.Share(r, 4+rnd.IntN(2))
		paid := stakes.Plus(trial).Plus(ultimo).Plus(shares)
		if total(paid)+int(pool-before) != 0 || pool != 0 && r.UltimoPool {
			t.Fatalf("%+v under %+v: a pool of %d becomes %d for %v", d, r, before, pool, paid)
		}
	}
}

// R-PAY-1, R-PAY-2: an opponent who pays a partner's share, or a declarer alone
// who is paid once.
func TestPay(t *testing.T) {
	for _, c := range []struct {
		declarer, partner, v int
		want                 score.Payments
	}{
		{1, 3, 7, score.Payments{-7, 7, -7, 7}},
		{3, 0, -2, score.Payments{-2, 2, 2, -2}},
		{2, score.Alone, 4, score.Payments{-4, -4, 12, -4}},
		{0, score.Alone, -1, score.Payments{-3, 1, 1, 1}},
	} {
		d := score.Deal{Declarer: c.declarer, Partner: c.partner}
		if got := score.Pay(book, d, c.v); got != c.want {
			t.Errorf("%+v: %v, want %v", c, got, c.want)
		}
	}
}

// R-PAY-5, OPT-DEALER-WEEPS, AMB-26: a dealer who pays or is paid without the
// option, or whom the declarer's partner pays under it.
func TestDealerWeeps(t *testing.T) {
	weeps := rules(t, "dealer-weeps", "true")
	two, alone := score.Deal{Declarer: 0, Partner: 1}, score.Deal{Declarer: 2, Partner: score.Alone}
	for _, c := range []struct {
		what      string
		got, want score.Payments
	}{
		{"without", score.Pay(book, two, 3), score.Payments{3, 3, -3, -3, 0}},
		{"with a partner", score.Pay(weeps, two, 3), score.Payments{6, 3, -3, -3, -3}},
		{"lost", score.Pay(weeps, two, -3), score.Payments{-6, -3, 3, 3, 3}},
		{"alone", score.Pay(weeps, alone, 2), score.Payments{-2, -2, 8, -2, -2}},
		{"a lost trial has no V", score.Trial(weeps, 0, 3), score.Payments{1, 1, 1, -3, 0}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// R-PAY-3, R-CNT-2: a count that partners do not pay, or that hides another.
func TestCountPay(t *testing.T) {
	if got, want := score.CountPay([4]int{8, 0, 9, 0}), (score.Payments{1, -3, 5, -3}); got != want {
		t.Errorf("eight and nine: %v, want %v", got, want)
	}
	if got := score.CountPay([4]int{7, 0, 10, -1}); got != (score.Payments{}) {
		t.Errorf("what is no count is paid: %v", got)
	}
}

// R-PAY-4, R-BID-15, R-BID-16, BGA-6, BGA-7: a trial that costs the same at every
// level, or under the variant does not; and is paid twice with a pool.
func TestTrial(t *testing.T) {
	two, pool := rules(t, "trial-pays", "two"), rules(t, "ultimo-pool", "true")
	for l := range levels {
		b := score.Base(l)
		if got, want := score.Trial(book, l, 3), (score.Payments{b, b, b, -3 * b}); got != want {
			t.Errorf("%s: %v, want %v", levels[l], got, want)
		}
		if got, want := score.Trial(two, l, 1), (score.Payments{2, -6, 2, 2}); got != want {
			t.Errorf("%s, two each: %v, want %v", levels[l], got, want)
		}
		if got := score.Trial(pool, l, 1); got != (score.Payments{}) {
			t.Errorf("%s, with a pool: %v, want nothing", levels[l], got)
		}
	}
}

// R-PAY-7, AMB-20: a count or a trial that escapes the multiplier.
func TestTimes(t *testing.T) {
	got := score.Trial(book, 2, 3).Plus(score.CountPay([4]int{9})).Times(4)
	if want := (score.Payments{36, 4, 4, -44}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// R-CNT-5, AMB-19, option late-count: who may claim, and why not.
func TestLateClaims(t *testing.T) {
	partners, alone := score.Deal{Declarer: 0, Partner: 1}, score.Deal{Declarer: 0, Partner: score.Alone}
	for _, c := range []struct {
		name    string
		option  string
		late    score.Late
		seat    int
		refused string // what the error says; nothing if the claim is good
	}{
		{"covered exactly", "covered", score.Late{Deal: partners, V: 2, Tarokks: [4]int{9}}, 0, ""},
		{"not covered", "covered", score.Late{Deal: partners, V: 1, Tarokks: [4]int{9}}, 0, "AMB-19"},
		{"eight is covered by one", "covered", score.Late{Deal: partners, V: 1, Tarokks: [4]int{8}}, 0, ""},
		{"a loser", "covered", score.Late{Deal: partners, V: -3, Tarokks: [4]int{8}}, 0, "AMB-19"},
		{"an opponent who gains", "covered", score.Late{Deal: partners, V: -1, Tarokks: [4]int{0, 0, 8}}, 2, ""},
		{"an opponent who loses", "covered", score.Late{Deal: partners, V: 1, Tarokks: [4]int{0, 0, 8}}, 2, "AMB-19"},
		{"nothing gained", "covered", score.Late{Deal: partners, Tarokks: [4]int{0, 8}}, 1, "AMB-19"},
		{"a loser, always", "always", score.Late{Deal: partners, V: -3, Tarokks: [4]int{8}}, 0, ""},
		{"never", "never", score.Late{Deal: partners, V: 9, Tarokks: [4]int{8}}, 0, "late-count=never"},
		{"seven", "always", score.Late{Deal: partners, V: 9, Tarokks: [4]int{7}}, 0, "7 tarokks"},
		{"announced", "always", score.Late{Deal: partners, V: 9, Tarokks: [4]int{8}, Announced: [4]int{8}}, 0, "has announced"},
		{"another's announcement", "covered", score.Late{Deal: partners, V: 9, Tarokks: [4]int{8, 8}, Announced: [4]int{0, 8}}, 0, ""},
		{"a declarer alone", "always", score.Late{Deal: alone, V: 9, Tarokks: [4]int{9}}, 0, "played alone"},
		{"one of three", "covered", score.Late{Deal: alone, V: -2, Tarokks: [4]int{0, 0, 0, 9}}, 3, ""},
	} {
		r := rules(t, "late-count", c.option)
		err := c.late.Check(r, c.seat)
		if (err == nil) != (c.refused == "") || err != nil && !(strings.HasPrefix(err.Error(), "R-CNT-5: ") && strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.refused)
		}
		if got := slices.Contains(c.late.Claimants(r), c.seat); got != (err == nil) {
			t.Errorf("%s: among the claimants: %v", c.name, got)
		}
	}
}

// R-CNT-5, AMB-19: a claim that opponents pay, and one that two partners pay.
func TestLatePay(t *testing.T) {
	late := score.Late{Deal: score.Deal{Declarer: 0, Partner: score.Alone}, Tarokks: [4]int{0, 0, 0, 9}}
	if got, want := late.Pay(3), (score.Payments{0, -2, -2, 4}); got != want {
		t.Errorf("one of three: %v, want %v", got, want)
	}
	late = score.Late{Deal: score.Deal{Declarer: 0, Partner: 2}, Tarokks: [4]int{8, 9, 0, 0}}
	if got, want := late.Pay(0).Plus(late.Pay(1)), (score.Payments{1, 2, -1, -2}); got != want {
		t.Errorf("one of each side: %v, want %v", got, want)
	}
}

// OPT-TALON-HONOUR-FEE: an honour that was dealt and not drawn, one that costs
// what another costs, and a fee where none is agreed.
func TestTalonFee(t *testing.T) {
	fee := rules(t, "talon-fee", "true")
	drawn := [4]card.Set{card.SetOf(deck.Skiz, deck.XX), card.SetOf(deck.Pagat), card.SetOf(deck.T(7)), card.SetOf(deck.XXI)}
	if got, want := score.TalonFee(fee, drawn), (score.Payments{-3, -1, 0, -2, 6}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := score.TalonFee(fee, [4]card.Set{2: deck.Honours}), (score.Payments{0, 0, -6, 0, 6}); got != want {
		t.Errorf("all three: %v, want %v", got, want)
	}
	if got := score.TalonFee(book, drawn); got != (score.Payments{}) {
		t.Errorf("without the option: %v", got)
	}
}
