package ristretto255_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
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
		d := handtest.Must(card.NewDeck(string(rune('a'+i)), []string{"a"}))
		for range 2 {
			testmust.Have(s.Encoding().Deck(d))(t)
		}
	}
	if n := ristretto255.Decks(s.Encoding()); n != ristretto255.MaxDecks {
		t.Errorf("%d decks are remembered, want %d", n, ristretto255.MaxDecks)
	}
}
