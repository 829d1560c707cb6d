package skat

import (
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
)

// TrickSituation is what a player knows who has to play a card.
type TrickSituation struct {
	Game     Game // grand in a Ramsch
	Declarer int  // Nobody in a Ramsch
	Player   int
	Leader   int
	Trick    []Face // the cards played so far
	Hand     card.Set
	Could    [Players]card.Set // by player, the cards that each of the others may hold
	Left     [Players]int      // by player, the number of cards in hand
}

// BestCard is the card that the player chooses: of those he may play, the one with the highest worth,
// which is the likely gain of the trick less what the card would still have done later.
func (at TrickSituation) BestCard() Face {
	var best Face
	most := 0.0
	for i, f := range shared.PlayableCards(at.Game, at.Trick, at.Hand).Faces() {
		worth := at.cardWorth(f)
		if i == 0 || worth > most {
			best, most = Face(f), worth
		}
	}
	return best
}

// IsSure reports whether a declarer who leads takes every remaining trick, whatever the others hold and
// play.
func (at TrickSituation) IsSure() bool {
	trumps := at.Game.Cards(Trump)
	own, out := shared.CommonFaces(trumps, at.Hand).Len(), shared.CommonFaces(trumps, at.othersCards()).Len()
	if len(at.Trick) > 0 || at.Game == Null || own < out && own < at.Hand.Len() {
		return false
	}
	for _, f := range at.Hand.Faces() {
		if above, _ := at.countAround(f); above > 0 {
			return false
		}
	}
	return true
}

// burden are the two cards, no jacks, that a Ramsch hand is best rid of, and their danger.
func (at TrickSituation) burden() (pair card.Set, danger float64) {
	for range 2 {
		worst, most := card.Face(0), -1.0
		for _, f := range at.Hand.Minus(Jacks).Minus(pair).Faces() {
			if d := at.danger(f); d > most {
				worst, most = f, d
			}
		}
		pair, danger = pair.AddFace(worst), danger+most
	}
	return pair, danger
}

func (at TrickSituation) cardWorth(f card.Face) float64 {
	switch {
	case at.Declarer == Nobody:
		return -at.takeChance(f)*(float64(at.points(f))+ramschTrick) + at.danger(f)
	case at.Game == Null && at.Player == at.Declarer:
		return -nullTrick*at.takeChance(f) + at.danger(f)
	case at.Game == Null:
		return at.nullDefenceWorth(f)
	}
	return at.gain(f) - at.keepWorth(f)
}

// What a trick costs beyond its points: in a Ramsch, because its winner must lead again; in null it
// costs the game.
const (
	ramschTrick = 4
	nullTrick   = 1000
)

// points are those of the trick once f is played.
func (at TrickSituation) points(f card.Face) int {
	return shared.TrickPoints(at.Game, at.Trick) + at.Game.Points(f)
}

// holder is the card that holds the trick once f is played, and the player who played it.
func (at TrickSituation) holder(f card.Face) (best card.Face, player int) {
	i := shared.TrickWinner(at.Game, append(at.Trick[:len(at.Trick):len(at.Trick)], Face(f)))
	if i == len(at.Trick) {
		return f, at.Player
	}
	return card.Face(at.Trick[i]), (at.Leader + i) % Players
}

// ledClass is the class that the others must follow once f is played.
func (at TrickSituation) ledClass(f card.Face) Class {
	if len(at.Trick) > 0 {
		f = card.Face(at.Trick[0])
	}
	return at.Game.Class(f)
}

// toCome are the players who play to the trick after this one.
func (at TrickSituation) toCome() (players []int) {
	for i := len(at.Trick) + 1; i < Players; i++ {
		players = append(players, (at.Leader+i)%Players)
	}
	return players
}

// friend reports whether p is on this player's side.
func (at TrickSituation) friend(p int) bool {
	return p == at.Player || at.Declarer != Nobody && (p == at.Declarer) == (at.Player == at.Declarer)
}

// lackChance is the probability that a player holds no card of a set, if all hands that he may have are
// equally likely.
func (at TrickSituation) lackChance(p int, set card.Set) float64 {
	return chanceWithout(at.Could[p].Len(), shared.CommonFaces(set, at.Could[p]).Len(), at.Left[p])
}

// chanceWithout is the probability that m cards drawn from n contain none of k.
func chanceWithout(n, k, m int) float64 {
	likely := 1.0
	for i := range min(m, n) {
		likely *= float64(max(n-k-i, 0)) / float64(n-i)
	}
	return likely
}

