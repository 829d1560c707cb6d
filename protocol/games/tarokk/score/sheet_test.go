package score_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

var book, _ = ruleset.Preset("book")

const (
	dec = score.Dec
	def = score.Def
)

// says is a map of contras: item, step, item, step…
func says(t *testing.T, items ...any) map[score.Item]int {
	t.Helper()
	contra := map[score.Item]int{}
	for i := 0; i < len(items); i += 2 {
		item := testmust.Have(score.ParseItem(items[i].(string)))(t)
		contra[item] = items[i+1].(int)
	}
	return contra
}

// text writes a sheet as a jury would read it.
func text(s score.Sheet) []string {
	lines := []string{}
	for _, l := range s.Lines {
		how, made := "silent", "made"
		if l.Announced {
			how = "announced"
		}
		if !l.Made {
			made = "failed"
		}
		lines = append(lines, fmt.Sprintf("%s %s x%d %s: %d for %s by %s", l.Item, how, 1<<l.Contra, made, l.Points, l.For, l.Rule))
	}
	return lines
}

// Each rule of the score, with the wrong sheet that a scorer could write who
// does not know it.
func TestSheets(t *testing.T) {
	for _, c := range []struct {
		name  string // the rule, and how to be wrong
		deal  score.Deal
		lines []string
	}{
		{"R-SC-5: game and double, or double and volát, are scored together",
			score.Deal{Points: 94, Tricks: 9},
			[]string{"DEC.volat silent x1 made: 3 for DEC by R-SC-5"}},
		{"R-SC-5: a silent double of the opponents is a mere game",
			score.Deal{Points: 20, Tricks: 2},
			[]string{"DEF.double silent x1 made: 2 for DEF by R-SC-5"}},
		{"R-SC-6: a double that is made is paid besides the game",
			score.Deal{Points: 71, Tricks: 7, Contra: says(t, "DEC.double", 0)},
			[]string{"DEC.double announced x1 made: 4 for DEC by R-SC-6"}},
		{"R-SC-6: a silent volát is forgotten",
			score.Deal{Points: 90, Tricks: 9, Contra: says(t, "DEC.double", 0)},
			[]string{"DEC.double announced x1 made: 4 for DEC by R-SC-6", "DEC.volat silent x1 made: 3 for DEC by R-SC-6"}},
		{"R-SC-6: the game is lost for nothing",
			score.Deal{Points: 40, Tricks: 4, Contra: says(t, "DEC.double", 0)},
			[]string{"DEC.double announced x1 failed: 4 for DEF by R-SC-6", "game silent x1 failed: 1 for DEF by R-SC-6"}},
		{"R-SC-6: it is the declarer's rule alone",
			score.Deal{Points: 10, Tricks: 1, Contra: says(t, "DEF.double", 1)},
			[]string{"DEF.double announced x2 made: 8 for DEF by R-SC-6"}},
		{"R-SC-7: of double and volát only one is settled",
			score.Deal{Points: 75, Tricks: 8, Contra: says(t, "DEC.double", 0, "DEC.volat", 0)},
			[]string{"DEC.double announced x1 made: 4 for DEC by R-SC-7", "DEC.volat announced x1 failed: 6 for DEF by R-SC-7"}},
		{"R-SC-8: who announced volát scores game or double",
			score.Deal{Points: 75, Tricks: 8, Contra: says(t, "DEC.volat", 0)},
			[]string{"DEC.volat announced x1 failed: 6 for DEF by R-SC-8"}},
		{"R-SC-8: the other side scores a game it did not win",
			score.Deal{Points: 60, Tricks: 3, Contra: says(t, "DEF.volat", 0)},
			[]string{"DEF.volat announced x1 failed: 6 for DEC by R-SC-8", "game silent x1 made: 1 for DEC by R-SC-8"}},
		{"R-SC-9: a silent double is multiplied, or replaces a contra'd game",
			score.Deal{Points: 75, Tricks: 8, Contra: says(t, "game", 2)},
			[]string{"DEC.double silent x1 made: 2 for DEC by R-SC-9", "game silent x4 made: 4 for DEC by R-SC-9"}},
		{"R-SC-10: an announcement replaces a contra'd game",
			score.Deal{Points: 90, Tricks: 9, Contra: says(t, "game", 1, "DEC.double", 1)},
			[]string{"DEC.double announced x2 made: 8 for DEC by R-SC-10", "DEC.volat silent x1 made: 3 for DEC by R-SC-10", "game silent x2 made: 2 for DEC by R-SC-10"}},
		{"AMB-17: who announced volát has a silent double in a contra'd game",
			score.Deal{Points: 75, Tricks: 8, Contra: says(t, "game", 1, "DEC.volat", 0)},
			[]string{"DEC.volat announced x1 failed: 6 for DEF by R-SC-10", "game silent x2 made: 2 for DEC by R-SC-10"}},
		{"AMB-18, R-SC-11: where both announced, only one pays",
			score.Deal{Points: 60, Tricks: 6, Contra: says(t, "DEC.double", 0, "DEF.volat", 0)},
			[]string{"DEC.double announced x1 failed: 4 for DEF by R-SC-11", "DEF.volat announced x1 failed: 6 for DEC by R-SC-11"}},
		{"R-SC-12, R-FIG-3, R-FIG-9: two announcements of one figure are one item",
			score.Deal{Points: 50, Tricks: 5, Trull: def, Contra: says(t, "DEC.trull", 1, "DEF.trull", 0)},
			[]string{"game silent x1 made: 1 for DEC by R-SC-5", "DEC.trull announced x2 failed: 4 for DEF by R-SC-12", "DEF.trull announced x1 made: 2 for DEF by R-SC-12"}},
		{"R-SC-13: a volát hides no silent trull and kings",
			score.Deal{Points: 10, Tricks: 0, Trull: def, Kings: def},
			[]string{"DEF.volat silent x1 made: 3 for DEF by R-SC-5"}},
		{"R-SC-13: an announced volát hides none",
			score.Deal{Points: 90, Tricks: 9, Trull: dec, Kings: dec, Contra: says(t, "DEC.volat", 0)},
			[]string{"DEC.volat announced x1 made: 6 for DEC by R-SC-8"}},
		{"AMB-25: a volát hides announced trull and kings",
			score.Deal{Points: 90, Tricks: 9, Trull: dec, Kings: dec, Contra: says(t, "DEC.trull", 0, "DEF.four_kings", 0)},
			[]string{"DEC.volat silent x1 made: 3 for DEC by R-SC-5", "DEC.trull announced x1 made: 2 for DEC by R-SC-12", "DEF.four_kings announced x1 failed: 2 for DEC by R-SC-12"}},
		{"R-FIG-4: a silent pagátultimó that is lost costs nothing",
			score.Deal{Points: 50, Tricks: 5, Pagat: def, NinthTrick: score.Lost},
			[]string{"game silent x1 made: 1 for DEC by R-SC-5", "DEF.pagat_ultimo silent x1 failed: 5 for DEC by R-SC-14"}},
		{"R-FIG-4: a pagát played before the ninth trick is scored",
			score.Deal{Points: 50, Tricks: 5, Pagat: def},
			[]string{"game silent x1 made: 1 for DEC by R-SC-5"}},
		{"R-FIG-5: a pagát forced out, or with the others, is no failure",
			score.Deal{Points: 50, Tricks: 5, Pagat: dec, Contra: says(t, "DEC.pagat_ultimo", 0, "DEF.pagat_ultimo", 1)},
			[]string{"game silent x1 made: 1 for DEC by R-SC-5", "DEC.pagat_ultimo announced x1 failed: 10 for DEF by R-SC-14", "DEF.pagat_ultimo announced x2 failed: 20 for DEC by R-SC-14"}},
		{"R-SC-14, AMB-16: the holder who announced loses the silent value besides",
			score.Deal{Points: 50, Tricks: 5, Pagat: dec, NinthTrick: score.Lost, Contra: says(t, "DEC.pagat_ultimo", 0)},
			[]string{"game silent x1 made: 1 for DEC by R-SC-5", "DEC.pagat_ultimo announced x1 failed: 10 for DEF by R-SC-14"}},
		{"AMB-16: the holder who did not announce goes free",
			score.Deal{Points: 50, Tricks: 5, Pagat: dec, NinthTrick: score.Lost, Contra: says(t, "DEF.pagat_ultimo", 0)},
			[]string{"game silent x1 made: 1 for DEC by R-SC-5", "DEF.pagat_ultimo announced x1 failed: 10 for DEC by R-SC-14", "DEC.pagat_ultimo silent x1 failed: 5 for DEF by R-SC-14"}},
		{"R-FIG-6, R-SC-15: a capture that was announced and did not come about costs nothing",
			score.Deal{Points: 50, Tricks: 5, Contra: says(t, "DEF.xxi_capture", 1)},
			[]string{"game silent x1 made: 1 for DEC by R-SC-5", "DEF.xxi_capture announced x2 failed: 84 for DEC by R-SC-15"}},
		{"R-SC-15: who captures what the others announced scores once",
			score.Deal{Points: 50, Tricks: 5, Captured: dec, Contra: says(t, "DEF.xxi_capture", 0)},
			[]string{"game silent x1 made: 1 for DEC by R-SC-5", "DEF.xxi_capture announced x1 failed: 42 for DEC by R-SC-15", "DEC.xxi_capture silent x1 made: 21 for DEC by R-SC-15"}},
		{"R-SC-16: who makes what the others failed to make scores once",
			score.Deal{Points: 50, Tricks: 5, Trull: dec, Contra: says(t, "DEF.trull", 0)},
			[]string{"game silent x1 made: 1 for DEC by R-SC-5", "DEF.trull announced x1 failed: 2 for DEC by R-SC-12", "DEC.trull silent x1 made: 1 for DEC by R-SC-12"}},
		{"R-CON-5: a contra of an item multiplies another one",
			score.Deal{Points: 50, Tricks: 5, Kings: dec, Contra: says(t, "game", 3, "DEC.trull", 5)},
			[]string{"game silent x8 made: 8 for DEC by R-SC-9", "DEC.trull announced x32 failed: 64 for DEF by R-SC-12", "DEC.four_kings silent x1 made: 1 for DEC by R-SC-12"}},
	} {
		if c.deal.Pagat == score.Unknown {
			c.deal.Pagat = dec
		}
		if got := text(score.Score(book, c.deal)); !slices.Equal(got, c.lines) {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.lines)
		}
	}
}

