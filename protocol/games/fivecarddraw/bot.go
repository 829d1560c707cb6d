package fivecarddraw

import (
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// Choose implements play.Rules: a player who plays pot odds, and bluffs by the cards.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	moves := r.Moves(s, v)
	if len(moves) == 0 {
		return Move{}, false
	}
	switch b := (bot{s, v, facesOf(shownCards(s.Deal.Hands[v.Seat], v.Faces))}); s.Stage {
	case Betting, BetAfter:
		return b.bestBet(random), true
	case Exchanging:
		return b.bestDiscard(), true
	case Showing:
		return b.showOrMuck(moves), true
	case Opening:
		return moves[0], true
	}
	return moves[random.IntN(len(moves))], true
}

// bot is a player who thinks about a state.
type bot struct {
	State
	v   table.View
	own []Face // the bot's hand
}

func (b bot) bestBet(random *rand.Rand) Move {
	seat, bounds := b.v.Seat, b.Bounds(b.v.Seat)
	var others []opponent
	for _, other := range b.Deal.liveSeats(seat) {
		if other != seat {
			others = append(others, opponent{drew: len(b.Deal.Away[other])})
		}
	}
	known := facesOf(shownCards(b.Deal.Aside(seat), b.v.Faces))
	at := betSituation{
		chance: winChance(b.own, known, others, b.Stage == Betting, b.Rules.Exchange, b.Rules.Wheel, random), others: len(others), bluff: canBluff(b.own),
		middle: b.InMiddle(), call: bounds.Call, height: b.Deal.Round.Height, least: bounds.Least, greatest: bounds.Greatest,
	}
	if b.Rules.Openers != OptNone && b.Stage == Betting && b.Deal.Opener == nobody && !OpensBetting(b.own, b.Rules.Wheel) {
		at.least = 0 // an opening must be shown
	}
	return at.bestBet()
}

// bestDiscard returns the move that puts away what is not worth keeping.
func (b bot) bestDiscard() Move {
	kept := cardsToKeep(b.own, HandSize-b.Exchangeable(), b.Rules.Wheel)
	away := []table.Card{}
	for i, c := range b.Deal.Hands[b.v.Seat] {
		if !slices.Contains(kept, b.own[i]) {
			away = append(away, c)
		}
	}
	return Move{Discard: &away}
}

// showOrMuck mucks a hand if one that was shown beats it and has the same claims.
func (b bot) showOrMuck(moves []Move) Move {
	mine := HandClass([HandSize]Face(b.own), b.Rules.Wheel)
	for _, p := range b.Deal.Pots {
		beaten := slices.ContainsFunc(b.Deal.Shown, func(h Hand) bool { return slices.Contains(p.Claimants, h.Seat) && h.Class < mine })
		if isContested(p, b.v.Seat) && !beaten {
			return moves[0]
		}
	}
	return moves[len(moves)-1]
}
