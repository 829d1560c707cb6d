package skat

import (
	"cmp"
	"slices"
)

// Tally is a list so far, by seat: points, and own games won and lost. SK-R-62 to SK-R-66 are the
// scoring systems and SK-R-68 the ranking; SK-R-77 to SK-R-79 say which deals a Bock round doubles.
// Slices are never changed in place.
type Tally struct {
	Points []int `json:"points"`
	Won    []int `json:"won"`
	Lost   []int `json:"lost"`
}

// NewTally is a list before its first deal.
func NewTally(seats int) Tally {
	return Tally{make([]int, seats), make([]int, seats), make([]int, seats)}
}

// AddGame adds a game: the seat that played it, whether it won, and the score of each seat.
func (t Tally) AddGame(declarer int, won bool, points []int) Tally {
	t = t.AddPoints(points)
	if won {
		t.Won = incrementAt(t.Won, declarer)
	} else {
		t.Lost = incrementAt(t.Lost, declarer)
	}
	return t
}

func incrementAt(counts []int, seat int) []int {
	counts = slices.Clone(counts)
	counts[seat]++
	return counts
}

// AddPoints adds the score of each seat for a deal without a declarer: a Ramsch (SK-R-73).
func (t Tally) AddPoints(points []int) Tally {
	t.Points = slices.Clone(t.Points)
	for seat, n := range points {
		t.Points[seat] += n
	}
	return t
}

// The bonuses of the Seeger systems (SK-R-63).
const (
	ownGame     = 50
	ofThree     = 40 // for another seat's lost game, of three seats
	ofFour      = 30
	threeAtList = 3
)

// Sums are the results of a list under a scoring system.
func (t Tally) Sums(system string) []int {
	sums := slices.Clone(t.Points)
	if system != OptSeeger && system != OptSeegerFabian {
		return sums
	}
	lost := 0
	for _, n := range t.Lost {
		lost += n
	}
	for seat := range sums {
		sums[seat] += ownGame * (t.Won[seat] - t.Lost[seat])
		if system == OptSeegerFabian {
			sums[seat] += OtherLossBonus(len(sums)) * (lost - t.Lost[seat])
		}
	}
	return sums
}

// OtherLossBonus is the bonus of a seat for another seat's lost game (SK-R-63).
func OtherLossBonus(seats int) int {
	if seats == threeAtList {
		return ofThree
	}
	return ofFour
}

// Ranking is the place of each seat, from 1: by the higher sum, then more games won, then fewer lost;
// equal seats share a place (SK-R-68).
func (t Tally) Ranking(sums []int) []int {
	places := make([]int, len(sums))
	for a := range sums {
		places[a] = 1
		for b := range sums {
			if cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(t.Won[b], t.Won[a]), cmp.Compare(t.Lost[a], t.Lost[b])) > 0 {
				places[a]++
			}
		}
	}
	return places
}

// BierlachsPoints are the points of a game in Bierlachs, by seat: a winner takes its value from every
// other seat, a loser writes down his own loss (SK-R-66).
func BierlachsPoints(seats, declarer, score int) []int {
	points := make([]int, seats)
	if score < 0 {
		points[declarer] = score
		return points
	}
	for seat := range points {
		if seat != declarer {
			points[seat] = -score
		}
	}
	return points
}

// MinusOver reports whether a table of Bierlachs is over (SK-R-66).
func (t Tally) MinusOver(limit int) bool { return slices.Min(t.Points) <= -limit }

// Bock is the number of deals to come that count double.
type Bock int

// DealFactor is the factor of a deal's score (SK-R-75, SK-R-77).
func DealFactor(kontra, re bool, bock Bock) int {
	factor := 1
	for _, doubles := range []bool{kontra, re, bock > 0} {
		if doubles {
			factor *= 2
		}
	}
	return factor
}

// AfterDeal is b after a deal with so many Bock events at a table of so many seats: the deal uses one
// up, and each event adds a round (SK-R-77, SK-R-79).
func (b Bock) AfterDeal(events, seats int) Bock { return max(b-1, 0) + Bock(events*seats) }
