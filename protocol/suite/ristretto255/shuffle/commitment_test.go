package shuffle_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
)

// TestGenerators: generators that repeat, or that are elements of cards, would
// open commitments in two ways.
func TestGenerators(t *testing.T) {
	seen := map[string]int{string(group.Generator().Bytes()): -1, string(group.Identity().Bytes()): -2}
	for i, g := range shuffle.Generators() {
		if j, ok := seen[string(g.Bytes())]; ok {
			t.Errorf("generators %d and %d are equal", j, i)
		}
		seen[string(g.Bytes())] = i
	}
	if n := len(shuffle.Generators()); n != shuffle.MaxCards+1 {
		t.Errorf("%d generators, want %d", n, shuffle.MaxCards+1)
	}
}