// Each option that changes the score, at the place where it does.
func TestScoringOptions(t *testing.T) {
	for _, c := range []struct {
		name    string // where it stands in 61.13, and what it must not do
		options []string
		deal    score.Deal
		v, book int // with the option, and without it
	}{
		{"OPT-SCORE-GDV: the winner who announced volát has no game either way",
			[]string{"score-gdv", "exclusive"}, score.Deal{Points: 60, Tricks: 6, Contra: says(t, "DEC.volat", 0)}, -6, -6},
		{"OPT-SCORE-GDV: an announced volát of the loser takes the silent double",
			[]string{"score-gdv", "exclusive"}, score.Deal{Points: 75, Tricks: 8, Contra: says(t, "DEF.volat", 0)}, 6, 8},
		{"OPT-SCORE-GDV: an announced double of the loser leaves the silent volát",
			[]string{"score-gdv", "exclusive"}, score.Deal{Points: 90, Tricks: 9, Contra: says(t, "DEF.double", 0)}, 7, 7},
		{"OPT-SCORE-GDV: nothing announced",
			[]string{"score-gdv", "exclusive"}, score.Deal{Points: 75, Tricks: 8}, 2, 2},
		{"OPT-SCORE-DEF-SILENT: of the declarer's side nothing is taken",
			[]string{"defenders-silent", "contra-only"}, score.Deal{Points: 75, Tricks: 8}, 2, 2},
		{"OPT-SCORE-DEF-SILENT: a silent volát of the opponents is a game",
			[]string{"defenders-silent", "contra-only"}, score.Deal{Points: 10}, -1, -3},
		{"PAK-7, OPT-SCORE-DEF-SILENT with OPT-SCORE-GDV: a double that is not scored replaces no game",
			[]string{"defenders-silent", "contra-only", "score-gdv", "exclusive"}, score.Deal{Points: 20, Tricks: 2}, -1, -2},
		{"OPT-SCORE-CONTRA-VOLAT: three times a rekontra'd game",
			[]string{"contra-volat", "triple"}, score.Deal{Points: 90, Tricks: 9, Contra: says(t, "game", 2)}, 12, 7},
		{"OPT-SCORE-CONTRA-VOLAT: without contra",
			[]string{"contra-volat", "triple"}, score.Deal{Points: 90, Tricks: 9}, 3, 3},
		{"OPT-SCORE-CONTRA-VOLAT: an announced volát is not silent",
			[]string{"contra-volat", "triple"}, score.Deal{Points: 90, Tricks: 9, Contra: says(t, "game", 1, "DEC.volat", 0)}, 8, 8},
		{"OPT-SCORE-VOLAT-TRULL: the trull, and not the kings",
			[]string{"volat-trull", "trull"}, score.Deal{Points: 90, Tricks: 9, Trull: dec, Kings: dec}, 4, 3},
		{"OPT-SCORE-CONTRA-TIE: 46 points do not win",
			[]string{"contra-tie", "48"}, score.Deal{Points: 46, Tricks: 5, Contra: says(t, "game", 1)}, -2, -2},
		{"BGA-9, PAK-6: silent kings beside a silent double",
			[]string{"double-kings", "not"}, score.Deal{Points: 75, Tricks: 8, Kings: dec}, 2, 3},
		{"BGA-9: announced kings are settled",
			[]string{"double-kings", "not"}, score.Deal{Points: 75, Tricks: 8, Kings: dec, Contra: says(t, "DEC.four_kings", 0)}, 4, 4},
		{"BGA-9, PAK-6: an announced double hides no kings",
			[]string{"double-kings", "not"}, score.Deal{Points: 75, Tricks: 8, Kings: dec, Contra: says(t, "DEC.double", 0)}, 5, 5},
		{"BGA-9: the trull is scored",
			[]string{"double-kings", "not"}, score.Deal{Points: 75, Tricks: 8, Trull: dec}, 3, 3},
		{"OPT-VAL-KINGS: silent", []string{"kings-silent", "2", "kings-announced", "4"}, score.Deal{Points: 50, Tricks: 5, Kings: def}, -1, 0},
		{"OPT-VAL-KINGS: announced", []string{"kings-announced", "4"}, score.Deal{Points: 50, Tricks: 5, Contra: says(t, "DEF.four_kings", 1)}, 9, 5},
		{"OPT-VAL-ULTIMO: lost", []string{"ultimo-silent", "6", "ultimo-announced", "12"}, score.Deal{Points: 50, Tricks: 5, Pagat: dec, NinthTrick: score.Lost}, -5, -4},
		{"OPT-VAL-ULTIMO: announced", []string{"ultimo-announced", "12"}, score.Deal{Points: 50, Tricks: 5, Pagat: dec, NinthTrick: score.Won, Contra: says(t, "DEC.pagat_ultimo", 0)}, 13, 11},
		{"OPT-VAL-XXI: silent", []string{"xxi-silent", "30", "xxi-announced", "60"}, score.Deal{Points: 50, Tricks: 5, Captured: def}, -29, -20},
		{"OPT-VAL-XXI: the tariff of the cup", []string{"preset", "cup"}, score.Deal{Points: 50, Tricks: 5, Captured: dec, Contra: says(t, "DEC.xxi_capture", 0)}, 85, 43},
		{"OPT-VAL-ULTIMO: of no value, and no line", []string{"ultimo-silent", "0"}, score.Deal{Points: 50, Tricks: 5, Pagat: dec, NinthTrick: score.Lost}, 1, -4},
	} {
		if c.deal.Pagat == score.Unknown {
			c.deal.Pagat = dec
		}
		with, without := score.Score(rules(t, c.options...), c.deal), score.Score(book, c.deal)
		if with.V != c.v || without.V != c.book {
			t.Errorf("%s: %d, want %d; by the book %d, want %d: %q", c.name, with.V, c.v, without.V, c.book, text(with))
		}
	}
}

