package skat

import (
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Choose implements play.Rules. It plays as a fair club player would: it sees one player's cards and
// what everybody knows, judges single tricks by their chances, and plays no deal out to the end. Its
// ideas are tried in order, and the rules say which of them can be proved. A player whose only move
// would be to concede waits.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	p := s.Deal.player(v.Seat)
	if p == nobody || s.Stage == Playing && p != s.Deal.OnTurn() {
		return Move{}, false
	}
	for _, m := range newBot(s, v, p).ideas() {
		if r.Check(s, v, m) == nil {
			return m, true
		}
	}
	moves := r.Moves(s, v)
	if len(moves) == 0 {
		return Move{}, false
	}
	return moves[random.IntN(len(moves))], true
}

// bot is a player looking at a state.
type bot struct {
	State
	v     table.View
	p     int
	hand  card.Set
	aside card.Set // the discards, if this player laid them aside
}

func newBot(s State, v table.View, p int) bot {
	b := bot{State: s, v: v, p: p, hand: SetOf(facesAt(v, s.Deal.Hands[p])...)}
	if s.Deal.Holder == p && s.Deal.player(v.Seat) == p {
		b.aside = SetOf(facesAt(v, s.Deal.Skat)...)
	}
	return b
}

// ideas are moves, the best first; none if there is nothing to think about.
func (b bot) ideas() []Move {
	d := b.Deal
	switch b.Stage {
	case Bidding:
		call := b.bestCall()
		return []Move{{Call: &call}}
	case Choosing, Pushing:
		word := b.bestChoice()
		return []Move{{Choose: &word}}
	case PassingOn:
		pair, _ := b.trickSituation(d.SeenFaces()).burden()
		return []Move{{Aside: b.pairPlaces(pair)}}
	case Announcing:
		return []Move{{Announce: b.announcement()}}
	case Doubling:
		yes := d.Game() != Null && b.wins() > doubles
		return []Move{{Kontra: &yes}}
	case Redoubling:
		yes := b.wins() > doubles
		return []Move{{Re: &yes}}
	case Playing:
		return b.plays()
	case Agreeing:
		points, _ := d.TakenByPlayer()
		yes := points[d.Declarer] >= b.settledPoints()
		return []Move{{Agree: &yes}}
	case Answering:
		word := b.claimAnswer()
		return []Move{{Answer: &word}}
	}
	return nil
}

// doubles is the chance of winning above which a game is doubled: by the declarer's Re, and by the
// Kontra of a defender who would win the game himself.
const doubles = 0.75

func (b bot) wins() float64 {
	return winChance(*b.Deal.Contract, b.hand, b.aside, b.p == Forehand)
}

// bestCall is the lowest call that is not a pass, as long as the hand promises a gain at it.
func (b bot) bestCall() Call {
	legal := b.Deal.Auction.Legal()
	if len(legal) < 2 {
		return PassCall
	}
	bid := int(legal[1])
	if legal[1] == YesCall {
		bid = b.Deal.Auction.Last
	}
	if HandWorth(b.hand, bid, b.p == Forehand) > 0 {
		return legal[1]
	}
	return PassCall
}

// tooMuch is the danger of two cards above which a player of a Schieberamsch takes the skat to get rid
// of them.
const tooMuch = 20

func (b bot) bestChoice() string {
	if b.Stage == Pushing {
		if _, danger := b.trickSituation(b.Deal.SeenFaces()).burden(); danger > tooMuch {
			return Take
		}
		return Push
	}
	leads, bid := b.p == Forehand, b.Deal.Bid
	if PlanByHand(b.hand, bid, leads).Expected >= HandWorth(b.hand, bid, leads) {
		return Hand
	}
	return Take
}

func (b bot) announcement() *Announcement {
	leads, bid := b.p == Forehand, b.Deal.Bid
	if b.Deal.Taker == nobody {
		c := PlanByHand(b.hand, bid, leads).Contract
		return &Announcement{Game: c.Game, Ann: c.Ann, Ouvert: c.Ouvert}
	}
	plan := PlanAfterSkat(b.hand, bid, leads)
	return &Announcement{Discard: b.pairPlaces(plan.Aside), Game: plan.Contract.Game, Ouvert: plan.Contract.Ouvert}
}

// pairPlaces are the places of two cards of the hand, given by face.
func (b bot) pairPlaces(faces card.Set) *Pair {
	pair := slices.DeleteFunc(slices.Clone(b.Deal.Hands[b.p]), func(c table.Card) bool { return !faces.Has(b.v.Faces[c]) })
	return (*Pair)(pair)
}

// plays are a claim if all tricks are sure, an offer to concede if the game is lost, and a card.
func (b bot) plays() (list []Move) {
	d := b.Deal
	if b.p == d.Declarer && len(d.Hands[b.p]) >= worthwhile {
		if b.trickSituation(d.SeenFaces()).IsSure() {
			for level := Schwarz; level >= Normal; level-- {
				list = append(list, Move{Claim: &Claim{Level: level, Faces: facesAt(b.v, b.claimPlaces(b.p))}})
			}
		}
		points, _ := d.TakenByPlayer()
		if lost := d.Defence().Excludes(Normal); d.Game() != Null && lost && d.Offered[b.p] == 0 && points[b.p] >= safe {
			yes := true
			list = append(list, Move{Concede: &yes})
		}
	}
	face := b.trickSituation(d.SeenFaces().Union(b.aside)).BestCard()
	at := slices.IndexFunc(d.Hands[b.p], func(c table.Card) bool { return b.v.Faces[c] == card.Face(face) })
	return append(list, Move{Play: &Play{Card: d.Hands[b.p][at], Face: face}})
}

// worthwhile is the least number of cards in hand for which an early end saves messages.
const worthwhile = 4

// settledPoints are the declarer's points from which an offer to concede decides nothing: if he offers
// it, those at which he is not Schneider; if the defenders do, those at which he has won.
func (b bot) settledPoints() int {
	if b.Deal.Offer.By == b.Deal.Declarer {
		return safe
	}
	return won
}

// Points at which a declarer is not Schneider (SK-R-41), and at which he has won (SK-R-49).
const (
	safe = 31
	won  = 61
)

// claimAnswer accepts a claim that holds however the hidden cards lie.
func (b bot) claimAnswer() string {
	declarer := newBot(b.State, b.v, b.Deal.Declarer) // his cards lie open
	if declarer.trickSituation(b.Deal.SeenFaces()).IsSure() {
		return Accept
	}
	return PlayOn
}

// trickSituation is what a player knows of the trick under way; none of the faces in gone are in
// another player's hand.
func (b bot) trickSituation(gone card.Set) TrickSituation {
	d, now := b.Deal, b.Deal.currentTrick()
	at := TrickSituation{Game: d.Game(), Declarer: d.Declarer, Player: b.p, Leader: now.Leader, Trick: now.Faces, Hand: b.hand}
	for p, hand := range d.Hands {
		if at.Left[p] = len(hand); p == b.p {
			continue
		}
		at.Could[p] = AllFaces.Minus(gone).Minus(b.hand)
		if d.isOpen(p) {
			at.Could[p] = SetOf(facesAt(b.v, hand)...)
		}
		for _, class := range d.Void[p] {
			at.Could[p] = at.Could[p].Minus(d.Game().Cards(class))
		}
	}
	return at
}
