package group

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"

	"filippo.io/edwards25519"
)

// ScalarSize is the length of a scalar's encoding, in bytes.
const ScalarSize = 32

// Scalar is an integer modulo the group's order
// ℓ = 2^252 + 27742317777372353535851937790883648493. It is a value; its zero
// value is 0. Compare secret scalars with Equal and not with ==.
type Scalar struct{ value edwards25519.Scalar }

// ParseScalar decodes 32 little-endian bytes of an integer below ℓ.
func ParseScalar(b []byte) (Scalar, error) {
	var s Scalar
	if len(b) != ScalarSize {
		return s, fmt.Errorf("a scalar of %d bytes, must have %d", len(b), ScalarSize)
	}
	if _, err := s.value.SetCanonicalBytes(b); err != nil {
		return Scalar{}, errors.New("a scalar is not below the group order")
	}
	return s, nil
}

// ScalarFromUniform reduces 64 little-endian bytes modulo ℓ. From uniform
// bytes the result is uniform but for a bias below 2^-256.
func ScalarFromUniform(b [64]byte) Scalar {
	var s Scalar
	if _, err := s.value.SetUniformBytes(b[:]); err != nil {
		panic("group: internal: " + err.Error()) // the length is right by its type
	}
	return s
}

// wideSize is the length of what is reduced to a uniform scalar, in bytes.
const wideSize = 64

func fromWide(b *[wideSize]byte) Scalar { return ScalarFromUniform(*b) }

// ScalarFromUint64 returns n.
func ScalarFromUint64(n uint64) Scalar {
	return fromWords([4]uint64{n})
}

// Bytes returns the 32 canonical bytes, little-endian.
func (s Scalar) Bytes() []byte { return s.value.Bytes() }

// AppendTo appends the canonical encoding to b.
func (s Scalar) AppendTo(b []byte) []byte { return append(b, s.value.Bytes()...) }

// Add returns s + t.
func (s Scalar) Add(t Scalar) Scalar {
	s.value.Add(&s.value, &t.value)
	return s
}

// Sub returns s − t.
func (s Scalar) Sub(t Scalar) Scalar {
	s.value.Subtract(&s.value, &t.value)
	return s
}

// Mul returns s·t.
func (s Scalar) Mul(t Scalar) Scalar {
	s.value.Multiply(&s.value, &t.value)
	return s
}

// addProduct adds t·u to s.
func (s *Scalar) addProduct(t, u *Scalar) { s.value.MultiplyAdd(&t.value, &u.value, &s.value) }

// Neg returns −s.
func (s Scalar) Neg() Scalar {
	s.value.Negate(&s.value)
	return s
}

// Invert returns 1/s. Requires: s ≠ 0.
func (s Scalar) Invert() Scalar {
	var r Scalar
	r.value.Invert(&s.value)
	return r
}

// Equal reports whether s = t, in constant time.
func (s Scalar) Equal(t Scalar) bool { return s.value.Equal(&t.value) == 1 }

// IsZero reports whether s = 0, in constant time.
func (s Scalar) IsZero() bool { return s.Equal(Scalar{}) }

// ScalarsAt returns scalars[places[0]], scalars[places[1]], … and reads all of
// scalars for each, so that memory accesses do not depend on the places.
func ScalarsAt(scalars []Scalar, places []uint16) []Scalar {
	all := make([][4]uint64, len(scalars))
	for j, s := range scalars {
		all[j] = s.toWords()
	}
	found := make([]Scalar, len(places))
	for i, place := range places {
		var w [4]uint64
		for j := range all {
			mask := -uint64(subtle.ConstantTimeEq(int32(place), int32(j)))
			for k := range w {
				w[k] |= mask & all[j][k]
			}
		}
		found[i] = fromWords(w)
	}
	return found
}

// toWords returns the integer in four words, the lowest first.
func (s Scalar) toWords() (w [4]uint64) {
	b := s.value.Bytes()
	for k := range w {
		w[k] = binary.LittleEndian.Uint64(b[8*k:])
	}
	return w
}

// fromWords is the inverse of toWords. Requires: below ℓ.
func fromWords(w [4]uint64) Scalar {
	var b [ScalarSize]byte
	for k := range w {
		binary.LittleEndian.PutUint64(b[8*k:], w[k])
	}
	var s Scalar
	if _, err := s.value.SetCanonicalBytes(b[:]); err != nil {
		panic("group: internal: " + err.Error()) // the caller's words are reduced
	}
	return s
}
