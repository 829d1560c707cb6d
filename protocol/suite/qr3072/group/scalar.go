package group

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/suite/modp"
)

// Scalar is an integer modulo the group's order q. It is a value; its zero
// value is 0. Compare secret scalars with Equal and not with ==.
type Scalar struct{ value [words]uint64 }

// ParseScalar decodes ScalarSize little-endian bytes of an integer below q.
func ParseScalar(b []byte) (Scalar, error) {
	if len(b) != ScalarSize {
		return Scalar{}, fmt.Errorf("a scalar of %d bytes, must have %d", len(b), ScalarSize)
	}
	s := fromBytes(b)
	if q.IsBelow(s.value[:]) == 0 {
		return Scalar{}, errors.New("a scalar is not below the group order")
	}
	return s, nil
}

// fromBytes reads at most ScalarSize little-endian bytes.
func fromBytes(b []byte) (s Scalar) {
	big := make([]byte, ScalarSize)
	copy(big, b)
	slices.Reverse(big)
	modp.SetBytes(s.value[:], big)
	return s
}

// ScalarFromUniform returns the integer in 64 little-endian bytes, which is below q.
func ScalarFromUniform(b [64]byte) Scalar { return fromBytes(b[:]) }

// fromWide reduces little-endian bytes modulo q. From uniform bytes the result is uniform
// but for a bias below 2^-128.
func fromWide(b *[wideSize]byte) (s Scalar) {
	big := slices.Clone(b[:])
	slices.Reverse(big)
	q.Reduce(s.value[:], big)
	return s
}

// ScalarFromUint64 returns n.
func ScalarFromUint64(n uint64) (s Scalar) {
	s.value[0] = n
	return s
}

// Bytes returns the canonical bytes, little-endian.
func (s Scalar) Bytes() []byte { return s.AppendTo(make([]byte, 0, ScalarSize)) }

// AppendTo appends the canonical encoding to b.
func (s Scalar) AppendTo(b []byte) []byte {
	from := len(b)
	b = modp.AppendTo(b, s.value[:])
	slices.Reverse(b[from:])
	return b
}

// Add returns s + t.
func (s Scalar) Add(t Scalar) Scalar {
	q.Add(s.value[:], s.value[:], t.value[:])
	return s
}

// Sub returns s − t.
func (s Scalar) Sub(t Scalar) Scalar { return s.Add(t.Neg()) }

// Mul returns s·t.
func (s Scalar) Mul(t Scalar) Scalar {
	q.ToMontgomery(s.value[:], s.value[:])
	q.Mul(s.value[:], s.value[:], t.value[:])
	return s
}

// addProduct adds t·u to s.
func (s *Scalar) addProduct(t, u *Scalar) { *s = s.Add(t.Mul(*u)) }

// Neg returns −s.
func (s Scalar) Neg() Scalar {
	q.Neg(s.value[:], s.value[:])
	return s
}

// Invert returns 1/s. Requires: s ≠ 0.
func (s Scalar) Invert() Scalar {
	q.ToMontgomery(s.value[:], s.value[:])
	q.Inverse(s.value[:], s.value[:])
	q.FromMontgomery(s.value[:], s.value[:])
	return s
}

// Equal reports whether s = t, in constant time.
func (s Scalar) Equal(t Scalar) bool { return subtle.ConstantTimeCompare(s.Bytes(), t.Bytes()) == 1 }

// IsZero reports whether s = 0, in constant time.
func (s Scalar) IsZero() bool { return s.Equal(Scalar{}) }

// ScalarsAt returns scalars[places[0]], scalars[places[1]], … and reads all of
// scalars for each, so that memory accesses do not depend on the places.
func ScalarsAt(scalars []Scalar, places []uint16) []Scalar {
	found := make([]Scalar, len(places))
	for i, place := range places {
		for j := range scalars {
			modp.Choose(found[i].value[:], scalars[j].value[:], uint64(subtle.ConstantTimeEq(int32(place), int32(j))))
		}
	}
	return found
}
