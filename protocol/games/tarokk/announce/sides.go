package announce

import (
	"slices"

	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// Reveal makes the side of a seat public, during the announcements by what it
// says and in play by its cards. If seat is the declarer's partner the other two
// are opponents (R-SIDE-6); that two are opponents says nothing about the third,
// since the declarer may be alone (AMB-10). A side that is public stays as it is.
func (s State) Reveal(seat int, side score.Side) State {
	if s.Sides[seat] != score.Unknown {
		return s
	}
	s.Sides[seat] = side
	if side == score.Dec {
		s = s.revealRest()
	}
	return s
}

// revealRest makes opponents of all whose side is not public: their partner is
// known, or it is known that there is none (R-CALL-7).
func (s State) revealRest() State {
	for seat, side := range s.Sides {
		if side == score.Unknown {
			s.Sides[seat] = score.Def
		}
	}
	return s
}

// partnerKnown reports whether the partner is public, and with it who holds the
// called card.
func (s State) partnerKnown() bool {
	for seat, side := range s.Sides {
		if seat != s.Declarer && side == score.Dec {
			return true
		}
	}
	return false
}

// Answer says whether a rule binds a seat.
type Answer int

// Answers.
const (
	No Answer = iota
	Yes
	Hidden // yes if the seat is of a certain side, and its side is not public
)

// Bound says whether a seat that holds the pagát must keep it as long as it can.
type Bound struct {
	Answer Answer
	To     score.Side // of a hidden answer: the side that is bound, the only one that announced pagátultimó
}

// Bound tells whether an announced pagátultimó binds seat (R-PLAY-6): as a
// member of a side that announced it (R-PLAY-7), or under
// pagat-retention=any-holder (AMB-15) whatever its side.
func (s State) Bound(r ruleset.Rules, seat int) Bound {
	var by []score.Side
	for _, a := range s.Items {
		if a.Item.Figure == score.Ultimo {
			by = append(by, a.Item.Side)
		}
	}
	switch {
	case len(by) == 0:
		return Bound{Answer: No}
	case r.Retention == ruleset.RetainAnyHolder || len(by) == 2 || slices.Contains(by, s.Sides[seat]):
		return Bound{Answer: Yes}
	case s.Sides[seat] == score.Unknown:
		return Bound{Answer: Hidden, To: by[0]}
	}
	return Bound{Answer: No}
}
