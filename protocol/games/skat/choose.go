package skat

import (
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/bot"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/value"
	"github.com/pakli/pakli/protocol/table"
)

// Choose implements play.Rules: what a fair player of a club would do, by the judgement
// of package bot. Ideas are tried in order, and the rules themselves say which can be
// made good. Who could only concede waits.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	p := s.Deal.player(v.Seat)
	if p == nobody || s.Stage == Playing && p != s.Deal.OnTurn() {
		return Move{}, false
	}
	for _, m := range newThinker(s, v, p).ideas() {
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

// thinker is a player who thinks about a state.
type thinker struct {
	State
	v     table.View
	p     int
	hand  card.Set
	aside card.Set // the discards, if they are this player's
}

func newThinker(s State, v table.View, p int) thinker {
	t := thinker{State: s, v: v, p: p, hand: deck.SetOf(facesAt(v, s.Deal.Hands[p])...)}
	if s.Deal.Holder == p && s.Deal.player(v.Seat) == p {
		t.aside = deck.SetOf(facesAt(v, s.Deal.Skat)...)
	}
	return t
}

// ideas are moves, the best first; none where there is nothing to think about.
func (t thinker) ideas() []Move {
	d := t.Deal
	switch t.Stage {
	case Bidding:
		call := t.bestCall()
		return []Move{{Call: &call}}
	case Choosing, Pushing:
		word := t.bestChoice()
		return []Move{{Choose: &word}}
	case PassingOn:
		pair, _ := t.trickSituation(d.SeenFaces()).Burden()
		return []Move{{Aside: t.pairPlaces(pair)}}
	case Announcing:
		return []Move{{Announce: t.announcement()}}
	case Doubling:
		yes := d.Game() != deck.Null && t.wins() > doubles
		return []Move{{Kontra: &yes}}
	case Redoubling:
		yes := t.wins() > doubles
		return []Move{{Re: &yes}}
	case Playing:
		return t.plays()
	case Agreeing:
		points, _ := d.TakenByPlayer()
		yes := points[d.Declarer] >= t.settledPoints()
		return []Move{{Agree: &yes}}
	case Answering:
		word := t.claimAnswer()
		return []Move{{Answer: &word}}
	}
	return nil
}

// doubles is the likelihood of winning a game from which on it is doubled: the
// declarer's by Re, and by Kontra of who would win it himself.
const doubles = 0.75

func (t thinker) wins() float64 {
	return bot.Chance(*t.Deal.Contract, t.hand, t.aside, t.p == auction.F)
}

// bestCall is the least call that is not a pass, as long as the game promises something at it.
func (t thinker) bestCall() auction.Call {
	legal := t.Deal.Auction.Legal()
	if len(legal) < 2 {
		return auction.Pass
	}
	bid := int(legal[1])
	if legal[1] == auction.Yes {
		bid = t.Deal.Auction.Last
	}
	if bot.Worth(t.hand, bid, t.p == auction.F) > 0 {
		return legal[1]
	}
	return auction.Pass
}

// burden is what two cards must hurt in a Schieberamsch for the skat to be taken, which
// rids the hand of them.
const burden = 20

func (t thinker) bestChoice() string {
	if t.Stage == Pushing {
		if _, danger := t.trickSituation(t.Deal.SeenFaces()).Burden(); danger > burden {
			return Take
		}
		return Push
	}
	leads, bid := t.p == auction.F, t.Deal.Bid
	if bot.ByHand(t.hand, bid, leads).Expected >= bot.Worth(t.hand, bid, leads) {
		return Hand
	}
	return Take
}

func (t thinker) announcement() *Announcement {
	leads, bid := t.p == auction.F, t.Deal.Bid
	if t.Deal.Taker == nobody {
		c := bot.ByHand(t.hand, bid, leads).Contract
		return &Announcement{Game: c.Game, Ann: c.Ann, Ouvert: c.Ouvert}
	}
	plan := bot.AfterSkat(t.hand, bid, leads)
	return &Announcement{Discard: t.pairPlaces(plan.Aside), Game: plan.Contract.Game, Ouvert: plan.Contract.Ouvert}
}

// pairPlaces are where two faces of the hand lie.
func (t thinker) pairPlaces(faces card.Set) *Pair {
	pair := slices.DeleteFunc(slices.Clone(t.Deal.Hands[t.p]), func(c table.Card) bool { return !faces.Has(t.v.Faces[c]) })
	return (*Pair)(pair)
}

// plays are a claim of what is sure, an offer to give up what is lost, and a card.
func (t thinker) plays() (list []Move) {
	d := t.Deal
	if t.p == d.Declarer && len(d.Hands[t.p]) >= worthwhile {
		if t.trickSituation(d.SeenFaces()).Sure() {
			for level := value.Schwarz; level >= value.Normal; level-- {
				list = append(list, Move{Claim: &Claim{Level: level, Faces: facesAt(t.v, t.claimPlaces(t.p))}})
			}
		}
		points, _ := d.TakenByPlayer()
		if lost := d.Defence().Excludes(value.Normal); d.Game() != deck.Null && lost && d.Offered[t.p] == 0 && points[t.p] >= safe {
			yes := true
			list = append(list, Move{Concede: &yes})
		}
	}
	face := t.trickSituation(d.SeenFaces().Union(t.aside)).Card()
	at := slices.IndexFunc(d.Hands[t.p], func(c table.Card) bool { return t.v.Faces[c] == card.Face(face) })
	return append(list, Move{Play: &Play{Card: d.Hands[t.p][at], Face: face}})
}

// worthwhile is how many cards a hand has if an early end saves messages.
const worthwhile = 4

// settledPoints are the points of a declarer from which on an offer decides nothing: his own,
// that he is not Schneider, and the defenders', that he has won.
func (t thinker) settledPoints() int {
	if t.Deal.Offer.By == t.Deal.Declarer {
		return safe
	}
	return won
}

// Points with which a declarer is not Schneider (SK-R-41), and with which he has won
// (SK-R-49).
const (
	safe = 31
	won  = 61
)

// claimAnswer accepts a claim that holds whatever is hidden from both sides.
func (t thinker) claimAnswer() string {
	declarer := newThinker(t.State, t.v, t.Deal.Declarer) // whose cards lie open
	if declarer.trickSituation(t.Deal.SeenFaces()).Sure() {
		return Accept
	}
	return PlayOn
}

// trickSituation is the view of a player on the trick to which cards are played, of whom these
// faces are not in others' hands.
func (t thinker) trickSituation(gone card.Set) bot.Situation {
	d, now := t.Deal, t.Deal.currentTrick()
	at := bot.Situation{Game: d.Game(), Declarer: d.Declarer, Player: t.p, Leader: now.Leader, Trick: now.Faces, Hand: t.hand}
	for p, hand := range d.Hands {
		if at.Left[p] = len(hand); p == t.p {
			continue
		}
		at.Could[p] = deck.All.Minus(gone).Minus(t.hand)
		if d.isOpen(p) {
			at.Could[p] = deck.SetOf(facesAt(t.v, hand)...)
		}
		for _, class := range d.Void[p] {
			at.Could[p] = at.Could[p].Minus(d.Game().Cards(class))
		}
	}
	return at
}
