package event

import (
	"slices"

	"github.com/pakli/pakli/protocol/bulletin"
)

// CountTables returns how many tables of the one or two sizes seat players of whom byes have none:
// as many of the first as leave what the second divides, and as few byes as need be (56.3.1).
func CountTables(players int, sizes []int) (first, second, byes int) {
	for ; byes <= players; byes++ {
		n := players - byes
		for first = n / sizes[0]; first >= 0; first-- {
			rest := n - first*sizes[0]
			if rest == 0 {
				return first, 0, byes
			}
			if len(sizes) == 2 && rest%sizes[1] == 0 {
				return first, rest / sizes[1], byes
			}
		}
	}
	return 0, 0, players
}

// Meetings counts how often two players sat at one table.
type Meetings map[[2]int]int

func pairOf(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// Add counts the meetings of a round.
func (m Meetings) Add(tables [][]int) {
	for _, t := range tables {
		for i, a := range t {
			for _, b := range t[:i] {
				m[pairOf(a, b)]++
			}
		}
	}
}

// meetingCost is the sum of squares of how often player p met the others of a table but for the
// one at place i.
func (m Meetings) meetingCost(p int, table []int, i int) int {
	sum := 0
	for j, other := range table {
		if n := m[pairOf(p, other)]; j != i {
			sum += n * n
		}
	}
	return sum
}

// maxPasses bounds how often all tables are gone through to reduce meetings.
const maxPasses = 16

// Reduce exchanges players between tables that are at most a window apart, as long as they
// then meet fewer whom they have met (56.3.4). It changes tables.
func (m Meetings) Reduce(tables [][]int, window int) {
	for range maxPasses {
		changed := false
		for t := range tables {
			for i := range tables[t] {
				if m.meetingCost(tables[t][i], tables[t], i) > 0 && m.exchangePlayer(tables, t, i, window) {
					changed = true
				}
			}
		}
		if !changed {
			return
		}
	}
}

// exchangePlayer tries every place of the tables around, nearest first.
func (m Meetings) exchangePlayer(tables [][]int, t, i, window int) bool {
	for d := 1; d <= window; d++ {
		for _, u := range []int{t + d, t - d} {
			if u < 0 || u >= len(tables) {
				continue
			}
			for j := range tables[u] {
				p, q := tables[t][i], tables[u][j]
				before := m.meetingCost(p, tables[t], i) + m.meetingCost(q, tables[u], j)
				if m.meetingCost(q, tables[t], i)+m.meetingCost(p, tables[u], j) < before {
					tables[t][i], tables[u][j] = q, p
					return true
				}
			}
		}
	}
	return false
}

// Deal seats players in an order at tables of the sizes; who is to have a bye is the lowest
// in the order among those that had the fewest (56.3.2).
func dealTables(order, sizes []int, byesHad map[int]int) (tables [][]int, byes []int) {
	first, second, without := CountTables(len(order), sizes)
	order = slices.Clone(order)
	for range without {
		i := nextByeIndex(order, byesHad)
		byes = append(byes, order[i])
		order = slices.Delete(order, i, i+1)
	}
	for k := range first + second {
		n := sizes[0]
		if k >= first {
			n = sizes[1]
		}
		tables = append(tables, slices.Clone(order[:n]))
		order = order[n:]
	}
	return tables, byes
}

// nextByeIndex is the last place of those whose players had the fewest byes.
func nextByeIndex(order []int, byesHad map[int]int) int {
	at := len(order) - 1
	for i := at; i >= 0; i-- {
		if byesHad[order[i]] < byesHad[order[at]] {
			at = i
		}
	}
	return at
}

// Seating is how a round is seated by the method.
type Seating struct {
	Tables [][]int // numbers of players, by seat
	Byes   []int   // ascending
}

// seatingBasis are what a seating rests on.
type seatingBasis struct {
	terms    *bulletin.Event
	seed     Seed
	round    int
	players  []int       // who play this round, ascending
	ranks    map[int]int // by player; of ranked rounds
	met      Meetings    // in earlier rounds
	byes     map[int]int // had in earlier rounds
	plan     [][]int     // places, of planned rounds
	places   []int       // players by their place in the plan
	lastRank bool        // the last round, and ranked: meetings do not matter
}

// computeSeating computes the seating of a round (56.3).
func (s seatingBasis) computeSeating() Seating {
	var out Seating
	switch s.terms.Seating[s.round-1] {
	case bulletin.SeatByPlan:
		out = s.plannedSeating()
	case bulletin.SeatAtRandom:
		out.Tables, out.Byes = dealTables(s.seed.byLot(s.round, s.players), s.terms.Sizes, s.byes)
		s.met.Reduce(out.Tables, len(out.Tables))
	default:
		out.Tables, out.Byes = dealTables(s.playersByRank(), s.terms.Sizes, s.byes)
		if !s.lastRank {
			s.met.Reduce(out.Tables, s.terms.Window)
		}
	}
	for i, t := range out.Tables {
		out.Tables[i] = s.seed.byLot(s.round, t)
	}
	slices.Sort(out.Byes)
	return out
}

// playersByRank is the order of players by rank, those of one rank by lot.
func (s seatingBasis) playersByRank() []int {
	order := s.seed.byLot(s.round, s.players)
	slices.SortStableFunc(order, func(a, b int) int { return s.ranks[a] - s.ranks[b] })
	return order
}

// plannedSeating seats players at their places of the plan. A table that has lost players is
// smaller if the event has tables of that size; otherwise those who are left have byes.
func (s seatingBasis) plannedSeating() (out Seating) {
	seated := map[int]bool{}
	for _, places := range s.plan {
		var table []int
		for _, place := range places {
			if place <= len(s.places) && slices.Contains(s.players, s.places[place-1]) {
				table = append(table, s.places[place-1])
			}
		}
		if slices.Contains(s.terms.Sizes, len(table)) {
			out.Tables = append(out.Tables, table)
			for _, p := range table {
				seated[p] = true
			}
		}
	}
	for _, p := range s.players {
		if !seated[p] {
			out.Byes = append(out.Byes, p)
		}
	}
	return out
}
