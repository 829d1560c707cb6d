package skat

import (
	"cmp"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// OtherShuffles is the number of shuffles that belong to no deal: one if seats are drawn.
func (s State) OtherShuffles() int {
	if s.Rules.SeatsDraw == OptOn {
		return 1
	}
	return 0
}

// takeSeats orders the seats by the cards they drew, the highest in the order of the pack first
// (Q-DRAW).
func (l List) takeSeats(open map[table.Card]card.Face) List {
	l.Seats = slices.Clone(l.Seats)
	slices.SortFunc(l.Seats, func(a, b table.Seat) int { return cmp.Compare(open[table.Card(b)], open[table.Card(a)]) })
	return l
}

// seatsFrom are the seats clockwise from a place.
func (l List) seatsFrom(place int) []table.Seat {
	place %= len(l.Seats)
	return slices.Concat(l.Seats[place:], l.Seats[:place])
}

// beginDeal begins the next deal. The dealer is always the next seat, and forehand sits after him
// (SK-R-10, SK-R-12).
func (s State) beginDeal() State {
	number := s.Deal.Number + 1
	s.Deal = newDeal(number, s.seatsFrom(number))
	s.Deal.Dealer = s.seatsFrom(number - 1)[0]
	s.Stage = Shuffling
	return s
}

// shufflers are the seats of the deal, in the order in which they shuffle: the dealer first, if he
// plays (SK-R-11).
func (s State) shufflers() []table.Seat {
	players := s.Deal.Seats
	if players[Rearhand] == s.Deal.Dealer {
		return []table.Seat{players[Rearhand], players[Forehand], players[Middlehand]}
	}
	return players[:]
}

// nextDeal begins the next deal, or ends the list (SK-R-66, SK-R-67).
func (s State) nextDeal() State {
	done := s.Past[len(s.Past)-1]
	switch {
	case done.Result != nil:
		s.Tally = s.Tally.AddGame(int(*done.Declarer), done.Result.Won, done.Points)
	default:
		s.Tally = s.Tally.AddPoints(done.Points)
	}
	if s.Deal.Number == s.Deals || s.Rules.Score == OptBierlachs && s.Tally.MinusOver(s.Rules.MinusLimit()) {
		s.Stage = Over
		return s
	}
	return s.beginDeal()
}

// gamePoints are the points of a game, by seat.
func (s State) gamePoints(declarer table.Seat, score int) []int {
	if s.Rules.Score == OptBierlachs {
		return BierlachsPoints(len(s.Seats), int(declarer), score)
	}
	points := make([]int, len(s.Seats))
	points[declarer] = score
	return points
}

// settleRamsch scores a Ramsch (SK-R-70, SK-R-71, SK-R-73).
func (s State) settleRamsch(done SettledDeal) SettledDeal {
	scores := ScoreRamsch(done.Cards, done.Tricks, done.Pushes)
	for p, seat := range s.Deal.Seats {
		n := scores[p] * done.Factor
		if n <= 0 || s.Rules.Score != OptBierlachs {
			done.Points[seat] += n
			continue
		}
		for _, other := range s.Deal.Seats {
			if other != seat {
				done.Points[other] -= n
			}
		}
	}
	return done
}

// events are the events of a game that make Bock rounds (SK-R-78).
func (s State) events(r GameResult, points int) (list []string) {
	d := s.Deal
	happened := map[string]bool{
		EventLost60:    d.Ending.How == Played && d.Game() != Null && !r.Won && points == TotalPoints/2,
		EventGrandHand: d.Contract.Game == Grand && d.Contract.Hand && r.Won,
		EventKontra:    d.Kontra != nobody && !d.Re && !r.Won,
		EventRe:        d.Re,
	}
	list = []string{}
	for _, event := range BockEvents {
		if happened[event] && s.Rules.MakesBock(event) {
			list = append(list, event)
		}
	}
	return list
}
