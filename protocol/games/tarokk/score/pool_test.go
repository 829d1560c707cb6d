package score_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// BGA-7: each thing that pays into the pool or out of it.
func TestPool(t *testing.T) {
	r := rules(t, "ultimo-pool", "true")
	ultimo := func(partner int, holder score.Side, fate score.Fate, announced ...any) score.Deal {
		return score.Deal{Declarer: 1, Partner: partner, Pagat: holder, NinthTrick: fate, Contra: says(t, announced...)}
	}
	for _, c := range []struct {
		name   string
		before score.Pool
		event  func(score.Pool) (score.Pool, score.Payments)
		after  score.Pool
		want   score.Payments
	}{
		{"thrown in", 3, func(p score.Pool) (score.Pool, score.Payments) { return p.ThrownIn(r) }, 11, score.Payments{-2, -2, -2, -2}},
		{"a lost trial", 8, func(p score.Pool) (score.Pool, score.Payments) { return p.TrialLost(r, 3) }, 16, score.Payments{0, 0, 0, -8}},
		{"won by two", 16, played(r, ultimo(2, dec, score.Won, "DEC.pagat_ultimo", 1)), 0, score.Payments{0, 8, 8, 0}},
		{"won by two, an odd point", 17, played(r, ultimo(0, def, score.Won, "DEF.pagat_ultimo", 0)), 0, score.Payments{0, 0, 9, 8}},
		{"won by three", 8, played(r, ultimo(score.Alone, def, score.Won, "DEF.pagat_ultimo", 0)), 0, score.Payments{3, 0, 3, 2}},
		{"won alone", 9, played(r, ultimo(score.Alone, dec, score.Won, "DEC.pagat_ultimo", 0)), 0, score.Payments{0, 9}},
		{"lost by two", 17, played(r, ultimo(2, dec, score.Lost, "DEC.pagat_ultimo", 0)), 34, score.Payments{0, -9, -8}},
		{"lost by three", 8, played(r, ultimo(score.Alone, def, score.NotPlayed, "DEF.pagat_ultimo", 0)), 16, score.Payments{-3, 0, -3, -2}},
		{"of the other side's pagát", 8, played(r, ultimo(2, def, score.NotPlayed, "DEC.pagat_ultimo", 0)), 16, score.Payments{0, -4, -4}},
		{"the others make it silently", 8, played(r, ultimo(2, def, score.Won, "DEC.pagat_ultimo", 0)), 16, score.Payments{0, -4, -4}},
		{"silent, won", 8, played(r, ultimo(2, dec, score.Won)), 8, score.Payments{}},
		{"silent, lost", 8, played(r, ultimo(2, dec, score.Lost, "DEC.trull", 0)), 8, score.Payments{}},
		{"both, won by one", 8, played(r, ultimo(2, dec, score.Won, "DEC.pagat_ultimo", 0, "DEF.pagat_ultimo", 1)), 0, score.Payments{-4, 8, 8, -4}},
		{"both, won by none", 8, played(r, ultimo(2, dec, score.Lost, "DEC.pagat_ultimo", 0, "DEF.pagat_ultimo", 1)), 24, score.Payments{-4, -4, -4, -4}},
		{"an empty pool", 0, played(r, ultimo(2, dec, score.Lost, "DEC.pagat_ultimo", 0)), 0, score.Payments{}},
		{"shared by four", 10, func(p score.Pool) (score.Pool, score.Payments) { return p.Share(r, 4) }, 0, score.Payments{3, 3, 2, 2, 0}},
		{"shared by five", 13, func(p score.Pool) (score.Pool, score.Payments) { return p.Share(r, 5) }, 0, score.Payments{3, 3, 3, 2, 2}},
		{"a stake beyond the house rule", 1 << 20, played(r, ultimo(2, dec, score.Lost, "DEC.pagat_ultimo", 0)), 1<<20 + 1<<16, score.Payments{0, -1 << 15, -1 << 15}},
		{"without the option", 8, played(book, ultimo(2, dec, score.Won, "DEC.pagat_ultimo", 0)), 8, score.Payments{}},
	} {
		after, got := c.event(c.before)
		if after != c.after || got != c.want {
			t.Errorf("%s: a pool of %d becomes %d and pays %v, want %d and %v", c.name, c.before, after, got, c.after, c.want)
		}
		if total(got)+int(after-c.before) != 0 {
			t.Errorf("%s: %v does not balance", c.name, got)
		}
	}
}

func played(r ruleset.Rules, d score.Deal) func(score.Pool) (score.Pool, score.Payments) {
	return func(p score.Pool) (score.Pool, score.Payments) { return p.Ultimo(r, d) }
}
