package schwarzerpeter

import (
	"slices"

	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Stage is what play waits for.
type Stage string

const (
	Shuffling Stage = "shuffle"
	Dealing   Stage = "deal"
	Laying    Stage = "lay"     // Turn may lay down pairs
	Drawing   Stage = "draw"    // Turn must draw a card
	Giving    Stage = "give"    // DrawnCard.From hands the card over
	Permuting Stage = "permute" // Turn permutes the hand with the drawn card
	Over      Stage = "over"
)

// State is what everybody sees. Its slices are never changed in place.
type State struct {
	Options Options        `json:"options"`
	Deals   int            `json:"deals"`
	Deal    int            `json:"deal"`  // from 1
	First   table.Seat     `json:"first"` // shuffles first, is dealt to first and goes first
	Stage   Stage          `json:"stage"`
	Turn    table.Seat     `json:"turn"`  // whose turn it is to lay down, draw or permute
	Lay     []table.Seat   `json:"lay"`   // who may lay down after Turn and before the next draw
	Drawn   *DrawnCard     `json:"drawn"` // the last draw of this deal
	Hands   [][]table.Card `json:"hands"` // by seat and position
	Laid    [][]Pair       `json:"laid"`  // by seat
	Last    []table.Seat   `json:"last"`  // by deal: who was left with the odd card
	Scores  []int          `json:"scores"`
}

// DrawnCard says which card is drawn, by whom and from whom.
type DrawnCard struct {
	By       table.Seat `json:"by"`
	From     table.Seat `json:"from"`
	Position int        `json:"position"`
	Card     table.Card `json:"card"`
}

// seatLetter returns the letter of a seat for people.
func seatLetter(seat table.Seat) rune { return 'A' + rune(seat) }

// ruleNumber picks the number of a rule by rule set.
func (s State) ruleNumber(article, common string) string {
	if s.isArticle() {
		return article
	}
	return common
}

func (s State) isArticle() bool { return s.Options.Rules == "article" }

func (s State) seatCount() int { return len(s.Scores) }

// seatAfter returns the left neighbour of a seat.
func (s State) seatAfter(seat table.Seat) table.Seat { return (seat + 1) % table.Seat(s.seatCount()) }

// seatsFrom lists all seats clockwise, beginning with seat.
func (s State) seatsFrom(seat table.Seat) []table.Seat {
	list := make([]table.Seat, s.seatCount())
	for i := range list {
		list[i], seat = seat, s.seatAfter(seat)
	}
	return list
}

// holdersFrom lists the seats with cards clockwise, beginning at seat.
func (s State) holdersFrom(seat table.Seat) []table.Seat {
	return slices.DeleteFunc(s.seatsFrom(seat), func(h table.Seat) bool { return len(s.Hands[h]) == 0 })
}

// nextHolder returns the seat to draw from: the next one clockwise that has cards (SP-S5, SP-C4).
func (s State) nextHolder() table.Seat { return s.holdersFrom(s.seatAfter(s.Turn))[0] }

func (s State) withHand(seat table.Seat, hand []table.Card) State {
	s.Hands = slices.Clone(s.Hands)
	s.Hands[seat] = hand
	return s
}

// beginDeal begins the next deal. Its first seat is the one after the first seat of the deal before.
func (s State) beginDeal() State {
	s.First = table.Seat(s.Deal % s.seatCount())
	s.Deal++
	s.Stage, s.Turn, s.Lay, s.Drawn = Shuffling, s.First, []table.Seat{}, nil
	s.Hands, s.Laid = make([][]table.Card, s.seatCount()), make([][]Pair, s.seatCount())
	for i := range s.Hands {
		s.Hands[i], s.Laid[i] = []table.Card{}, []Pair{}
	}
	return s
}

// dealCards hands out the shuffled deck: the first 13 cards to one player and the
// rest to the other (SP-S2), or card by card to all (SP-C2).
func (s State) dealCards() State {
	order := s.seatsFrom(s.First)
	s.Hands = slices.Clone(s.Hands)
	for i := range s.Options.faceNames() {
		to := order[i%len(order)]
		if s.isArticle() {
			to = order[i/(types+1)]
		}
		s.Hands[to] = append(s.Hands[to], table.Card(i))
	}
	s.Stage = Dealing
	return s
}

// layersAfterDeal lists who may lay down before the first card is drawn
// (SP-S3, SP-C3).
func (s State) layersAfterDeal() []table.Seat {
	if s.isArticle() {
		return s.seatsFrom(s.seatAfter(s.First))
	}
	return s.seatsFrom(s.First)
}

// layersAfterDraw lists who may lay down after a draw: in the article's rules the next round begins, in
// the common rules only the drawer may.
func (s State) layersAfterDraw() []table.Seat {
	if s.isArticle() {
		return s.layersAfterDeal()
	}
	return []table.Seat{s.Turn}
}

// offerLaying lets the next of these seats lay down. A seat with fewer than two cards has no pair and
// is not asked.
func (s State) offerLaying(seats []table.Seat) State {
	for i, seat := range seats {
		if len(s.Hands[seat]) >= 2 {
			s.Stage, s.Turn, s.Lay = Laying, seat, seats[i+1:]
			return s
		}
	}
	s.Lay = []table.Seat{}
	return s.afterLaying()
}

// afterLaying goes on when nobody else may lay down: to the next draw, or to the end of the deal if
// only one seat has cards (SP-S4, SP-C5).
func (s State) afterLaying() State {
	if holders := s.holdersFrom(s.First); len(holders) == 1 {
		return s.endDeal(holders[0])
	}
	s.Stage, s.Turn = Drawing, s.nextDrawer()
	return s
}

// nextDrawer returns whose turn it is to draw (SP-S5, SP-C4).
func (s State) nextDrawer() table.Seat {
	switch second := s.seatAfter(s.First); {
	case s.isArticle() && len(s.Hands[second]) < len(s.Hands[s.First]):
		return second
	case s.isArticle() || s.Drawn == nil:
		return s.holdersFrom(s.First)[0]
	}
	return s.holdersFrom(s.seatAfter(s.Drawn.By))[0]
}

// handOver moves the drawn card to its drawer (SP-S5, SP-C4). If that leaves
// all cards in one hand, the deal is over and there is nothing to permute.
func (s State) handOver() State {
	d := s.Drawn
	s = s.withHand(d.From, shared.WithoutPlaces(s.Hands[d.From], d.Card))
	s = s.withHand(d.By, append(slices.Clone(s.Hands[d.By]), d.Card))
	if holders := s.holdersFrom(s.First); len(holders) == 1 {
		return s.endDeal(holders[0])
	}
	s.Stage = Permuting
	return s
}

// DealPayments returns the payments of a deal: the last holder loses one point to every other seat, or
// wins one from each (SP-S4, SP-C5).
func (s State) DealPayments(last table.Seat) []int {
	point := 1
	if s.Options.LastHolder == "wins" {
		point = -1
	}
	payments := slices.Repeat([]int{point}, s.seatCount())
	payments[last] -= point * s.seatCount()
	return payments
}

func (s State) endDeal(last table.Seat) State {
	s.Scores = slices.Clone(s.Scores)
	for seat, n := range s.DealPayments(last) {
		s.Scores[seat] += n
	}
	s.Last = append(slices.Clone(s.Last), last)
	if s.Deal < s.Deals {
		return s.beginDeal()
	}
	s.Stage = Over
	return s
}
