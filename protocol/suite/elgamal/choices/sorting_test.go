package choices

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// TestByClass: a thing that is lost or doubled, or put with those of another
// class, against the standard library's stable sort.
func TestByClass(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		order, class := make([]uint16, n), make([]int, n)
		for i, j := range r.Perm(n) {
			order[i], class[i] = uint16(j), r.IntN(3)
		}
		want := slices.Clone(order)
		slices.SortStableFunc(want, func(a, b uint16) int { return cmp.Compare(class[a], class[b]) })
		got := byClass(order, class)
		testmust.Holdf(t, slices.Equal(got, want), "order %v, classes %v: got %v, want %v", order, class, got, want)
	}
}
