package group

import (
	"crypto/subtle"
	"math/bits"
	"sync"

	"github.com/pakli/pakli/protocol/suite/modp"
)

// Mul returns s·p.
func Mul(s Scalar, e *Element) *Element {
	product := new(Element)
	p.Exp(product.y[:], e.y[:], s.value[:])
	return product
}

// MulBase returns s·G.
func MulBase(s Scalar) *Element { return base().Mul(s) }

var base = sync.OnceValue(func() *Table { return NewTable(generator) })

// MultiMul returns Σ scalars[i]·elements[i]. Requires: equal lengths.
func MultiMul(scalars []Scalar, elements []*Element) *Element {
	return multiMul(scalarExponents(scalars), elements, 64*words)
}

// SmallMultiMul returns Σ numbers[i]·elements[i] for secret numbers that are
// at most bound. Requires: equal lengths.
func SmallMultiMul(numbers []uint16, bound uint16, elements []*Element) *Element {
	short := make([][]uint64, len(numbers))
	for i, n := range numbers {
		short[i] = []uint64{uint64(n)}
	}
	return multiMul(short, elements, bits.Len16(bound))
}

func multiMul(exponents [][]uint64, elements []*Element, length int) *Element {
	sum := new(Element)
	p.MultiExp(sum.y[:], elementNumbers(elements), exponents, length)
	return sum
}

// VartimeMultiMul returns Σ scalars[i]·elements[i], for public scalars only. Requires:
// equal lengths.
func VartimeMultiMul(scalars []Scalar, elements []*Element) *Element {
	sum := new(Element)
	p.VartimeMultiExp(sum.y[:], elementNumbers(elements), scalarExponents(scalars))
	return sum
}

func elementNumbers(elements []*Element) [][]uint64 {
	list := make([][]uint64, len(elements))
	for i, e := range elements {
		list[i] = e.y[:]
	}
	return list
}

func scalarExponents(scalars []Scalar) [][]uint64 {
	list := make([][]uint64, len(scalars))
	for i := range scalars {
		list[i] = scalars[i].value[:]
	}
	return list
}

// ElementAt returns elements[i], and reads all of them whatever i.
func ElementAt(elements []*Element, i int) *Element {
	found := new(Element)
	for j, e := range elements {
		modp.Choose(found.y[:], e.y[:], uint64(subtle.ConstantTimeEq(int32(i), int32(j))))
	}
	return found
}

// Table holds sums of multiples of one element. It costs about a multiplication to make, and
// each Mul after that about a third of one.
type Table struct{ comb *modp.Comb }

// NewTable returns the table of e.
func NewTable(e *Element) *Table { return &Table{p.NewComb(e.y[:])} }

// Mul returns s·e in constant time.
func (t *Table) Mul(s Scalar) *Element {
	product := new(Element)
	t.comb.Exp(product.y[:], s.value[:])
	return product
}
