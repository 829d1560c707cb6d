package skat

// This file is the Skat pack and what its cards are in each game: their class, order and points
// (SK-R-01 to SK-R-07).
//
// A face is the index of a card in the order of SK-R-07, from 0: clubs, spades, hearts, diamonds, and
// in each 7 8 9 10 J Q K A. A [Game] says which cards are trumps, and is a [shared.TrickGame]. Ramsch
// is played as [Grand].

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
)

// Sizes of the pack (SK-R-01, SK-R-02).
const (
	DeckSize    = 32
	TotalPoints = 120

	perSuit = 8
)

// DeckName is the name of the pack where it is hashed (SK-R-07).
const DeckName = "skat-32"

// Face is a card of the pack. In JSON it is its name, "10C".
type Face card.Face

var ranks = []string{"7", "8", "9", "10", "J", "Q", "K", "A"}

// Indexes of ranks within a suit.
const (
	ten   = 3
	jack  = 4
	queen = 5
	king  = 6
	ace   = 7
)

// names are the names of all faces, in the order of the pack.
var names = func() (list []string) {
	for _, suit := range Suits {
		for _, rank := range ranks {
			list = append(list, rank+string(suit))
		}
	}
	return list
}()

// FaceNames returns the names of all faces in the order of the pack.
func FaceNames() []string { return slices.Clone(names) }

// ParseFace reads the name of a face.
func ParseFace(name string) (Face, error) {
	f := slices.Index(names, name)
	if f < 0 {
		return 0, fmt.Errorf("SK-R-07: %.10q is no card of the pack", name)
	}
	return Face(f), nil
}

// String is the name of a face; "?" if it is not in the pack.
func (f Face) String() string {
	if int(f) >= DeckSize {
		return "?"
	}
	return names[f]
}

// MarshalText writes the name of a face.
func (f Face) MarshalText() ([]byte, error) {
	if int(f) >= DeckSize {
		return nil, fmt.Errorf("SK-R-07: there is no card %d", uint16(f))
	}
	return []byte(names[f]), nil
}

// UnmarshalText reads the name of a face.
func (f *Face) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFace(string(text))
	return err
}

// Class is what must be followed: a suit without the trumps in it, or the trumps (SK-R-06).
type Class string

// The classes.
const (
	Clubs    Class = "C"
	Spades   Class = "S"
	Hearts   Class = "H"
	Diamonds Class = "D"
	Trump    Class = "T"
)

// Suits are the suits in the order of the pack.
var Suits = []Class{Clubs, Spades, Hearts, Diamonds}

// The sets of SK-R-07.
var (
	AllFaces = rangeOf(0, DeckSize)
	Jacks    = card.SetOf(jack, perSuit+jack, 2*perSuit+jack, 3*perSuit+jack)
)

func rangeOf(from, to int) card.Set {
	var s card.Set
	for f := from; f < to; f++ {
		s = s.AddFace(card.Face(f))
	}
	return s
}

// SetOf is the set of faces.
func SetOf(faces ...Face) (s card.Set) {
	for _, f := range faces {
		s = s.AddFace(card.Face(f))
	}
	return s
}

// Faces are the faces of a set, in the order of the pack.
func Faces(s card.Set) []Face {
	list := make([]Face, 0, s.Len())
	for _, f := range s.Faces() {
		list = append(list, Face(f))
	}
	return list
}

// suitOf is the suit printed on a card.
func suitOf(f card.Face) Class { return Suits[f/perSuit] }

func rankOf(f card.Face) int { return int(f) % perSuit }

// FacePoints are the card points of a face (SK-R-02).
func FacePoints(f card.Face) int { return [perSuit]int{0, 0, 0, 10, 2, 3, 4, 11}[rankOf(f)] }

// PointsOf are the card points of a set.
func PointsOf(s card.Set) (sum int) {
	for _, f := range s.Faces() {
		sum += FacePoints(f)
	}
	return sum
}
