package tarokk

// Sheet is the score of a deal: its lines, and their sums in favour of DEC.
type Sheet struct {
	Lines   []SheetLine `json:"lines"`
	GDV     int         `json:"gdv"`     // game, double and volát (R-SC-5 to R-SC-11)
	Figures int         `json:"figures"` // the other four (R-SC-12 to R-SC-17)
	V       int         `json:"v"`       // both together (R-SC-18)
}

// SheetLine is one item that is scored.
type SheetLine struct {
	Item      Item   `json:"item"` // its side announced it, or made or failed it silently
	Rule      string `json:"rule"` // the rule by which it is scored
	For       Side   `json:"for"`
	Points    int    `json:"points"` // above zero
	Announced bool   `json:"announced"`
	Contra    int    `json:"contra"` // the step of the ladder; Points are doubled that many times
	Made      bool   `json:"made"`   // by Item.Side
}

const (
	doubleFrom = 71 // R-SC-3
	allTricks  = 9

	trullSilent, trullAnnounced = 1, 2 // R-SC-12
)

// BaseValue is the value of the game at a level (R-SC-4).
func BaseValue(level int) int { return level + 1 }

// ScoreDeal scores a deal by R-SC-1 to R-SC-18.
func ScoreDeal(r RuleSet, d PlayedDeal) Sheet {
	s := &scoring{PlayedDeal: d, rules: r}
	s.gameDoubleVolat()
	gdv := len(s.lines)
	s.trullAndKings()
	s.addUltimo()
	s.addCapture()
	sheet := Sheet{Lines: s.lines, GDV: declarerSum(s.lines[:gdv]), Figures: declarerSum(s.lines[gdv:])}
	sheet.V = sheet.GDV + sheet.Figures
	return sheet
}

// declarerSum is the sum of lines for DEC.
func declarerSum(lines []SheetLine) int {
	v := 0
	for _, l := range lines {
		if l.For == DeclarerSide {
			v += l.Points
		} else {
			v -= l.Points
		}
	}
	return v
}

type scoring struct {
	PlayedDeal
	rules RuleSet
	lines []SheetLine
}

// addLine scores an item that a side made or failed. An item of no value gets no line.
func (s *scoring) addLine(i Item, rule string, made, announced bool, value int) {
	l := SheetLine{Item: i, Rule: rule, For: i.Side, Points: value, Announced: announced, Made: made}
	if announced || i == TheGame {
		l.Contra = s.Contra[i]
		l.Points <<= l.Contra
	}
	if !made {
		l.For = i.Side.OtherSide()
	}
	if l.Points > 0 {
		s.lines = append(s.lines, l)
	}
}

// addAnnounced scores a figure for each side that announced it (R-FIG-2).
func (s *scoring) addAnnounced(f Figure, rule string, value int, made func(Side) bool) {
	for _, side := range []Side{DeclarerSide, DefenderSide} {
		if s.isAnnounced(side, f) {
			s.addLine(Item{side, f}, rule, made(side), true, value)
		}
	}
}

// gameDoubleVolat is R-SC-11, with the options that change it.
func (s *scoring) gameDoubleVolat() {
	rule := s.gdvRule()
	s.addAnnounced(Double, rule, 4*s.baseValue(), s.madeDouble)
	s.addAnnounced(Volat, rule, 6*s.baseValue(), s.madeVolat)
	silent := s.silentFigure()
	switch {
	case silent == Volat && s.triplesVolat():
		s.addLine(Item{s.gameWinner(), Volat}, "OPT-SCORE-CONTRA-VOLAT", true, false, 2*s.baseValue()<<s.Contra[TheGame])
	case silent == Volat:
		s.addLine(Item{s.gameWinner(), Volat}, rule, true, false, 3*s.baseValue())
	case silent == Double:
		s.addLine(Item{s.gameWinner(), Double}, rule, true, false, 2*s.baseValue())
	}
	if s.isContraed() || silent == "" && !s.isReplaced() {
		s.addLine(TheGame, rule, s.gameWinner() == DeclarerSide, false, s.baseValue())
	}
}

