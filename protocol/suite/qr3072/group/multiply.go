package group

import (
	"crypto/subtle"
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

// VartimeMultiMul returns Σ scalars[i]·elements[i], for public scalars only. Requires:
// equal lengths.
func VartimeMultiMul(scalars []Scalar, elements []*Element) *Element {
	sum := new(Element)
	numbers, exponents := make([][]uint64, len(elements)), make([][]uint64, len(scalars))
	for i := range scalars {
		numbers[i], exponents[i] = elements[i].y[:], scalars[i].value[:]
	}
	p.VartimeMultiExp(sum.y[:], numbers, exponents)
	return sum
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
