package event

import (
	"slices"

	"github.com/pakli/pakli/protocol/bulletin"
)

// Sixtieths is the fraction in which points by places are counted: up to six seats share without
// remainder.
const Sixtieths = 60

// pointUnit returns how many units of a total are one point.
func (j *judge) pointUnit() int {
	if j.h.Terms.Score == bulletin.ScorePlaces {
		return Sixtieths
	}
	return 1
}

type score struct {
	player   *Player
	total    int
	out      bool // disqualified
	rounds   map[int]int
	layers   map[Layer]int
	won      int
	lost     int
	forfeits int           // included in the total
	with     map[int][]int // by round: the other players of the table
}

func (s *score) addPoints(round, points int, l Layer) {
	s.rounds[round] += points
	s.total += points
	s.layers[l] += points
}

// playerScores adds up what tables came to below upto, by the decisions below at. So whoever
// publishes standings cannot leave out what was decided before (56.4).
func (j *judge) playerScores(upto, at uint64, w LeftOutLayers) []*score {
	byNumber := map[int]*score{}
	var list []*score
	for _, p := range j.h.Players {
		if p.Since < at {
			s := &score{player: p, rounds: map[int]int{}, layers: map[Layer]int{}, with: map[int][]int{}}
			byNumber[p.Number] = s
			list = append(list, s)
		}
	}
	var rulings []*Ruling
	if !w.Ruled {
		rulings = j.h.rulingsAt(at)
	}
	for _, r := range j.h.Rounds {
		if r.Index >= at || !r.isComplete() {
			continue
		}
		for n := range r.Tables {
			if t := j.countingTable(tablePlace{r.Number, n + 1}, rulings, upto); t != nil {
				j.addTable(byNumber, r, n, t, rulings, upto, w)
			}
		}
	}
	j.addByes(byNumber, at)
	j.addRulings(byNumber, rulings)
	return list
}

// rulingsAt returns the rulings in effect at an index: not overturned, and only the last about one
// object.
func (h *History) rulingsAt(at uint64) []*Ruling {
	var list []*Ruling
	for _, r := range h.Rulings {
		if r.Index >= at || r.Overturned != 0 && r.Overturned < at {
			continue
		}
		list = slices.DeleteFunc(list, func(old *Ruling) bool { return r.replaces(old) })
		list = append(list, r)
	}
	return list
}

// replaces reports whether a ruling replaces an earlier one (55.4.2).
func (r *Ruling) replaces(old *Ruling) bool {
	a, b := r.About, old.About
	switch {
	case r.Do != old.Do:
		return false
	case r.Do == bulletin.RuleAdjust:
		return a.Table == b.Table && (a.Deal == b.Deal || a.Deal == 0)
	case r.Do == bulletin.RulePenalty, r.Do == bulletin.RuleDisqualify:
		return a.Player == b.Player && (r.Do == bulletin.RuleDisqualify || a.Round == b.Round)
	case r.Do == bulletin.RuleReplay, r.Do == bulletin.RuleSubstitute:
		return a.Table == b.Table && a.Player == b.Player
	}
	return false
}

// countingTable returns the table that counts at a place, or nil if none began below upto.
func (j *judge) countingTable(at tablePlace, rulings []*Ruling, upto uint64) *Table {
	t := j.tables[at]
	for _, r := range rulings {
		if r.Do == bulletin.RuleReplay && t != nil && r.About.Table == t.ID.String() {
			if other := j.others[r.Instead]; other != nil && other.Terms.Round == at.round && other.Terms.Number == at.number {
				t = other
			}
		}
	}
	if t == nil || t.Index >= upto {
		return nil
	}
	return t
}

type tableScore struct {
	sum       int
	forfeits  int
	layers    map[Layer]int
	won, lost int
}

// addTable adds what a table brought to its players.
func (j *judge) addTable(scores map[int]*score, r *Round, n int, t *Table, rulings []*Ruling, upto uint64, w LeftOutLayers) {
	cells := j.tableScores(r.Tables[n], t, rulings, upto, w)
	if j.h.Terms.Score == bulletin.ScorePlaces {
		j.byPlaces(cells)
	}
	for p, c := range cells {
		s := scores[p]
		if s == nil {
			continue
		}
		for l, points := range c.layers {
			s.addPoints(r.Number, points, l)
		}
		if j.h.Terms.Score == bulletin.ScoreSum {
			s.forfeits += c.forfeits
		}
		s.rounds[r.Number] += 0 // played, even without a deal
		s.won, s.lost = s.won+c.won, s.lost+c.lost
		for q := range cells {
			if q != p {
				s.with[r.Number] = append(s.with[r.Number], q)
			}
		}
	}
}

