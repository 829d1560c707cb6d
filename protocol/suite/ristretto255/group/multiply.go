package group

import "filippo.io/edwards25519"

// Mul returns s·p.
func Mul(s Scalar, p *Element) *Element {
	product := new(Element)
	product.point.Multiply(&s.value, &p.point)
	return product
}

// MulBase returns s·G.
func MulBase(s Scalar) *Element {
	product := new(Element)
	product.point.MultiplyBase(&s.value)
	return product
}

// MultiMul returns Σ scalars[i]·elements[i]. Requires: equal lengths.
func MultiMul(scalars []Scalar, elements []*Element) *Element {
	sum := new(Element)
	sum.point.MultiMultiply(scalarValues(scalars), elementPoints(elements))
	return sum
}

// VartimeMultiMul is MultiMul for public scalars only.
func VartimeMultiMul(scalars []Scalar, elements []*Element) *Element {
	sum := new(Element)
	sum.point.VartimeMultiMultiply(scalarValues(scalars), elementPoints(elements))
	return sum
}

// SmallMultiMul returns Σ numbers[i]·elements[i] for secret numbers that are
// at most bound. Requires: equal lengths.
func SmallMultiMul(numbers []uint16, bound uint16, elements []*Element) *Element {
	sum := new(Element)
	sum.point.SmallMultiMultiply(numbers, bound, elementPoints(elements))
	return sum
}

// ElementAt returns elements[i], and reads all of them whatever i.
func ElementAt(elements []*Element, i int) *Element {
	found := new(Element)
	found.point.Choose(elementPoints(elements), func(j int) *[ElementSize]byte { return elements[j].encodeOnce() }, i)
	return found
}

// Table holds multiples of one element. It costs about two multiplications and
// 30 KB to make, and each Mul after that about a quarter of a multiplication.
type Table struct{ table *engineTable }

// NewTable returns the table of p.
func NewTable(p *Element) *Table { return &Table{newEngineTable(&p.point)} }

// Mul returns s·p in constant time.
func (t *Table) Mul(s Scalar) *Element {
	product := new(Element)
	t.table.Multiply(&product.point, &s.value)
	return product
}

func scalarValues(scalars []Scalar) []*edwards25519.Scalar {
	pointers := make([]*edwards25519.Scalar, len(scalars))
	for i := range scalars {
		pointers[i] = &scalars[i].value
	}
	return pointers
}

func elementPoints(elements []*Element) []*point {
	pointers := make([]*point, len(elements))
	for i, e := range elements {
		pointers[i] = &e.point
	}
	return pointers
}
