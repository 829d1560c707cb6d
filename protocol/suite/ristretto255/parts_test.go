package ristretto255_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/sorting"
)

// made is a suite of that name, with its proving side.
func made(name string) proof.Prover {
	return ristretto255.Prover(ristretto255.New(name, bayergroth.Argument{}), bayergroth.Prover{})
}

// TestDecksAreBounded: a server that encodes a deck for every table that asks
// until its memory is full.
func TestDecksAreBounded(t *testing.T) {
	s := made("test")
	for i := range 3 * ristretto255.MaxDecks {
		d := handtest.MustHave(card.NewDeck(string(rune('a'+i)), []string{"a"}))
		for range 2 {
			testmust.Have(s.Encoding().Deck(d))(t)
		}
	}
	testmust.Equal(t, ristretto255.Decks(s.Encoding()), ristretto255.MaxDecks, "decks are remembered")
}

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
	testmust.Equal(t, len(shuffle.Generators()), shuffle.MaxCards+1, "generators")
}

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
		if got := sorting.ByClass(order, class); !slices.Equal(got, want) {
			t.Errorf("order %v, classes %v: got %v, want %v", order, class, got, want)
		}
	}
}
