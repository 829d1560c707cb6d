// Package voi is the engine of package group on github.com/oasisprotocol/curve25519-voi, the one that
// is linked unless the build tag filippo is set. Scalars are those of filippo.io/edwards25519.
//
// Operations take constant time in scalars and choices; those with Vartime in
// their name are for public values only.
package voi

import (
	"crypto/subtle"
	"math/bits"

	"filippo.io/edwards25519"
	"github.com/oasisprotocol/curve25519-voi/curve"
	"github.com/oasisprotocol/curve25519-voi/curve/scalar"
)

// Point is an element of ristretto255. A receiver is set, and may also be an argument. The zero value
// is not an element.
type Point struct{ p curve.RistrettoPoint }

// SetIdentity sets p = 0.
func (p *Point) SetIdentity() { p.p.Identity() }

// SetGenerator sets p = G.
func (p *Point) SetGenerator() { p.p.Set(curve.RISTRETTO_BASEPOINT_POINT) }

// Decode sets p to the element of a canonical encoding, and reports whether the encoding is one.
func (p *Point) Decode(encoding *[32]byte) bool {
	_, err := p.p.SetCompressed((*curve.CompressedRistretto)(encoding))
	return err == nil
}

// Encode returns the canonical encoding.
func (p *Point) Encode() [32]byte {
	var c curve.CompressedRistretto
	c.SetRistrettoPoint(&p.p)
	return c
}

// SetUniform sets p to the element derived from uniform bytes.
func (p *Point) SetUniform(b *[64]byte) { mustSucceed(p.p.SetUniformBytes(b[:])) }

// Equal returns 1 if p = q and 0 if not.
func (p *Point) Equal(q *Point) int { return p.p.Equal(&q.p) }

// Add sets p = a + b.
func (p *Point) Add(a, b *Point) { p.p.Add(&a.p, &b.p) }

// Subtract sets p = a − b.
func (p *Point) Subtract(a, b *Point) { p.p.Sub(&a.p, &b.p) }

// Choose sets p = list[i], and reads all of list whatever i is. It does not need the encodings.
func (p *Point) Choose(list []*Point, _ func(int) *[32]byte, i int) {
	p.SetIdentity()
	for j, q := range list {
		p.p.ConditionalSelect(&p.p, &q.p, subtle.ConstantTimeEq(int32(i), int32(j)))
	}
}

// Multiply sets p = s·q.
func (p *Point) Multiply(s *edwards25519.Scalar, q *Point) {
	var e scalar.Scalar
	p.p.Mul(&q.p, setScalar(&e, s))
}

// MultiplyBase sets p = s·G.
func (p *Point) MultiplyBase(s *edwards25519.Scalar) {
	var e scalar.Scalar
	p.p.MulBasepoint(curve.RISTRETTO_BASEPOINT_TABLE, setScalar(&e, s))
}

// MultiMultiply sets p = Σ s_i·q_i.
func (p *Point) MultiMultiply(s []*edwards25519.Scalar, q []*Point) {
	p.p.MultiscalarMul(convertScalars(s), pointPointers(q))
}

// VartimeMultiMultiply is MultiMultiply for public values.
func (p *Point) VartimeMultiMultiply(s []*edwards25519.Scalar, q []*Point) {
	p.p.MultiscalarMulVartime(convertScalars(s), pointPointers(q))
}

// SmallMultiMultiply sets p = Σ numbers[i]·q_i for numbers of at most bound.
//
// With few bits it is much faster than MultiMultiply. It uses Horner's rule over the bits, Σ_k 2^k·Σ_i
// bit_k(numbers[i])·q_i, does every addition, and keeps it or not by a constant-time selection.
func (p *Point) SmallMultiMultiply(numbers []uint16, bound uint16, q []*Point) {
	var sum, added curve.RistrettoPoint
	sum.Identity()
	for k := bits.Len16(bound) - 1; k >= 0; k-- {
		sum.Add(&sum, &sum)
		for i := range q {
			added.Add(&sum, &q[i].p)
			sum.ConditionalSelect(&sum, &added, int(numbers[i]>>k&1))
		}
	}
	p.p.Set(&sum)
}

// Table holds multiples of one point, about 30 KB.
type Table struct {
	table *curve.RistrettoBasepointTable
}

// NewTable returns the table of q.
func NewTable(q *Point) *Table { return &Table{curve.NewRistrettoBasepointTable(&q.p)} }

// Multiply sets p = s·q for the table's q.
func (t *Table) Multiply(p *Point, s *edwards25519.Scalar) {
	var e scalar.Scalar
	p.p.MulBasepoint(t.table, setScalar(&e, s))
}

func setScalar(e *scalar.Scalar, s *edwards25519.Scalar) *scalar.Scalar {
	mustSucceed(e.SetBits(s.Bytes()))
	return e
}

func convertScalars(list []*edwards25519.Scalar) []*scalar.Scalar {
	values, pointers := make([]scalar.Scalar, len(list)), make([]*scalar.Scalar, len(list))
	for i, s := range list {
		pointers[i] = setScalar(&values[i], s)
	}
	return pointers
}

func pointPointers(list []*Point) []*curve.RistrettoPoint {
	pointers := make([]*curve.RistrettoPoint, len(list))
	for i, q := range list {
		pointers[i] = &q.p
	}
	return pointers
}

// mustSucceed is for calls that fail only on wrong lengths, which the types exclude.
func mustSucceed(_ any, err error) {
	if err != nil {
		panic("group: internal: " + err.Error())
	}
}
