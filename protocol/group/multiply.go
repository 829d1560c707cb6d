package group

import (
	"crypto/subtle"
	"math/bits"

	"github.com/oasisprotocol/curve25519-voi/curve"
	"github.com/oasisprotocol/curve25519-voi/curve/scalar"
)

// Mul returns s·p.
func Mul(s Scalar, p *Element) *Element {
	product := new(Element)
	product.point.Mul(&p.point, s.engine())
	return product
}

// MulBase returns s·G.
func MulBase(s Scalar) *Element {
	product := new(Element)
	product.point.MulBasepoint(curve.RISTRETTO_BASEPOINT_TABLE, s.engine())
	return product
}

// MultiMul returns Σ scalars[i]·elements[i]. Requires: equal lengths.
func MultiMul(scalars []Scalar, elements []*Element) *Element {
	sum := new(Element)
	sum.point.MultiscalarMul(engineScalars(scalars), enginePoints(elements))
	return sum
}

// VartimeMultiMul is MultiMul for public scalars only.
func VartimeMultiMul(scalars []Scalar, elements []*Element) *Element {
	sum := new(Element)
	sum.point.MultiscalarMulVartime(engineScalars(scalars), enginePoints(elements))
	return sum
}

// SmallMultiMul returns Σ numbers[i]·elements[i] for secret numbers that are
// at most bound. Requires: equal lengths.
//
// With few bits it beats MultiMul by far: Horner's rule over the bits,
// Σ_k 2^k·Σ_i bit_k(numbers[i])·elements[i], every addition being done and
// then kept or not by a constant-time selection.
func SmallMultiMul(numbers []uint16, bound uint16, elements []*Element) *Element {
	sum := Identity()
	var added curve.RistrettoPoint
	for k := bits.Len16(bound) - 1; k >= 0; k-- {
		sum.point.Add(&sum.point, &sum.point)
		for i, e := range elements {
			added.Add(&sum.point, &e.point)
			sum.point.ConditionalSelect(&sum.point, &added, int(numbers[i]>>k&1))
		}
	}
	return sum
}

// ElementAt returns elements[i], and reads all of them whatever i.
func ElementAt(elements []*Element, i int) *Element {
	found := Identity()
	for j, e := range elements {
		found.point.ConditionalSelect(&found.point, &e.point, subtle.ConstantTimeEq(int32(i), int32(j)))
	}
	return found
}

// Table holds multiples of one element. It costs about two multiplications and
// 30 KB to make, and each Mul after that about a quarter of a multiplication.
type Table struct {
	table *curve.RistrettoBasepointTable
}

// NewTable returns the table of p.
func NewTable(p *Element) *Table {
	return &Table{curve.NewRistrettoBasepointTable(&p.point)}
}

// Mul returns s·p in constant time.
func (t *Table) Mul(s Scalar) *Element {
	product := new(Element)
	product.point.MulBasepoint(t.table, s.engine())
	return product
}

// engine returns s as the curve library has it.
func (s Scalar) engine() *scalar.Scalar {
	e := new(scalar.Scalar)
	s.to(e)
	return e
}

func (s *Scalar) to(e *scalar.Scalar) {
	if _, err := e.SetBits(s.value.Bytes()); err != nil {
		panic("group: internal: " + err.Error()) // the length is right
	}
}

func engineScalars(scalars []Scalar) []*scalar.Scalar {
	values := make([]scalar.Scalar, len(scalars))
	pointers := make([]*scalar.Scalar, len(scalars))
	for i := range scalars {
		scalars[i].to(&values[i])
		pointers[i] = &values[i]
	}
	return pointers
}

func enginePoints(elements []*Element) []*curve.RistrettoPoint {
	pointers := make([]*curve.RistrettoPoint, len(elements))
	for i, e := range elements {
		pointers[i] = &e.point
	}
	return pointers
}