// tableScores returns what each player has at a table below upto, adjusted by rulings. Later
// entries of the table do not count.
func (j *judge) tableScores(seated []int, t *Table, rulings []*Ruling, upto uint64, w LeftOutLayers) map[int]*tableScore {
	cells := map[int]*tableScore{}
	of := func(p int) *tableScore {
		if cells[p] == nil {
			cells[p] = &tableScore{layers: map[Layer]int{}}
		}
		return cells[p]
	}
	for _, p := range seated {
		of(p)
	}
	adjusted := map[int]*Ruling{}
	for _, r := range rulings {
		if r.Do == bulletin.RuleAdjust && r.About.Table == t.ID.String() {
			adjusted[r.About.Deal] = r
			for _, p := range r.Points {
				of(p.Player).layers[Ruled] += p.Points
			}
		}
	}
	for _, line := range t.Lines {
		if line.Index >= upto || adjusted[0] != nil || line.Deal != 0 && adjusted[line.Deal] != nil || w.leavesOut(line.Layer) {
			continue
		}
		for seat, points := range line.Payments {
			c := of(j.paymentHolder(seated, seat, line))
			c.layers[line.Layer] += points
			if line.Forfeit {
				c.forfeits += points
			}
			c.won += lineTally(line, "won", seat)
			c.lost += lineTally(line, "lost", seat)
		}
	}
	for _, c := range cells {
		for _, points := range c.layers {
			c.sum += points
		}
	}
	return cells
}

func lineTally(l Line, name string, seat int) int {
	if list := l.Tallies[name]; seat < len(list) {
		return list[seat]
	}
	return 0
}

// paymentHolder returns the player whom a seat's payments in a line belong to: the one who held the
// seat in that deal, if the event says that substitutes play for their own account.
func (j *judge) paymentHolder(seated []int, seat int, line Line) int {
	if j.h.Terms.Substitute == bulletin.SubstituteOwn && seat < len(line.Keys) {
		if p := j.h.PlayerByKey(line.Keys[seat]); p != nil {
			return p.Number
		}
	}
	return seated[seat]
}

// byPlaces turns the sums of players into points for their places at the table. Players with equal
// sums share the points of their places, rounded down.
func (j *judge) byPlaces(cells map[int]*tableScore) {
	order := make([]int, 0, len(cells))
	for p := range cells {
		order = append(order, p)
	}
	slices.SortFunc(order, func(a, b int) int { return cells[b].sum - cells[a].sum })
	for i := 0; i < len(order); {
		n, points := i, 0
		for ; n < len(order) && cells[order[n]].sum == cells[order[i]].sum; n++ {
			if n < len(j.h.Terms.Places) {
				points += Sixtieths * j.h.Terms.Places[n]
			}
		}
		for _, p := range order[i:n] {
			cells[p].layers = map[Layer]int{cells[p].weakestLayer(): floorQuotient(points, n-i)}
		}
		i = n
	}
}

// weakestLayer returns the weakest layer of a player's points at a table: a place rests on all of
// them.
func (c *tableScore) weakestLayer() Layer {
	for _, l := range []Layer{Ruled, ByClock, Agreed} {
		if _, has := c.layers[l]; has {
			return l
		}
	}
	return Proved
}

// floorQuotient returns a / n rounded down, for n > 0.
func floorQuotient(a, n int) int {
	q := a / n
	if a%n < 0 {
		q--
	}
	return q
}

// addByes adds the worth of byes. An average counts the rounds played, without forfeits: a player
// who was paid because another left has not played for it.
func (j *judge) addByes(scores map[int]*score, at uint64) {
	worth := map[int]int{}
	for p, s := range scores {
		if worth[p] = j.h.Terms.Bye.Points * j.pointUnit(); j.h.Terms.Bye.Average && len(s.rounds) > 0 {
			worth[p] = floorQuotient(s.total-s.forfeits, len(s.rounds))
		}
	}
	for _, r := range j.h.Rounds {
		if r.Index >= at || !r.isComplete() {
			continue
		}
		for _, p := range r.Byes {
			if s := scores[p]; s != nil {
				s.addPoints(r.Number, worth[p], OfTerms)
			}
		}
	}
}

// addRulings adds penalties and marks the disqualified.
func (j *judge) addRulings(scores map[int]*score, rulings []*Ruling) {
	for _, r := range rulings {
		s := scores[r.About.Player]
		switch {
		case s == nil:
		case r.Do == bulletin.RulePenalty:
			s.total += r.Points[0].Points * j.pointUnit()
			s.layers[Ruled] += r.Points[0].Points * j.pointUnit()
		case r.Do == bulletin.RuleDisqualify:
			s.out = true
		}
	}
}
