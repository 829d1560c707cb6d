package group

import (
	"errors"
	"slices"

	"filippo.io/edwards25519"
	"github.com/pakli/pakli/protocol/suite/modp"
)

var errAboveOrder = errors.New("a scalar is not below the group order")

// Scalar is an integer modulo the order of a group. It is a value. The zero Scalar is the 0 of every
// group; in a computation it belongs to the group of the other operands. Compare secret scalars with
// Equal and not with ==, which for the larger groups compares only pointers.
type Scalar struct {
	small edwards25519.Scalar // of ristretto255
	large *largeScalar        // of another group; nil also for the 0 of that group
}

// largeScalar is an integer modulo the order of a group of squares.
type largeScalar struct {
	q     *modp.Modulus
	words []uint64
}

func newLarge(q *modp.Modulus) Scalar {
	return Scalar{large: &largeScalar{q, make([]uint64, q.Len())}}
}

func largeFromUint64(q *modp.Modulus, n uint64) Scalar {
	s := newLarge(q)
	s.large.words[0] = n
	return s
}

// commonOrder returns the order of the group of two scalars, or nil if both are of ristretto255.
func commonOrder(s, t *Scalar) *modp.Modulus {
	switch {
	case s.large != nil:
		return s.large.q
	case t.large != nil:
		return t.large.q
	}
	return nil
}

func (s *Scalar) modulo(q *modp.Modulus) []uint64 {
	switch {
	case s.large != nil && s.large.q == q:
		return s.large.words
	case s.large == nil && s.small.Equal(edwards25519.NewScalar()) == 1:
		return make([]uint64, q.Len())
	}
	panic(errTwoGroups)
}

const errTwoGroups = "group: internal: a scalar of another group"

// onCurve returns a scalar of ristretto255 for its engine.
func (s *Scalar) onCurve() *edwards25519.Scalar {
	if s.large != nil {
		panic(errTwoGroups)
	}
	return &s.small
}

// Bytes returns the canonical bytes, little-endian.
func (s Scalar) Bytes() []byte { return s.AppendTo(nil) }

// AppendTo appends the canonical encoding to b. Requires: s is of ristretto255, or is not the zero
// value.
func (s Scalar) AppendTo(b []byte) []byte { return s.appendTo(b) }

func (s *Scalar) appendTo(b []byte) []byte {
	if s.large == nil {
		return append(b, s.small.Bytes()...)
	}
	from := len(b)
	b = modp.AppendTo(slices.Grow(b, 8*len(s.large.words)), s.large.words)
	slices.Reverse(b[from:])
	return b
}

// Add returns s + t.
func (s Scalar) Add(t Scalar) Scalar {
	if q := commonOrder(&s, &t); q != nil {
		sum := newLarge(q)
		q.Add(sum.large.words, s.modulo(q), t.modulo(q))
		return sum
	}
	s.small.Add(&s.small, &t.small)
	return s
}

// Sub returns s − t.
func (s Scalar) Sub(t Scalar) Scalar {
	if commonOrder(&s, &t) != nil {
		return s.Add(t.Neg())
	}
	s.small.Subtract(&s.small, &t.small)
	return s
}

// Mul returns s·t.
func (s Scalar) Mul(t Scalar) Scalar {
	if q := commonOrder(&s, &t); q != nil {
		product := newLarge(q)
		q.ToMontgomery(product.large.words, s.modulo(q))
		q.Mul(product.large.words, product.large.words, t.modulo(q))
		return product
	}
	s.small.Multiply(&s.small, &t.small)
	return s
}

// addProduct adds t·u to s.
func (s *Scalar) addProduct(t, u *Scalar) {
	if s.large == nil && t.large == nil && u.large == nil {
		s.small.MultiplyAdd(&t.small, &u.small, &s.small)
		return
	}
	*s = s.Add(t.Mul(*u))
}

// Neg returns −s.
func (s Scalar) Neg() Scalar {
	if s.large != nil {
		negative := newLarge(s.large.q)
		s.large.q.Neg(negative.large.words, s.large.words)
		return negative
	}
	s.small.Negate(&s.small)
	return s
}

// Invert returns 1/s. Requires: s ≠ 0.
func (s Scalar) Invert() Scalar {
	if s.large != nil {
		q, inverse := s.large.q, newLarge(s.large.q)
		words := inverse.large.words
		q.ToMontgomery(words, s.large.words)
		q.Inverse(words, words)
		q.FromMontgomery(words, words)
		return inverse
	}
	var inverse Scalar
	inverse.small.Invert(&s.small)
	return inverse
}

// Equal reports whether s = t, in constant time.
func (s Scalar) Equal(t Scalar) bool {
	if q := commonOrder(&s, &t); q != nil {
		var other uint64
		u := t.modulo(q)
		for i, w := range s.modulo(q) {
			other |= w ^ u[i]
		}
		return other == 0
	}
	return s.small.Equal(&t.small) == 1
}

// IsZero reports whether s = 0, in constant time.
func (s Scalar) IsZero() bool { return s.Equal(Scalar{}) }

// InnerProduct returns Σ u_i·v_i. Requires: equal lengths.
func InnerProduct(u, v []Scalar) Scalar {
	var sum Scalar
	for i := range u {
		sum = sum.Add(u[i].Mul(v[i]))
	}
	return sum
}

// Powers returns a, a·x, …, a·x^(n−1).
func Powers(a, x Scalar, n int) []Scalar {
	powers := make([]Scalar, n)
	for i := range powers {
		powers[i], a = a, a.Mul(x)
	}
	return powers
}
