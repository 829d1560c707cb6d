package trick_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/trick"
)

// small is a game of nine cards, three of each of the classes 0, 1 and 2; 2 is trump,
// and who cannot follow must trump.
type small struct{}

func (small) Class(f card.Face) int { return int(f) / 3 }

func (small) Cards(class int) card.Set {
	first := card.Face(3 * class)
	return card.SetOf(first, first+1, first+2)
}

func (small) Follow(led int) []int { return slices.Compact([]int{led, 2}) }

func (g small) Beats(f, best card.Face) bool {
	if g.Class(f) != g.Class(best) {
		return g.Class(f) == 2
	}
	return f > best
}

func (small) Points(f card.Face) int { return int(f) % 3 }

// A trick won by a card that neither follows nor trumps, or by the lower of two.
func TestWinner(t *testing.T) {
	for _, c := range []struct {
		trick        []card.Face
		wins, points int
	}{
		{[]card.Face{0, 5, 2}, 2, 4}, {[]card.Face{0, 5, 4}, 0, 3}, {[]card.Face{2, 6, 5}, 1, 4},
		{[]card.Face{6, 2, 8, 7}, 2, 5}, {[]card.Face{4}, 0, 1},
	} {
		if w, p := trick.Winner(small{}, c.trick), trick.Points(small{}, c.trick); w != c.wins || p != c.points {
			t.Errorf("%v: card %d takes %d points, want %d, %d", c.trick, w, p, c.wins, c.points)
		}
	}
}

// A class that must be proved and is not, one that the card played answers for, one
// that everybody knows.
func TestLacking(t *testing.T) {
	nothing := func(int) bool { return false }
	for _, c := range []struct {
		led, played card.Face
		known       func(int) bool
		want        []int
	}{
		{0, 1, nothing, nil},
		{0, 7, nothing, []int{0}},
		{0, 4, nothing, []int{0, 2}},
		{0, 4, func(class int) bool { return class == 0 }, []int{2}},
		{0, 4, func(class int) bool { return class == 2 }, []int{0}},
		{6, 4, nothing, []int{2}},
		{6, 8, nothing, nil},
		{6, 4, func(int) bool { return true }, nil},
	} {
		if got := trick.Lacking(small{}, c.led, c.played, c.known); !slices.Equal(got, c.want) {
			t.Errorf("%d on %d: %v, want %v", c.played, c.led, got, c.want)
		}
	}
}

// What may be played from an open hand is what leaves nothing to prove that is not so.
func TestMayIsWhatNothingSpeaksAgainst(t *testing.T) {
	g := small{}
	for bits := 1; bits < 1<<9; bits++ {
		var hand card.Set
		for f := range card.Face(9) {
			if bits>>f&1 == 1 {
				hand = hand.With(f)
			}
		}
		for led := range card.Face(9) {
			may := trick.May(g, []card.Face{led}, hand)
			for _, f := range hand.Faces() {
				rest := hand.Without(card.SetOf(f))
				lies := slices.ContainsFunc(trick.Lacking(g, led, f, func(int) bool { return false }), func(class int) bool {
					return trick.Common(g.Cards(class), rest) != (card.Set{})
				})
				if may.Has(f) == lies {
					t.Fatalf("%d on %d with %v: may be played %v, proof would be false %v", f, led, hand.Faces(), may.Has(f), lies)
				}
			}
		}
		if trick.May(g, []card.Face{}, hand) != hand {
			t.Fatalf("a leader with %v is bound", hand.Faces())
		}
	}
}
