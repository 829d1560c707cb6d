package skat

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// currentTrick is the trick to which the next card belongs. Forehand leads to the first, then the
// winner of each trick to the next (SK-R-32).
func (d Deal) currentTrick() Trick {
	n := len(d.Tricks)
	switch {
	case n == 0:
		return Trick{Faces: []Face{}}
	case len(d.Tricks[n-1].Faces) < actives:
		return d.Tricks[n-1]
	}
	return Trick{Leader: d.Winner(d.Tricks[n-1]), Faces: []Face{}}
}

// OnTurn is the player whose card is due.
func (d Deal) OnTurn() int {
	t := d.currentTrick()
	return (t.Leader + len(t.Faces)) % actives
}

// Winner is the player who takes a complete trick (SK-R-34).
func (d Deal) Winner(t Trick) int {
	return (t.Leader + shared.TrickWinner(d.Game(), t.Faces)) % actives
}

// TakenByPlayer are each player's card points and number of tricks, from complete tricks.
func (d Deal) TakenByPlayer() (points, taken [actives]int) {
	for _, t := range d.Tricks {
		if len(t.Faces) == actives {
			p := d.Winner(t)
			points[p] += shared.TrickPoints(d.Game(), t.Faces)
			taken[p]++
		}
	}
	return points, taken
}

// turnUp adds cards of p to the open cards.
func (d Deal) turnUp(p int, cards []table.ShownCard) Deal {
	d.Open = slices.Clone(d.Open)
	for _, c := range cards {
		d.Open = append(d.Open, ShownCard{By: p, Card: c.Card, Face: Face(c.Face)})
	}
	return d
}

// layOpen is O-OPEN: the declarer lays the ouvert hand open before the lead (SK-R-31).
func layOpen(s State, p int, m Move) (State, table.Terms, error) {
	cards, err := turnUpCards("SK-R-31", s.Deal.Hands[p], *m.Open)
	if err != nil {
		return s, table.Terms{}, err
	}
	s.Deal = s.Deal.turnUp(p, cards)
	s.Deal.OpenHand, s.Stage = true, Playing
	return s, table.Terms{Open: cards}, nil
}

func openingMoves(s State, p int, v table.View) []Move {
	faces := facesAt(v, s.Deal.Hands[p])
	return []Move{{Open: &faces}}
}

// players are those who may move during the play: the one whose card is due, and everybody who may
// concede.
func players(s State) []int {
	movers := []int{s.Deal.OnTurn()}
	for p := range actives {
		if p != movers[0] && s.mayConcede(p) == nil {
			movers = append(movers, p)
		}
	}
	return movers
}

func playOrEnd(s State, p int, m Move) (State, table.Terms, error) {
	switch {
	case m.Concede != nil:
		return s.concede(p, *m.Concede)
	case m.Claim != nil:
		return s.claim(p, *m.Claim)
	}
	return s.playCard(p, *m.Play)
}

// playCard plays a card to the trick, with the proof that it is allowed (SK-R-33).
func (s State) playCard(p int, play Play) (State, table.Terms, error) {
	d := s.Deal
	switch {
	case p != d.OnTurn():
		return s, table.Terms{}, fmt.Errorf("SK-R-32: it is %s's turn to play, and not %s's", d.Seats[d.OnTurn()].Letter(), d.Seats[p].Letter())
	case !slices.Contains(d.Hands[p], play.Card):
		return s, table.Terms{}, fmt.Errorf("SK-R-35: card %d is not, or no longer, in the hand of %s", play.Card, d.Seats[p].Letter())
	case d.isOpen(p):
		if err := d.checkOpen(p, play); err != nil {
			return s, table.Terms{}, err
		}
		s.Deal = d.withCard(p, play)
		return s.afterCard(), table.Terms{}, nil
	}
	opened := []table.ShownCard{{Card: play.Card, Face: card.Face(play.Face)}}
	terms := table.Terms{Open: opened}
	classes := d.lackedClasses(p, play.Face)
	d.Void[p] = append(slices.Clone(d.Void[p]), classes...)
	rest := shared.WithoutPlaces(d.Hands[p], play.Card)
	for _, class := range classes {
		terms.Prove = append(terms.Prove, noneOf(d.playID(class), restGroup, rest, d.Game().Cards(class)))
	}
	s.Deal = d.turnUp(p, opened).withCard(p, play)
	return s.afterCard(), terms, nil
}

// checkOpen checks a card of a hand that lies open. No proof is due, since the rules see the cards
// (SKIP-5).
func (d Deal) checkOpen(p int, play Play) error {
	faces := map[table.Card]Face{}
	for _, c := range d.Open {
		faces[c.Card] = c.Face
	}
	var hand card.Set
	for _, c := range d.Hands[p] {
		hand = hand.AddFace(card.Face(faces[c]))
	}
	switch may := shared.PlayableCards(d.Game(), d.currentTrick().Faces, hand); {
	case faces[play.Card] != play.Face:
		return fmt.Errorf("SK-R-31: card %d lies open and is %v, not %v", play.Card, faces[play.Card], play.Face)
	case !may.Has(card.Face(play.Face)):
		return fmt.Errorf("SK-R-33: %v does not follow, and the open hand has %v", play.Face, Faces(may))
	}
	return nil
}

// withCard moves a card from the hand of p to the trick.
func (d Deal) withCard(p int, play Play) Deal {
	t := d.currentTrick()
	d.Hands[p] = shared.WithoutPlaces(d.Hands[p], play.Card)
	d.Tricks = slices.Clone(d.Tricks)
	if len(t.Faces) == 0 {
		d.Tricks = append(d.Tricks, t)
	}
	t.Faces = append(slices.Clone(t.Faces), play.Face)
	d.Tricks[len(d.Tricks)-1] = t
	return d
}

// afterCard ends the deal after its last trick, and a null as soon as the declarer takes one (SK-R-36).
func (s State) afterCard() State {
	d := s.Deal
	last := d.Tricks[len(d.Tricks)-1]
	switch full := len(last.Faces) == actives; {
	case full && len(d.Tricks) == tricks && d.Ramsch:
		return s.endDeal(Ending{How: Ramsch})
	case full && (len(d.Tricks) == tricks || d.Game() == Null && d.Winner(last) == d.Declarer):
		return s.endDeal(Ending{How: Played})
	}
	return s
}

// playMoves are cards, a concession and claims.
func playMoves(s State, p int, v table.View) (list []Move) {
	d := s.Deal
	if p == d.OnTurn() {
		for _, c := range d.Hands[p] {
			list = append(list, Move{Play: &Play{Card: c, Face: Face(v.Faces[c])}})
		}
		for level := range levels {
			faces := facesAt(v, s.claimPlaces(p))
			list = append(list, Move{Claim: &Claim{Level: level, Faces: faces}})
		}
	}
	yes := true
	return append(list, Move{Concede: &yes})
}
