package fivecarddraw

import (
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/games/fivecarddraw/bot"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/deck"
	"github.com/pakli/pakli/protocol/table"
)

// Choose implements play.Rules: package bot judges.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	moves := r.Moves(s, v)
	if len(moves) == 0 {
		return Move{}, false
	}
	switch s.Stage {
	case Betting, BetAfter:
		return s.chooseBet(v, random), true
	case Exchanging:
		return s.chooseAway(v), true
	case Showing:
		return s.chooseShow(v, moves), true
	case Opening:
		return moves[0], true
	}
	return moves[random.IntN(len(moves))], true
}

// ownFaces are the faces of a hand.
func (s State) ownFaces(v table.View) []deck.Face {
	return facesOf(shownCards(s.Deal.Hands[v.Seat], v.Faces))
}

func (s State) chooseBet(v table.View, random *rand.Rand) Move {
	own, b := s.ownFaces(v), s.Bounds(v.Seat)
	var others []bot.Opponent
	for _, seat := range s.liveSeats(v.Seat) {
		if seat != v.Seat {
			others = append(others, bot.Opponent{Drew: len(s.Deal.Away[seat])})
		}
	}
	known := facesOf(shownCards(s.Aside(v.Seat), v.Faces))
	place := bot.Situation{
		Chance: bot.Chance(own, known, others, s.Stage == Betting, s.Rules.Exchange, s.Rules.Wheel, random),
		Others: len(others), Bluff: bot.Bluffs(own), Middle: s.InMiddle(), Call: b.Call, Height: s.Deal.Round.Height, Least: b.Least, Greatest: b.Greatest,
	}
	if s.Rules.Openers != "none" && s.Stage == Betting && s.Deal.Opener == nobody && !deck.OpensBetting(own, s.Rules.Wheel) {
		place.Least = 0 // an opening must be shown
	}
	a := place.Act()
	return Move{Fold: a.Fold, Check: a.Check, Call: a.Call, To: a.To}
}

// chooseAway puts away what is not worth keeping.
func (s State) chooseAway(v table.View) Move {
	own, most := s.ownFaces(v), s.Exchangeable()
	kept := bot.Keep(own, deck.HandSize-most, s.Rules.Wheel)
	away := []table.Card{}
	for i, c := range s.Deal.Hands[v.Seat] {
		if !slices.Contains(kept, own[i]) {
			away = append(away, c)
		}
	}
	return Move{Discard: &away}
}

// chooseShow mucks a hand that is beaten by one that was shown and has the same claims.
func (s State) chooseShow(v table.View, moves []Move) Move {
	mine := deck.HandClass([deck.HandSize]deck.Face(s.ownFaces(v)), s.Rules.Wheel)
	for _, p := range s.Deal.Pots {
		beaten := slices.ContainsFunc(s.Deal.Shown, func(h Hand) bool { return slices.Contains(p.Claimants, h.Seat) && h.Class < mine })
		if isContested(p, v.Seat) && !beaten {
			return moves[0]
		}
	}
	return moves[len(moves)-1]
}
