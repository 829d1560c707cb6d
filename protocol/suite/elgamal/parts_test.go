package elgamal_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
)

// g is the group of these tests.
var g = group.Ristretto255()

// made is a suite of that name, with its proving side.
func made(name string) proof.Prover {
	return elgamal.Prover(elgamal.New(name, g, bayergroth.Argument{}), bayergroth.Prover{})
}

// TestDecksAreBounded: a server that encodes a deck for every table that asks
// until its memory is full.
func TestDecksAreBounded(t *testing.T) {
	s := made("test")
	for i := range 3 * elgamal.MaxDecks {
		d := handtest.MustHave(card.NewDeck(string(rune('a'+i)), []string{"a"}))
		for range 2 {
			testmust.Have(s.Encoding().Deck(d))(t)
		}
	}
	testmust.Equal(t, elgamal.Decks(s.Encoding()), elgamal.MaxDecks, "decks are remembered")
}

// TestGenerators: generators that repeat, or that are elements of cards, would
// open commitments in two ways.
func TestGenerators(t *testing.T) {
	seen := map[string]int{string(g.Generator().Bytes()): -1, string(g.Identity().Bytes()): -2}
	for i, g := range masking.Generators(g) {
		j, ok := seen[string(g.Bytes())]
		testmust.Holdf(t, !ok, "generators %d and %d are equal", j, i)
		seen[string(g.Bytes())] = i
	}
	testmust.Equal(t, len(masking.Generators(g)), masking.MaxCards+1, "generators")
}