// gdvRule is the one of the six rules that governs the deal. None of them covers a game without contra
// in which both sides announced (AMB-18).
func (s *scoring) gdvRule() string {
	double := s.isAnnounced(DeclarerSide, Double) || s.isAnnounced(DefenderSide, Double)
	volat := s.isAnnounced(DeclarerSide, Volat) || s.isAnnounced(DefenderSide, Volat)
	switch {
	case s.isContraed() && (double || volat):
		return "R-SC-10"
	case s.isContraed():
		return "R-SC-9"
	case s.announcedGDV(DeclarerSide) && s.announcedGDV(DefenderSide):
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
	return s.isAnnounced(side, Double) || s.isAnnounced(side, Volat)
}

func (s *scoring) baseValue() int { return BaseValue(s.Level) }

func (s *scoring) isContraed() bool { return s.Contra[TheGame] > 0 }

func (s *scoring) isExclusive() bool { return s.rules.ScoreGDV == ScoredExclusive }

func (s *scoring) triplesVolat() bool {
	return s.isContraed() && s.rules.ContraVolat == VolatTriples
}

// gameWinner returns the side that wins the game (R-SC-2). The defenders win a tie, unless the game is
// contra'd under OPT-SCORE-CONTRA-TIE.
func (s *scoring) gameWinner() Side {
	needed := TotalPoints / 2
	if s.isContraed() {
		needed = s.rules.ContraTie
	}
	if TotalPoints-s.Points >= needed {
		return DefenderSide
	}
	return DeclarerSide
}

func (s *scoring) madeDouble(side Side) bool {
	if side == DeclarerSide {
		return s.Points >= doubleFrom
	}
	return TotalPoints-s.Points >= doubleFrom
}

func (s *scoring) madeVolat(side Side) bool {
	if side == DeclarerSide {
		return s.Tricks == allTricks
	}
	return s.Tricks == 0
}

// silentFigure is the double or volát that the winner of the game scores without having announced it. A
// side that announced volát scores no silent double, even if the game is contra'd (R-SC-8, AMB-17).
func (s *scoring) silentFigure() Figure {
	w := s.gameWinner()
	switch {
	case w == DefenderSide && s.rules.DefSilent == DefendersIfContra && !s.isContraed(), s.isAnnounced(w, Volat):
		return ""
	case s.madeVolat(w):
		return Volat
	case s.madeDouble(w) && !s.isAnnounced(w, Double) && !(s.isExclusive() && s.isAnnounced(w.OtherSide(), Volat)):
		return Double
	}
	return ""
}

// isReplaced reports whether an announcement takes the place of the plain game: one by the winner, or,
// under OPT-SCORE-GDV=exclusive, by either side.
func (s *scoring) isReplaced() bool {
	w := s.gameWinner()
	return s.announcedGDV(w) || s.isExclusive() && s.announcedGDV(w.OtherSide())
}

// trullAndKings is R-SC-12 and R-SC-13.
func (s *scoring) trullAndKings() {
	volat := s.madeVolat(DeclarerSide) || s.madeVolat(DefenderSide)
	s.addSet(Trull, s.Trull, trullSilent, trullAnnounced, volat && s.rules.VolatTrull == VolatNeither)
	besideDouble := s.silentFigure() == Double && s.rules.DoubleKings == DoubleWithoutKings // BGA-9
	s.addSet(FourKings, s.Kings, s.rules.KingsSilent, s.rules.KingsAnnounced, volat || besideDouble)
}

// addSet scores a set of cards that one side took, or none. A set that a volát or a double covers is
// scored only if it was announced (AMB-25).
func (s *scoring) addSet(f Figure, by Side, silent, announced int, covered bool) {
	s.addAnnounced(f, "R-SC-12", announced, func(side Side) bool { return side == by })
	if by != UnknownSide && !s.isAnnounced(by, f) && !covered {
		s.addLine(Item{by, f}, "R-SC-12", true, false, silent)
	}
}

// addUltimo is R-SC-14. A silent ultimó costs as much lost as it brings won (R-FIG-4), except for a
// side that loses it announced (AMB-16).
func (s *scoring) addUltimo() {
	s.addAnnounced(Ultimo, "R-SC-14", s.rules.UltimoAnnounced, s.ultimoWon)
	if s.NinthTrick != NotPlayed && !s.isAnnounced(s.Pagat, Ultimo) {
		s.addLine(Item{s.Pagat, Ultimo}, "R-SC-14", s.ultimoWon(s.Pagat), false, s.rules.UltimoSilent)
	}
}

// addCapture is R-SC-15.
func (s *scoring) addCapture() {
	s.addAnnounced(XXICapture, "R-SC-15", s.rules.XXIAnnounced, func(side Side) bool { return side == s.Captured })
	if s.Captured != UnknownSide && !s.isAnnounced(s.Captured, XXICapture) {
		s.addLine(Item{s.Captured, XXICapture}, "R-SC-15", true, false, s.rules.XXISilent)
	}
}
