package fivecarddraw

import "github.com/pakli/pakli/protocol/table"

// Reason names what speaks for a move that [Rules.Choose] chose, such as "bluff". It is empty for a
// forced move.
func (Rules) Reason(s State, v table.View, m Move) string {
	switch {
	case m.Fold:
		return fold
	case m.Check:
		return check
	case m.Call:
		return call
	case m.To > 0 && canBluff(facesOf(shownCards(s.Deal.Hands[v.Seat], v.Faces))):
		return "bluff"
	case m.To > 0:
		return "raise"
	case m.Discard != nil && len(*m.Discard) == 0:
		return "pat"
	case m.Discard != nil:
		return discard
	case m.Muck:
		return "muck"
	case m.Show != nil:
		return "show"
	case m.Openers != nil:
		return openers
	case m.Pick != nil:
		return pick
	}
	return ""
}
