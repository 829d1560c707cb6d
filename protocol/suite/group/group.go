// Package group has the groups of prime order over which cards are masked and proofs are made, and
// batches of linear equations over them: ristretto255 (RFC 9496), and the squares modulo the safe
// primes of 2048 and 3072 bits of RFC 3526. Arguments are written once, over any of them.
//
// An [Element] knows its [Group], is immutable, and remembers its canonical encoding. Bytes become
// values only by [Group.ParseElement], [Group.ParseNonIdentity] and [Group.ParseScalar]. Each accepts
// only canonical encodings, so accepted bytes re-encode identically. [Group.HashToElement] makes
// elements whose discrete logarithm nobody knows. Computing with elements or scalars of two groups is a
// fault of the program and panics; values from the wire are of the group that parsed them.
//
// Operations take constant time in their scalars. The few that do not, and are for public values only,
// have Vartime in their name. Constant time means that no branch and no memory address depends on a
// secret value. The group of a value is not secret. It does not mean that secrets are wiped from
// memory, which Go cannot promise.
//
// A [Batch] collects equations Σ s·P = 0, checks them together with random weights by one multiple
// multiplication, and names those that do not hold.
//
// The curve is in curve.go. Only its engines import a curve library: nothing else in the module sees a
// point or a field element. The engine is github.com/oasisprotocol/curve25519-voi for elements and
// filippo.io/edwards25519 for scalars. With the build tag filippo it is github.com/gtank/ristretto255,
// on filippo.io/edwards25519 throughout: a second opinion for a verifier, bit for bit the same and
// slower. The squares are in squares.go, over package modp; their normative text is
// docs/spec/31-masking-qr.md.
package group

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Group is one of the groups. Groups are equal if their pointers are.
type Group struct {
	// ElementSize and ScalarSize are the lengths of encodings, in bytes.
	ElementSize, ScalarSize int

	wideSize            int // bytes that are reduced to a uniform scalar
	identity, generator Element
	one, minusOne       Scalar
	arithmetic
}

// arithmetic is what each group implements in its own way.
type arithmetic interface {
	// ScalarFromUint64 returns n.
	ScalarFromUint64(n uint64) Scalar
	// ScalarFromUniform returns the integer in 64 little-endian bytes modulo the group's order. For
	// ristretto255, uniform bytes give a uniform scalar up to a bias below 2^-256. The orders of the
	// other groups exceed all these integers.
	ScalarFromUniform(b [64]byte) Scalar
	// MulBase returns s·G.
	MulBase(s Scalar) Element
	// MultiMul returns Σ scalars[i]·elements[i]. Requires: equal lengths.
	MultiMul(scalars []Scalar, elements []Element) Element
	// VartimeMultiMul is MultiMul for public scalars only.
	VartimeMultiMul(scalars []Scalar, elements []Element) Element
	// SmallMultiMul returns Σ numbers[i]·elements[i] for secret numbers of at most bound. Requires:
	// equal lengths.
	SmallMultiMul(numbers []uint16, bound uint16, elements []Element) Element

	scalarFromWide(b []byte) Scalar
	parseScalar(s *Scalar, b []byte) error
	parseElement(b []byte) (Element, error)
	hashToElement(domain string, parts [][]byte) Element
	elementAt(elements []Element, i int) Element
	newTable(e Element) Table
}

func newGroup(elementSize, scalarSize, wideSize int, identity, generator Element, a arithmetic) *Group {
	one := a.ScalarFromUint64(1)
	return &Group{elementSize, scalarSize, wideSize, identity, generator, one, one.Neg(), a}
}

// Element is an element of a group. It is immutable and may be used by many goroutines. Only this
// package's functions make elements.
type Element interface {
	Group() *Group
	// Bytes returns the canonical encoding.
	Bytes() []byte
	// AppendTo appends the canonical encoding to b.
	AppendTo(b []byte) []byte
	// Equal reports whether the elements are equal, in constant time.
	Equal(f Element) bool
	// EqualMask returns 1 if the elements are equal and 0 if not, in constant time.
	EqualMask(f Element) int
	// IsIdentity reports whether the element is the identity, in constant time.
	IsIdentity() bool
	// Add returns the sum.
	Add(f Element) Element
	// Sub returns the difference.
	Sub(f Element) Element

	encodeOnce() []byte // must not be changed
	mul(s Scalar) Element
}

