package fivecarddraw

// This is the pack of five-card draw, 52 cards (FD-R-01), and what hands of it are worth.
//
// A face is a card's index, from 0: clubs, spades, hearts, diamonds, and in each
// A 2 3 … 10 J Q K. Face 0 is the ace of clubs, 51 the king of diamonds.

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pakli/pakli/protocol/card"
)

// DeckSize is the number of cards, and Ranks the number of cards of a suit.
const (
	DeckSize = 52
	Ranks    = 13
)

// DeckName is the pack's name where it is hashed (FD-R-01).
const DeckName = "five-card-draw-52"

// Face is a card of the pack. In JSON it is the card's name, "10C".
type Face card.Face

// Rank is a card's rank, from 0, a two, to 12, an ace.
type Rank int

// Ranks by name.
const (
	Two  Rank = 0
	Five Rank = 3
	Jack Rank = 9
	Ace  Rank = 12
)

var names = func() (list []string) {
	for _, suit := range "CSHD" {
		list = append(list, "A"+string(suit))
		for n := 2; n <= 10; n++ {
			list = append(list, strconv.Itoa(n)+string(suit))
		}
		list = append(list, "J"+string(suit), "Q"+string(suit), "K"+string(suit))
	}
	return list
}()

// FaceNames returns the names of all faces in the order of the pack.
func FaceNames() []string { return slices.Clone(names) }

// ParseFace reads the name of a face.
func ParseFace(name string) (Face, error) {
	f := slices.Index(names, name)
	if f < 0 {
		return 0, fmt.Errorf("FD-R-01: %.10q is no card of the pack", name)
	}
	return Face(f), nil
}

// Rank returns the rank of a face.
func (f Face) Rank() Rank { return Rank((int(f) + Ranks - 1) % Ranks) }

// Suit returns the suit of a face, from 0: clubs, spades, hearts, diamonds.
func (f Face) Suit() int { return int(f) / Ranks }

// String returns the name of a face, or "?" if it is not of the pack.
func (f Face) String() string {
	if int(f) >= DeckSize {
		return "?"
	}
	return names[f]
}

// MarshalText writes the name of a face.
func (f Face) MarshalText() ([]byte, error) {
	if int(f) >= DeckSize {
		return nil, fmt.Errorf("FD-R-01: there is no card %d", uint16(f))
	}
	return []byte(names[f]), nil
}

// UnmarshalText reads the name of a face.
func (f *Face) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFace(string(text))
	return err
}
