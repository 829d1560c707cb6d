package group

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"

	"github.com/oasisprotocol/curve25519-voi/curve/scalar"
)

// ScalarSize is the length of a scalar's encoding, in bytes.
const ScalarSize = 32

// Scalar is an integer modulo the group's order
// ℓ = 2^252 + 27742317777372353535851937790883648493. It is a value; its zero
// value is 0. Compare secret scalars with Equal and not with ==.
type Scalar struct{ value scalar.Scalar }

// ParseScalar decodes 32 little-endian bytes of an integer below ℓ.
func ParseScalar(b []byte) (Scalar, error) {
	var s Scalar
	if len(b) != ScalarSize {
		return s, fmt.Errorf("group: scalar of %d bytes, must have %d", len(b), ScalarSize)
	}
	if _, err := s.value.SetCanonicalBytes(b); err != nil {
		return Scalar{}, errors.New("group: scalar is not below the group order")
	}
	return s, nil
}

// ScalarFromUniform reduces 64 little-endian bytes modulo ℓ. From uniform
// bytes the result is uniform but for a bias below 2^-256.
func ScalarFromUniform(b [64]byte) Scalar {
	var s Scalar
	if _, err := s.value.SetBytesModOrderWide(b[:]); err != nil {
		panic("group: internal: " + err.Error()) // the length is right by its type
	}
	return s
}

// ScalarFromUint64 returns n.
func ScalarFromUint64(n uint64) Scalar {
	var s Scalar
	s.value.SetUint64(n)
	return s
}

// RandomScalar reads 64 bytes and returns a uniform scalar.
func RandomScalar(rand io.Reader) (Scalar, error) {
	var b [64]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return Scalar{}, fmt.Errorf("group: random scalar: %w", err)
	}
	return ScalarFromUniform(b), nil
}

// RandomScalars returns n uniform scalars.
func RandomScalars(rand io.Reader, n int) ([]Scalar, error) {
	scalars := make([]Scalar, n)
	for i := range scalars {
		var err error
		if scalars[i], err = RandomScalar(rand); err != nil {
			return nil, err
		}
	}
	return scalars, nil
}

// Bytes returns the 32 canonical bytes, little-endian.
func (s Scalar) Bytes() []byte { return s.AppendTo(nil) }

// AppendTo appends the canonical encoding to b.
func (s Scalar) AppendTo(b []byte) []byte {
	var encoding [ScalarSize]byte
	s.put(&encoding)
	return append(b, encoding[:]...)
}

func (s *Scalar) put(encoding *[ScalarSize]byte) {
	if err := s.value.ToBytes(encoding[:]); err != nil {
		panic("group: internal: " + err.Error()) // the length is right by its type
	}
}

// Add returns s + t.
func (s Scalar) Add(t Scalar) Scalar {
	var r Scalar
	r.value.Add(&s.value, &t.value)
	return r
}

// Sub returns s − t.
func (s Scalar) Sub(t Scalar) Scalar {
	var r Scalar
	r.value.Sub(&s.value, &t.value)
	return r
}

// Mul returns s·t.
func (s Scalar) Mul(t Scalar) Scalar {
	var r Scalar
	r.value.Mul(&s.value, &t.value)
	return r
}

// Neg returns −s.
func (s Scalar) Neg() Scalar {
	var r Scalar
	r.value.Neg(&s.value)
	return r
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

// SelectScalar returns a if choice is 1 and b if it is 0, in constant time.
func SelectScalar(choice int, a, b Scalar) Scalar {
	var r Scalar
	r.value.ConditionalSelect(&b.value, &a.value, choice)
	return r
}

// ScalarAt returns scalars[i], and reads all of them whatever i.
func ScalarAt(scalars []Scalar, i int) Scalar {
	var found Scalar
	for j, s := range scalars {
		found = SelectScalar(subtle.ConstantTimeEq(int32(i), int32(j)), s, found)
	}
	return found
}