// randomDeal draws a deal that can come about: the loser of a volát has at most
// 22 points and no figure.
func randomDeal(rnd *rand.Rand) score.Deal {
	side := func() score.Side { return score.Side(rnd.IntN(3)) }
	d := score.Deal{Level: rnd.IntN(4), Declarer: rnd.IntN(4), Points: rnd.IntN(95), Tricks: 1 + rnd.IntN(8), Contra: map[score.Item]int{score.TheGame: rnd.IntN(6)}}
	d.Partner = (d.Declarer + 1 + rnd.IntN(3)) % 4
	if rnd.IntN(4) == 0 {
		d.Partner = score.Alone
	}
	d.Trull, d.Kings, d.Captured, d.Pagat = side(), side(), side(), score.Side(1+rnd.IntN(2))
	d.NinthTrick = []score.Fate{score.NotPlayed, score.Won, score.Lost}[rnd.IntN(3)]
	switch rnd.IntN(6) {
	case 0:
		d.Tricks, d.Points = 9, 72+rnd.IntN(23)
	case 1:
		d.Tricks, d.Points = 0, rnd.IntN(23)
	}
	for _, f := range score.Figures {
		for _, s := range []score.Side{dec, def} {
			if rnd.IntN(4) == 0 {
				d.Contra[score.Item{Side: s, Figure: f}] = rnd.IntN(6)
			}
		}
	}
	return d
}