// beatChance is the probability that p can beat best in a trick of the class led.
func (at TrickSituation) beatChance(p int, led Class, best card.Face) float64 {
	var higher, trumps card.Set
	follow := at.Game.Cards(led)
	for _, f := range at.Could[p].Faces() {
		switch {
		case !at.Game.Beats(f, best):
		case follow.Has(f):
			higher = higher.AddFace(f)
		default:
			trumps = trumps.AddFace(f)
		}
	}
	all, must := at.Could[p].Len(), shared.CommonFaces(follow, at.Could[p]).Len()
	ruffs := at.lackChance(p, follow) * (1 - chanceWithout(all-must, trumps.Len(), at.Left[p]))
	return 1 - at.lackChance(p, higher) + ruffs
}

// The mean points that other players add to a trick: to a friend's, to an opponent's, and to one that
// they take themselves.
const (
	smears = 6
	spares = 2
	takes  = 5
)

// gain is the likely gain of the trick if f is played: its points, counted negative if the other side
// takes it.
func (at TrickSituation) gain(f card.Face) float64 {
	led := at.ledClass(f)
	best, holder := at.holder(f)
	ours := 0.0
	if at.friend(holder) {
		ours = 1
	}
	stake := float64(at.points(f))
	for _, p := range at.toCome() {
		beats := at.beatChance(p, led, best)
		if at.friend(p) {
			ours += (1 - ours) * beats
			stake += smears*ours + spares*(1-ours)
		} else {
			ours *= 1 - beats
			stake += spares*ours + takes*(1-ours)
		}
	}
	return stake * (2*ours - 1)
}

// keepWorth is what f would still do if it were kept.
func (at TrickSituation) keepWorth(f card.Face) float64 {
	class := at.Game.Class(f)
	mine := shared.CommonFaces(at.Game.Cards(class), at.Hand).Len()
	above, below := at.countAround(f)
	switch {
	case class == Trump && at.Player == at.Declarer && len(at.Trick) == 0 && above == 0 && below > 0:
		return -drawing
	case class == Trump && at.Player == at.Declarer:
		return 2 + 0.75*float64(below)
	case class == Trump && len(at.Trick) == 0:
		return leadsTrump
	case class == Trump:
		return 1 + 0.75*float64(below)
	case above == 0:
		return winner
	case above < mine && above == 1:
		return guarded
	case mine == 1 && at.hasTrumps():
		return -clears
	}
	return 0
}

// What a declarer gains, and a defender loses, by drawing trumps; and the worth of the highest card of
// a suit, of the second highest with another beside it, and of clearing a suit.
const (
	drawing    = 6
	leadsTrump = 8
	winner     = 3
	guarded    = 2.5
	clears     = 1.5
)

func (at TrickSituation) hasTrumps() bool {
	return shared.CommonFaces(at.Game.Cards(Trump), at.Hand) != (card.Set{})
}

// countAround counts the cards in f's class that others may hold, above it and below it.
func (at TrickSituation) countAround(f card.Face) (above, below int) {
	for _, o := range shared.CommonFaces(at.Game.Cards(at.Game.Class(f)), at.othersCards()).Faces() {
		if at.Game.Beats(o, f) {
			above++
		} else {
			below++
		}
	}
	return above, below
}

func (at TrickSituation) othersCards() (set card.Set) {
	for p, could := range at.Could {
		if p != at.Player {
			set = set.Union(could)
		}
	}
	return set
}

// takeChance is the probability that f takes the trick although all the others avoid it: everybody who
// can plays under it.
func (at TrickSituation) takeChance(f card.Face) float64 {
	led := at.ledClass(f)
	best, holder := at.holder(f)
	if holder != at.Player {
		return 0
	}
	likely := 1.0
	for _, p := range at.toCome() {
		var under, over card.Set
		for _, o := range shared.CommonFaces(at.Game.Cards(led), at.Could[p]).Faces() {
			if at.Game.Beats(o, best) {
				over = over.AddFace(o)
			} else {
				under = under.AddFace(o)
			}
		}
		likely *= 1 - at.lackChance(p, under)*(1-at.lackChance(p, over))
	}
	return likely
}

// danger is how much f hurts a hand that wants no trick if it is kept: the cards that others could play
// under it, and in a Ramsch its points.
func (at TrickSituation) danger(f card.Face) float64 {
	_, below := at.countAround(f)
	if at.Game == Null {
		return float64(below)
	}
	return float64(below) + float64(at.Game.Points(f))/2
}

// nullDefenceWorth is the worth of f to a defender against null: it makes the declarer take the trick,
// or else leaves nothing below his card.
func (at TrickSituation) nullDefenceWorth(f card.Face) float64 {
	best, holder := at.holder(f)
	above, _ := at.countAround(f)
	switch {
	case holder == at.Declarer:
		return nullTrick + at.danger(f)
	case len(at.Trick) == Players-1 || at.Leader == at.Declarer:
		return at.danger(f) // the declarer does not take this trick any more
	case best != f:
		return at.danger(f) // the declarer must get under the partner's card
	}
	return float64(above) - at.danger(f) - nullTrick*at.takeChance(f)
}
