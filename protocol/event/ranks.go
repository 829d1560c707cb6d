package event

import (
	"bytes"
	"slices"

	"github.com/pakli/pakli/protocol/bulletin"
)

// rankPlayers gives each player of list a rank: by total, and then by the event's ties in order.
// Players still tied share a rank, and the next player's rank counts all of them. Opponents are all
// players, also those out of the ranking.
func (j *judge) rankPlayers(list, opponents []*score, seed Seed) map[int]int {
	ranks := map[int]int{}
	all := ranking{j: j, seed: seed, scores: map[int]*score{}, ranks: ranks}
	for _, s := range opponents {
		all.scores[s.player.Number] = s
		for r := range s.rounds {
			all.last = max(all.last, r)
		}
	}
	all.splitGroup(list, 1, func(s *score, _ []*score) int { return s.total }, j.h.Terms.Ties)
	return ranks
}

type ranking struct {
	j      *judge
	seed   Seed // of the lots of round 0
	scores map[int]*score
	last   int // last round
	ranks  map[int]int
}

// splitGroup ranks a group, whose best has the rank first, by a value of which more is better.
// Players with the same value are ranked by the next tie.
func (r *ranking) splitGroup(group []*score, first int, by func(*score, []*score) int, ties []bulletin.Tie) {
	value := map[*score]int{}
	for _, s := range group {
		value[s] = by(s, group)
	}
	group = slices.Clone(group)
	slices.SortStableFunc(group, func(a, b *score) int { return value[b] - value[a] })
	for i := 0; i < len(group); {
		n := i
		for n < len(group) && value[group[n]] == value[group[i]] {
			n++
		}
		r.rankTied(group[i:n], first+i, ties)
		i = n
	}
}

func (r *ranking) rankTied(group []*score, first int, ties []bulletin.Tie) {
	if len(group) < 2 || len(ties) == 0 || ties[0] == bulletin.TieShared {
		for _, s := range group {
			r.ranks[s.player.Number] = first
		}
		return
	}
	if ties[0] == bulletin.TieLot {
		r.byLot(group, first)
		return
	}
	r.splitGroup(group, first, r.tieValue(ties[0]), ties[1:])
}

func (r *ranking) byLot(group []*score, first int) {
	slices.SortFunc(group, func(a, b *score) int {
		x, y := r.seed.Lot(0, a.player.Number), r.seed.Lot(0, b.player.Number)
		return bytes.Compare(x[:], y[:])
	})
	for i, s := range group {
		r.ranks[s.player.Number] = first + i
	}
}

// tieValue returns the value by which a tie ranks; more is better.
func (r *ranking) tieValue(t bulletin.Tie) func(*score, []*score) int {
	switch t {
	case bulletin.TieWon:
		return func(s *score, _ []*score) int { return s.won }
	case bulletin.TieLost:
		return func(s *score, _ []*score) int { return -s.lost }
	case bulletin.TieLast:
		return func(s *score, _ []*score) int { return s.rounds[r.last] }
	case bulletin.TieBest:
		return func(s *score, _ []*score) int { return s.bestRound() }
	case bulletin.TieDirect:
		return directSum
	default:
		return func(s *score, _ []*score) int { return r.opponentSum(s) }
	}
}

func (s *score) bestRound() int {
	best, first := 0, true
	for _, points := range s.rounds {
		if first || points > best {
			best, first = points, false
		}
	}
	return best
}

// directSum returns the player's sum at tables where another of the tied players sat.
func directSum(s *score, group []*score) int {
	sum := 0
	for round, with := range s.with {
		if slices.ContainsFunc(group, func(other *score) bool { return slices.Contains(with, other.player.Number) }) {
			sum += s.rounds[round]
		}
	}
	return sum
}

// opponentSum returns the sum of the totals of a player's opponents. A round that was not played
// counts as if against oneself, at a table of the first size.
func (r *ranking) opponentSum(s *score) int {
	sum := 0
	for round := 1; round <= r.last; round++ {
		with := s.with[round]
		if len(with) == 0 {
			sum += s.total * (r.j.h.Terms.Sizes[0] - 1)
		}
		for _, p := range with {
			if o := r.scores[p]; o != nil {
				sum += o.total
			}
		}
	}
	return sum
}
