package event

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/wire"
)

// LeftOutLayers says which layers standings leave out.
type LeftOutLayers struct{ Ruled, Clock, Agreed bool }

// leavesOut reports whether points of a layer do not count.
func (w LeftOutLayers) leavesOut(l Layer) bool {
	return w.Ruled && l == Ruled || w.Clock && l == ByClock || w.Agreed && l == Agreed
}

// Standing is a row of the standings.
type Standing struct {
	Rank   int           `json:"rank"` // 0: disqualified
	Number int           `json:"number"`
	Name   string        `json:"name"`
	Club   string        `json:"club"`
	Key    string        `json:"key"`
	Total  int           `json:"total"`  // points, or sixtieths of points by places
	Rounds []*int        `json:"rounds"` // null: not played
	Layers map[Layer]int `json:"layers"` // what the total consists of
	Won    int           `json:"won"`
	Lost   int           `json:"lost"`
}

// HashStandings returns the hash that a final decision publishes (56.6).
func HashStandings(event wire.Hash, upto uint64, list []Standing) [sha256.Size]byte {
	var b strings.Builder
	fmt.Fprintf(&b, "pakli-standings/v1\n%s\n%d\n", event, upto)
	for _, s := range list {
		fmt.Fprintf(&b, "%d %d %d\n", s.Rank, s.Number, s.Total)
	}
	return sha256.Sum256([]byte(b.String()))
}

// computeStandings returns the standings of what tables came to below upto, by the decisions below
// at. The lots of seed part the tied (56.5).
func (j *judge) computeStandings(upto, at uint64, seed Seed, w LeftOutLayers) []Standing {
	list := j.playerScores(upto, at, w)
	var ranked, out []*score
	for _, s := range list {
		if s.out {
			out = append(out, s)
		} else {
			ranked = append(ranked, s)
		}
	}
	ranks := j.rankPlayers(ranked, list, seed)
	slices.SortStableFunc(ranked, func(a, b *score) int { return ranks[a.player.Number] - ranks[b.player.Number] })
	rows := []Standing{}
	for _, s := range append(ranked, out...) {
		rows = append(rows, s.standingRow(ranks[s.player.Number], len(j.h.Rounds)))
	}
	return rows
}

func (s *score) standingRow(rank, rounds int) Standing {
	row := Standing{Rank: rank, Number: s.player.Number, Name: string(s.player.Name), Club: string(s.player.Club), Key: s.player.Key, Total: s.total, Layers: s.layers, Won: s.won, Lost: s.lost}
	for r := 1; r <= rounds; r++ {
		var points *int
		if n, played := s.rounds[r]; played {
			points = &n
		}
		row.Rounds = append(row.Rounds, points)
	}
	return row
}
