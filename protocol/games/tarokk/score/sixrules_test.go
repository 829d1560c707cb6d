package score_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// course is what one side announced and reached, for a scorer who goes by the
// words of rules 1 to 6 and not by the one formula.
type course struct {
	wins, double, volat       bool // the game, 71 points, all tricks
	saysDouble, saysVolat     bool
	doubleContra, volatContra int
	base, gameContra          int
}

// settled is what this side gains by its announcements: each is won or lost by
// itself (rules 2, 3 and 4).
func (c course) settled() int {
	v := 0
	if c.saysDouble && c.double {
		v += 4 * c.base * pow2(c.doubleContra)
	}
	if c.saysDouble && !c.double {
		v -= 4 * c.base * pow2(c.doubleContra)
	}
	if c.saysVolat && c.volat {
		v += 6 * c.base * pow2(c.volatContra)
	}
	if c.saysVolat && !c.volat {
		v -= 6 * c.base * pow2(c.volatContra)
	}
	return v
}

func pow2(k int) int {
	if k == 0 {
		return 1
	}
	return 2 * pow2(k-1)
}

// unsaid is what this side scores besides announcements.
func (c course) unsaid() int {
	switch {
	case !c.wins:
		return 0
	case c.gameContra > 0: // rules 5 and 6: the game always, silent figures in addition
		return c.base*pow2(c.gameContra) + c.beside()
	case c.saysDouble && c.saysVolat: // rule 3: no game, unless it is lost
		return 0
	case c.saysVolat: // rule 4: neither game nor double
		return 0
	case c.saysDouble && c.volat: // rule 2: no game, but a silent volát
		return 3 * c.base
	case c.saysDouble:
		return 0
	case c.volat: // rule 1, and in rules 2 to 4 the side that announced nothing: the highest
		return 3 * c.base
	case c.double:
		return 2 * c.base
	}
	return c.base
}

// beside is the silent volát or else the silent double of rule 5; who announced
// volát has none of the two (rule 4, AMB-17).
func (c course) beside() int {
	switch {
	case c.saysVolat:
		return 0
	case c.volat:
		return 3 * c.base
	case c.double && !c.saysDouble:
		return 2 * c.base
	}
	return 0
}

// R-SC-5, R-SC-6, R-SC-7, R-SC-8, R-SC-9, R-SC-10, R-SC-11, AMB-17, AMB-18: the formula and the six rules disagree
// somewhere: over every level, number of points, course of tricks, announcement
// and first contra.
func TestSixRules(t *testing.T) {
	for bits := range 1 << 9 {
		says := func(n int) bool { return bits>>n&1 == 1 }
		step := func(n int) int { return bits >> n & 1 }
		dec := course{saysDouble: says(0), saysVolat: says(1), doubleContra: step(4), volatContra: step(5), gameContra: step(8)}
		def := course{saysDouble: says(2), saysVolat: says(3), doubleContra: step(6), volatContra: step(7), gameContra: step(8)}
		for points := range 95 {
			for _, tricks := range []int{0, 5, 9} {
				if tricks == 0 && points > 22 || tricks == 9 && points < 72 {
					continue // the loser of a volát has no card of five points
				}
				compare(t, (bits+points)%4, points, tricks, dec, def)
			}
		}
	}
}

func compare(t *testing.T, level, points, tricks int, dec, def course) {
	t.Helper()
	dec.base, def.base = level+1, level+1
	dec.wins, dec.double, dec.volat = points >= 48, points >= 71, tricks == 9
	def.wins, def.double, def.volat = points <= 47, points <= 23, tricks == 0
	d := facts{Bid: 0, Points: points, Tricks: tricks}.deal()
	d.Level = level
	d.Contra[score.TheGame] = dec.gameContra
	for side, c := range map[score.Side]course{score.Dec: dec, score.Def: def} {
		if c.saysDouble {
			d.Contra[score.Item{Side: side, Figure: score.Double}] = c.doubleContra
		}
		if c.saysVolat {
			d.Contra[score.Item{Side: side, Figure: score.Volat}] = c.volatContra
		}
	}
	want := dec.settled() + dec.unsaid() - def.settled() - def.unsaid()
	if got := score.Score(book, d).GDV; got != want {
		t.Fatalf("level %d, %d points, %d tricks, %v: %d, want %d", level, points, tricks, d.Contra, got, want)
	}
}
