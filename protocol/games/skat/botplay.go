package skat

import (
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
)

// TrickSituation is what a player knows who is to play a card.
type TrickSituation struct {
	Game     Game // of a Ramsch: grand
	Declarer int  // Nobody in a Ramsch
	Player   int
	Leader   int
	Trick    []Face // so far
	Hand     card.Set
	Could    [Players]card.Set // cards that each of the others may hold
	Left     [Players]int      // how many each has
}

// BestCard is the card that the player plays: of those he may, the one that is worth
// most, which is what the trick is likely to bring less what the card would still
// have done.
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

// IsSure reports whether a declarer who leads takes every trick that is left, whatever the
// others hold and do.
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

// burden are the two cards without jacks that a hand of a Ramsch is best rid of, and
// what they would hurt.
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

// What a trick costs beyond its points: in a Ramsch, as it makes one lead again; and
// in a null, everything.
const (
	ramschTrick = 4
	nullTrick   = 1000
)

// points are those of the trick with f.
func (at TrickSituation) points(f card.Face) int {
	return shared.TrickPoints(at.Game, at.Trick) + at.Game.Points(f)
}

// holder is the card that holds the trick once f is played, and whose it is.
func (at TrickSituation) holder(f card.Face) (best card.Face, player int) {
	i := shared.TrickWinner(at.Game, append(at.Trick[:len(at.Trick):len(at.Trick)], Face(f)))
	if i == len(at.Trick) {
		return f, at.Player
	}
	return card.Face(at.Trick[i]), (at.Leader + i) % Players
}

// ledClass is the class that the others follow once f is played.
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

// friend reports whether p plays with this player.
func (at TrickSituation) friend(p int) bool {
	return p == at.Player || at.Declarer != Nobody && (p == at.Declarer) == (at.Player == at.Declarer)
}

// lackChance is the likelihood that a player has no card of a set, all hands that he could
// have being as likely.
func (at TrickSituation) lackChance(p int, set card.Set) float64 {
	return chanceWithout(at.Could[p].Len(), shared.CommonFaces(set, at.Could[p]).Len(), at.Left[p])
}

// chanceWithout is the likelihood that m cards of n have none of k among them.
func chanceWithout(n, k, m int) float64 {
	likely := 1.0
	for i := range min(m, n) {
		likely *= float64(max(n-k-i, 0)) / float64(n-i)
	}
	return likely
}

// beatChance is the likelihood that p can take a trick of a class that best holds.
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

// What others add to a trick, on the average: to a friend's, to a foe's, and who takes
// it himself.
const (
	smears = 6
	spares = 2
	takes  = 5
)

// gain is what a trick is likely to bring if f is played: its points, or less them.
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

// keepWorth is what f would still do if it were not played now.
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

// What a declarer gains by drawing trumps, and a defender loses; what it is to have the
// highest card of a suit, or the second with another beside it; and to clear a suit.
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

// countAround counts the cards of the class of f that others may hold: above it and below it.
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

// takeChance is the likelihood that f takes the trick although all others avoid it: whoever
// can goes under it.
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

// danger is how much f would hurt if it stayed in a hand that wants no trick: the cards
// that others could put under it, and in a Ramsch its points.
func (at TrickSituation) danger(f card.Face) float64 {
	_, below := at.countAround(f)
	if at.Game == Null {
		return float64(below)
	}
	return float64(below) + float64(at.Game.Points(f))/2
}

// nullDefenceWorth is what f is worth to a defender in a null: that the declarer takes the trick,
// or else that nothing is left below what he holds.
func (at TrickSituation) nullDefenceWorth(f card.Face) float64 {
	best, holder := at.holder(f)
	above, _ := at.countAround(f)
	switch {
	case holder == at.Declarer:
		return nullTrick + at.danger(f)
	case len(at.Trick) == Players-1 || at.Leader == at.Declarer:
		return at.danger(f) // he is out of this trick
	case best != f:
		return at.danger(f) // the partner's card stands for both
	}
	return float64(above) - at.danger(f) - nullTrick*at.takeChance(f)
}
