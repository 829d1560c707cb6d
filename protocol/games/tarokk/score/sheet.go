package score

import (
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

// Sheet is a deal's score: its lines, and their sums in favour of DEC.
type Sheet struct {
	Lines   []Line `json:"lines"`
	GDV     int    `json:"gdv"`     // game, double and volát (R-SC-5 to R-SC-11)
	Figures int    `json:"figures"` // the other four (R-SC-12 to R-SC-17)
	V       int    `json:"v"`       // both together (R-SC-18)
}

// Line is one item that is scored.
type Line struct {
	Item      Item   `json:"item"` // with the side that announced it, or made or failed it silently
	Rule      string `json:"rule"` // by which it is scored
	For       Side   `json:"for"`
	Points    int    `json:"points"` // above zero
	Announced bool   `json:"announced"`
	Contra    int    `json:"contra"` // the step, by which Points are doubled so many times
	Made      bool   `json:"made"`   // by Item.Side
}

const (
	doubleFrom = 71 // R-SC-3
	allTricks  = 9

	trullSilent, trullAnnounced = 1, 2 // R-SC-12
)

// Base is the value of a game by its level (R-SC-4).
func Base(level int) int { return level + 1 }

// Score applies R-SC-1 to R-SC-18.
func Score(r ruleset.Rules, d Deal) Sheet {
	s := &scoring{Deal: d, rules: r}
	s.gameDoubleVolat()
	gdv := len(s.lines)
	s.trullAndKings()
	s.ultimo()
	s.capture()
	sheet := Sheet{Lines: s.lines, GDV: sum(s.lines[:gdv]), Figures: sum(s.lines[gdv:])}
	sheet.V = sheet.GDV + sheet.Figures
	return sheet
}

// sum is what lines bring to DEC.
func sum(lines []Line) int {
	v := 0
	for _, l := range lines {
		if l.For == Dec {
			v += l.Points
		} else {
			v -= l.Points
		}
	}
	return v
}

type scoring struct {
	Deal
	rules ruleset.Rules
	lines []Line
}

// add scores an item that a side made or failed. An item of no value leaves no
// line.
func (s *scoring) add(i Item, rule string, made, announced bool, value int) {
	l := Line{Item: i, Rule: rule, For: i.Side, Points: value, Announced: announced, Made: made}
	if announced || i == TheGame {
		l.Contra = s.Contra[i]
		l.Points <<= l.Contra
	}
	if !made {
		l.For = i.Side.Other()
	}
	if l.Points > 0 {
		s.lines = append(s.lines, l)
	}
}

// settle scores a figure for each side that announced it (R-FIG-2).
func (s *scoring) settle(f Figure, rule string, value int, made func(Side) bool) {
	for _, side := range []Side{Dec, Def} {
		if s.announced(side, f) {
			s.add(Item{side, f}, rule, made(side), true, value)
		}
	}
}

// gameDoubleVolat is R-SC-11, and the options that change it.
func (s *scoring) gameDoubleVolat() {
	rule := s.rule()
	s.settle(Double, rule, 4*s.base(), s.madeDouble)
	s.settle(Volat, rule, 6*s.base(), s.madeVolat)
	silent := s.silent()
	switch {
	case silent == Volat && s.tripled():
		s.add(Item{s.winner(), Volat}, "OPT-SCORE-CONTRA-VOLAT", true, false, 2*s.base()<<s.Contra[TheGame])
	case silent == Volat:
		s.add(Item{s.winner(), Volat}, rule, true, false, 3*s.base())
	case silent == Double:
		s.add(Item{s.winner(), Double}, rule, true, false, 2*s.base())
	}
	if s.contraed() || silent == "" && !s.replaced() {
		s.add(TheGame, rule, s.winner() == Dec, false, s.base())
	}
}

// rule is that one of the six rules which governs the deal. None of them speaks
// of a game without contra in which both sides announced (AMB-18).
func (s *scoring) rule() string {
	double := s.announced(Dec, Double) || s.announced(Def, Double)
	volat := s.announced(Dec, Volat) || s.announced(Def, Volat)
	switch {
	case s.contraed() && (double || volat):
		return "R-SC-10"
	case s.contraed():
		return "R-SC-9"
	case s.announcedGDV(Dec) && s.announcedGDV(Def):
		return "R-SC-11"
	case double && volat:
		return "R-SC-7"
	case double:
		return "R-SC-6"
	case volat:
		return "R-SC-8"
	}
	return "R-SC-5"
}

func (s *scoring) announcedGDV(side Side) bool {
	return s.announced(side, Double) || s.announced(side, Volat)
}

func (s *scoring) base() int { return Base(s.Level) }

func (s *scoring) contraed() bool { return s.Contra[TheGame] > 0 }

func (s *scoring) exclusive() bool { return s.rules.ScoreGDV == ruleset.Exclusive }

func (s *scoring) tripled() bool { return s.contraed() && s.rules.ContraVolat == ruleset.VolatTriples }

// winner of the game (R-SC-2): of a tie, the defenders, unless the game is
// contra'd under OPT-SCORE-CONTRA-TIE.
func (s *scoring) winner() Side {
	needed := deck.TotalPoints / 2
	if s.contraed() {
		needed = s.rules.ContraTie
	}
	if deck.TotalPoints-s.Points >= needed {
		return Def
	}
	return Dec
}

func (s *scoring) madeDouble(side Side) bool {
	if side == Dec {
		return s.Points >= doubleFrom
	}
	return deck.TotalPoints-s.Points >= doubleFrom
}

func (s *scoring) madeVolat(side Side) bool {
	if side == Dec {
		return s.Tricks == allTricks
	}
	return s.Tricks == 0
}

// silent is the double or volát that the winner of the game scores without
// having announced it. A side that announced volát has no silent double, not even when
// the game is contra'd (R-SC-8, AMB-17).
func (s *scoring) silent() Figure {
	w := s.winner()
	switch {
	case w == Def && s.rules.DefSilent == ruleset.DefendersIfContra && !s.contraed(), s.announced(w, Volat):
		return ""
	case s.madeVolat(w):
		return Volat
	case s.madeDouble(w) && !s.announced(w, Double) && !(s.exclusive() && s.announced(w.Other(), Volat)):
		return Double
	}
	return ""
}

// replaced reports whether an announcement takes the place of the plain game:
// one of the winner's, or under OPT-SCORE-GDV=exclusive of either side.
func (s *scoring) replaced() bool {
	w := s.winner()
	return s.announcedGDV(w) || s.exclusive() && s.announcedGDV(w.Other())
}

// trullAndKings is R-SC-12 and R-SC-13.
func (s *scoring) trullAndKings() {
	volat := s.madeVolat(Dec) || s.madeVolat(Def)
	s.set(Trull, s.Trull, trullSilent, trullAnnounced, volat && s.rules.VolatTrull == ruleset.VolatNeither)
	besideDouble := s.silent() == Double && s.rules.DoubleKings == ruleset.DoubleWithoutKings // BGA-9
	s.set(FourKings, s.Kings, s.rules.KingsSilent, s.rules.KingsAnnounced, volat || besideDouble)
}

// set scores a set of cards that one side, or none, took. One that a volát or
// a double covers is scored only if it was announced (AMB-25).
func (s *scoring) set(f Figure, by Side, silent, announced int, covered bool) {
	s.settle(f, "R-SC-12", announced, func(side Side) bool { return side == by })
	if by != Unknown && !s.announced(by, f) && !covered {
		s.add(Item{by, f}, "R-SC-12", true, false, silent)
	}
}

// ultimo is R-SC-14: silent, it is lost as it is won (R-FIG-4), but not by a
// side that loses it announced (AMB-16).
func (s *scoring) ultimo() {
	s.settle(Ultimo, "R-SC-14", s.rules.UltimoAnnounced, s.ultimoWon)
	if s.NinthTrick != NotPlayed && !s.announced(s.Pagat, Ultimo) {
		s.add(Item{s.Pagat, Ultimo}, "R-SC-14", s.ultimoWon(s.Pagat), false, s.rules.UltimoSilent)
	}
}

// capture is R-SC-15.
func (s *scoring) capture() {
	s.settle(XXICapture, "R-SC-15", s.rules.XXIAnnounced, func(side Side) bool { return side == s.Captured })
	if s.Captured != Unknown && !s.announced(s.Captured, XXICapture) {
		s.add(Item{s.Captured, XXICapture}, "R-SC-15", true, false, s.rules.XXISilent)
	}
}