// randomRules sets every option that the score reads.
func randomRules(rnd *rand.Rand) ruleset.Rules {
	r := book
	r.ScoreGDV, r.DefSilent = pick[ruleset.ScoreGDV](rnd, "six-rules", "exclusive"), pick[ruleset.DefSilent](rnd, "always", "contra-only")
	r.ContraVolat, r.VolatTrull, r.DoubleKings = pick[ruleset.ContraVolat](rnd, "add", "triple"), pick[ruleset.VolatTrull](rnd, "neither", "trull"), pick[ruleset.DoubleKings](rnd, "scored", "not")
	r.ContraTie = 47 + rnd.IntN(2)
	r.KingsSilent, r.UltimoSilent, r.XXISilent = rnd.IntN(4), rnd.IntN(8), rnd.IntN(50)
	r.KingsAnnounced, r.UltimoAnnounced, r.XXIAnnounced = 2*r.KingsSilent, 2*r.UltimoSilent, 2*r.XXISilent
	r.UltimoPool, r.TrialPays = rnd.IntN(2) == 0, pick[ruleset.TrialPays](rnd, "base", "two")
	r.TalonFee, r.DealerWeeps = rnd.IntN(2) == 0, rnd.IntN(2) == 0
	r.ThrowIn, r.LateCount = pick[ruleset.ThrowIn](rnd, "overlap", "none", "queue", "quad"), pick[ruleset.LateCount](rnd, "covered", "always", "never")
	return r
}

