package event

import (
	"slices"

	"github.com/pakli/pakli/protocol/bulletin"
)

// CountTables returns how many tables of one or two sizes seat the players, and how many byes are
// left: the fewest byes, and then the most tables of the first size such that the second size
// divides the rest (56.3.1).
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

// apartCost exceeds what all meetings of two players can cost: 2 · 15 · 1,000².
const apartCost = 1_000_000_000

// apartWindow is the distance of tables within which players who are kept apart are exchanged. A
// partner for the exchange is that near, or hardly anywhere; and if everybody claims one club, it
// must not cost an hour.
const apartWindow = 16

// parting is what the cost of a player at a table is computed from.
type parting struct {
	met   Meetings
	apart *separation
}

// costOf returns the cost of player p at a table in the place i of another: the squares of how
// often p met the others, and the reasons to keep p apart from them.
func (c parting) costOf(p int, table []int, i int) int {
	sum := 0
	for j, other := range table {
		if n := c.met[pairOf(p, other)]; j != i {
			sum += n*n + apartCost*c.apart.countReasons(p, other)
		}
	}
	return sum
}

// maxPasses bounds the passes over all tables to reduce meetings.
const maxPasses = 16

// Reduce exchanges players between tables at most window apart, as long as that lowers the cost of
// repeated meetings (56.3.4). It changes tables.
func (m Meetings) Reduce(tables [][]int, window int) { parting{m, nil}.reduce(tables, window) }

func (c parting) reduce(tables [][]int, window int) {
	if c.apart != nil {
		window = min(window, apartWindow)
	}
	for range maxPasses {
		changed := false
		for t := range tables {
			for i := range tables[t] {
				if c.costOf(tables[t][i], tables[t], i) > 0 && c.exchangePlayer(tables, t, i, window) {
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
func (c parting) exchangePlayer(tables [][]int, t, i, window int) bool {
	p := tables[t][i]
	own := c.costOf(p, tables[t], i)
	for d := 1; d <= window; d++ {
		for _, u := range []int{t + d, t - d} {
			if u < 0 || u >= len(tables) {
				continue
			}
			for j := range tables[u] {
				q := tables[u][j]
				if c.costOf(q, tables[t], i)+c.costOf(p, tables[u], j) < own+c.costOf(q, tables[u], j) {
					tables[t][i], tables[u][j] = q, p
					return true
				}
			}
		}
	}
	return false
}

// dealTables seats players in an order at tables of the sizes. Each bye goes to the lowest in the
// order among those with the fewest byes (56.3.2).
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

// nextByeIndex returns the last place in the order among the players with the fewest byes.
func nextByeIndex(order []int, byesHad map[int]int) int {
	at := len(order) - 1
	for i := at; i >= 0; i-- {
		if byesHad[order[i]] < byesHad[order[at]] {
			at = i
		}
	}
	return at
}

// Seating is how the method seats a round.
type Seating struct {
	Tables [][]int // numbers of players, by seat
	Byes   []int   // ascending
}

type seatingBasis struct {
	terms    *bulletin.Event
	seed     Seed
	round    int
	players  []int       // players of this round, ascending
	ranks    map[int]int // by player, in rounds by rank
	parting              // meetings in earlier rounds
	byes     map[int]int // by player: byes in earlier rounds
	plan     [][]int     // numbers of places, in planned rounds
	places   []int       // players by their place in the plan
	lastRank bool        // whether this is the last round and by rank, so that meetings do not matter
}

// computeSeating computes the seating of a round (56.3).
func (s seatingBasis) computeSeating() Seating {
	var out Seating
	switch s.terms.Seating[s.round-1] {
	case bulletin.SeatByPlan:
		out = s.plannedSeating()
	case bulletin.SeatAtRandom:
		out.Tables, out.Byes = dealTables(s.seed.byLot(s.round, s.players), s.terms.Sizes, s.byes)
		s.reduce(out.Tables, len(out.Tables))
	default:
		out.Tables, out.Byes = dealTables(s.playersByRank(), s.terms.Sizes, s.byes)
		if !s.lastRank {
			s.reduce(out.Tables, s.terms.Window)
		}
	}
	for i, t := range out.Tables {
		out.Tables[i] = s.seed.byLot(s.round, t)
	}
	slices.Sort(out.Byes)
	return out
}

// playersByRank returns the players by rank, and those of one rank by lot.
func (s seatingBasis) playersByRank() []int {
	order := s.seed.byLot(s.round, s.players)
	slices.SortStableFunc(order, func(a, b int) int { return s.ranks[a] - s.ranks[b] })
	return order
}

// plannedSeating seats players at their places of the plan. A table that lacks players is smaller
// if the event has tables of that size; otherwise its remaining players have byes.
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