// Table holds multiples of one element.
type Table interface {
	// Mul returns s times that element in constant time.
	Mul(s Scalar) Element
}

// Identity returns the identity element.
func (g *Group) Identity() Element { return g.identity }

// Generator returns the group's generator G.
func (g *Group) Generator() Element { return g.generator }

// One returns the scalar 1.
func (g *Group) One() Scalar { return g.one }

// HashToElement maps data to an element whose discrete logarithm to any other element nobody knows. The
// domain and each part are hashed, each preceded by its length as a big-endian u64, so different
// (domain, parts) have different inputs to the hash.
func (g *Group) HashToElement(domain string, parts ...[]byte) Element {
	return g.hashToElement(domain, parts)
}

// ParseElement decodes b. It refuses everything but the canonical encoding of an element. The identity
// is an element.
func (g *Group) ParseElement(b []byte) (Element, error) {
	if len(b) != g.ElementSize {
		return nil, fmt.Errorf("a group element of %d bytes, must have %d", len(b), g.ElementSize)
	}
	return g.parseElement(b)
}

// ParseNonIdentity is ParseElement, but refuses the identity.
func (g *Group) ParseNonIdentity(b []byte) (Element, error) {
	e, err := g.ParseElement(b)
	if err != nil {
		return nil, err
	}
	if e.IsIdentity() {
		return nil, errors.New("a group element is the identity")
	}
	return e, nil
}

// ParseScalar decodes ScalarSize little-endian bytes of an integer below the group's order.
func (g *Group) ParseScalar(b []byte) (Scalar, error) {
	if len(b) != g.ScalarSize {
		return Scalar{}, fmt.Errorf("a scalar of %d bytes, must have %d", len(b), g.ScalarSize)
	}
	var s Scalar
	if err := g.parseScalar(&s, b); err != nil {
		return Scalar{}, err
	}
	return s, nil
}

// RandomScalar reads enough bytes for a uniform scalar, and returns the scalar.
func (g *Group) RandomScalar(rand io.Reader) (Scalar, error) {
	b := make([]byte, g.wideSize)
	if _, err := io.ReadFull(rand, b); err != nil {
		return Scalar{}, fmt.Errorf("random scalar: %w", err)
	}
	return g.scalarFromWide(b), nil
}

// RandomScalars returns n uniform scalars.
func (g *Group) RandomScalars(rand io.Reader, n int) ([]Scalar, error) {
	scalars := make([]Scalar, n)
	for i := range scalars {
		var err error
		if scalars[i], err = g.RandomScalar(rand); err != nil {
			return nil, err
		}
	}
	return scalars, nil
}

// Mul returns s·e.
func Mul(s Scalar, e Element) Element { return e.mul(s) }

// ElementAt returns elements[i], and reads all of them whatever i is.
func ElementAt(elements []Element, i int) Element { return elements[0].Group().elementAt(elements, i) }

// NewTable returns the table of e. Making it costs about two multiplications and takes at least 30 KB;
// each Mul then costs a quarter to a third of a multiplication.
func NewTable(e Element) Table { return e.Group().newTable(e) }

// Encode returns the canonical encodings of elements, one after another.
func Encode(elements ...Element) []byte {
	var b []byte
	for i, e := range elements {
		if i == 0 {
			b = make([]byte, 0, e.Group().ElementSize*len(elements))
		}
		b = e.AppendTo(b)
	}
	return b
}

// OncePerGroup returns a function that computes f once for each group, at the first call.
func OncePerGroup[T any](f func(*Group) T) func(*Group) T {
	var known sync.Map // functions, by group
	return func(g *Group) T {
		once, ok := known.Load(g)
		if !ok {
			once, _ = known.LoadOrStore(g, sync.OnceValue(func() T { return f(g) }))
		}
		return once.(func() T)()
	}
}

// hashFrames writes the domain and the parts, each preceded by its length.
func hashFrames(h io.Writer, domain string, parts [][]byte) {
	frame := func(data []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(data))))
		h.Write(data)
	}
	frame([]byte(domain))
	for _, part := range parts {
		frame(part)
	}
}