func pick[T ~string](rnd *rand.Rand, words ...T) T { return words[rnd.IntN(len(words))] }

// R-SC-18: a sum that its lines do not add up to, a line for the wrong side, of
// no points, or with a contra that nobody said (R-CON-5).
func TestLinesAddUp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 18))
	for range 20_000 {
		r, d := randomRules(rnd), randomDeal(rnd)
		s, v := score.Score(r, d), 0
		for _, l := range s.Lines {
			sign := 1
			if l.For == def {
				sign = -1
			}
			v += sign * l.Points
			step, said := d.Contra[l.Item]
			isFor := l.Item.Side
			if !l.Made {
				isFor = isFor.Other()
			}
			silent := !l.Announced && l.Item != score.TheGame
			if l.Points <= 0 || l.For != isFor || l.Announced && !said || silent && (said || l.Contra != 0) || !silent && l.Contra != step {
				t.Fatalf("%+v under %+v: line %+v", d, r, l)
			}
		}
		if v != s.V || s.V != s.GDV+s.Figures {
			t.Fatalf("%+v: lines make %d: %+v", d, v, s)
		}
	}
}

// mirror exchanges the sides.
func mirror(d score.Deal) score.Deal {
	m := d
	m.Points, m.Tricks = 94-d.Points, 9-d.Tricks
	m.Trull, m.Kings, m.Captured, m.Pagat = d.Trull.Other(), d.Kings.Other(), d.Captured.Other(), d.Pagat.Other()
	m.Contra = map[score.Item]int{}
	for i, step := range d.Contra {
		if i != score.TheGame {
			i.Side = i.Side.Other()
		}
		m.Contra[i] = step
	}
	return m
}

// R-SC-2 to R-SC-15: a rule that favours one side, where only a tie and
// OPT-SCORE-DEF-SILENT do.
func TestMirror(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 18))
	for range 20_000 {
		r, d := randomRules(rnd), randomDeal(rnd)
		r.DefSilent = "always"
		if d.Points == 47 {
			continue
		}
		if a, b := score.Score(r, d), score.Score(r, mirror(d)); a.GDV != -b.GDV || a.Figures != -b.Figures {
			t.Fatalf("%+v under %+v: %d and %d, mirrored %d and %d", d, r, a.GDV, a.Figures, b.GDV, b.Figures)
		}
	}
}

// R-SC-17: a figure that is worth more in a higher game; and a game, double or
// volát that is not (R-SC-4).
func TestLevels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 18))
	for range 5_000 {
		r, d := randomRules(rnd), randomDeal(rnd)
		d.Level = 0
		three := score.Score(r, d)
		for d.Level = 1; d.Level < 4; d.Level++ {
			if s := score.Score(r, d); s.Figures != three.Figures || s.GDV != three.GDV*score.Base(d.Level) {
				t.Fatalf("%+v: %+v, at three %+v", d, s, three)
			}
		}
	}
}
