// Package card names cards without hiding them: faces, decks and sets of faces. It is plain data
// and holds no cryptography.
//
// A deck is an ordered list of distinct face names. A face is its place in that list, so two cards
// of one rank are two faces ("7a", "7b"). Whether they are worth the same is up to the game's
// rules, never to the encoding.
//
// The identity of a deck, [Deck.ID], binds its name and every face name in order. Encodings derive
// each card's public element from that identity, so two decks never share an element.
package card

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// MaxFaces bounds a deck. It covers two packs of 52 with jokers and a double tarokk pack of 108,
// and keeps a Set a value of four words.
const MaxFaces = 256

// MaxName bounds a deck's or a face's name, in bytes.
const MaxName = 64

// Face is the place of a card in its deck, from 0.
type Face uint16

// Deck is an ordered list of distinct faces. Its zero value is an empty deck.
type Deck struct {
	name  string
	faces []string
}

// NewDeck returns the deck of these faces in this order. It refuses an empty deck, more than
// MaxFaces faces, and empty, overlong or repeated names.
func NewDeck(name string, faces []string) (Deck, error) {
	if name == "" || len(name) > MaxName {
		return Deck{}, fmt.Errorf("the deck's name %q must have 1 to %d bytes", name, MaxName)
	}
	if len(faces) == 0 || len(faces) > MaxFaces {
		return Deck{}, fmt.Errorf("deck %s: %d faces, must be 1 to %d", name, len(faces), MaxFaces)
	}
	seen := make(map[string]bool, len(faces))
	for i, f := range faces {
		if f == "" || len(f) > MaxName {
			return Deck{}, fmt.Errorf("deck %s: face %d: name must have 1 to %d bytes", name, i, MaxName)
		}
		if seen[f] {
			return Deck{}, fmt.Errorf("deck %s: face %q is named twice", name, f)
		}
		seen[f] = true
	}
	return Deck{name: name, faces: append([]string(nil), faces...)}, nil
}

// Name returns the deck's name.
func (d Deck) Name() string { return d.name }

// Len returns the number of faces.
func (d Deck) Len() int { return len(d.faces) }

// FaceName returns the name of f, or "?" if f is not of this deck.
func (d Deck) FaceName(f Face) string {
	if int(f) >= len(d.faces) {
		return "?"
	}
	return d.faces[f]
}

// ID returns the SHA-256 of the length-framed name and face names, in order.
func (d Deck) ID() [32]byte {
	h := sha256.New()
	frame := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	frame("pakli/v1/deck")
	frame(d.name)
	for _, f := range d.faces {
		frame(f)
	}
	return [32]byte(h.Sum(nil))
}

// Set is a set of faces of one deck. It is a comparable value; the zero Set is empty.
type Set [MaxFaces / 64]uint64

// SetOf returns the set of these faces.
func SetOf(faces ...Face) Set {
	var s Set
	for _, f := range faces {
		s = s.AddFace(f)
	}
	return s
}

// AddFace returns s with f. A face of MaxFaces or more is of no deck and is left out.
func (s Set) AddFace(f Face) Set {
	if f < MaxFaces {
		s[f/64] |= 1 << (f % 64)
	}
	return s
}

// Has reports whether f is in s.
func (s Set) Has(f Face) bool {
	return f < MaxFaces && s[f/64]&(1<<(f%64)) != 0
}

// Len returns the number of faces in s.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Faces returns the faces of s in ascending order.
func (s Set) Faces() []Face {
	faces := make([]Face, 0, s.Len())
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			faces = append(faces, Face(64*i+bits.TrailingZeros64(w)))
		}
	}
	return faces
}

// Union returns the faces of s and of t.
func (s Set) Union(t Set) Set {
	for i, w := range t {
		s[i] |= w
	}
	return s
}

// Minus returns the faces of s that are not in t.
func (s Set) Minus(t Set) Set {
	for i, w := range t {
		s[i] &^= w
	}
	return s
}

// Complement returns the faces of d that are not in s.
func (s Set) Complement(d Deck) Set {
	var c Set
	for f := range d.faces {
		if !s.Has(Face(f)) {
			c = c.AddFace(Face(f))
		}
	}
	return c
}

// Within reports whether every face of s is a face of d.
func (s Set) Within(d Deck) bool {
	for _, f := range s.Faces() {
		if int(f) >= d.Len() {
			return false
		}
	}
	return true
}
