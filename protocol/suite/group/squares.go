package group

import (
	"bytes"
	"crypto/sha3"
	"crypto/subtle"
	"errors"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pakli/pakli/protocol/suite/modp"
)

// squares is the arithmetic of the squares modulo a safe prime p, as classes {y, p − y}. Their order is
// q = (p − 1)/2, which is prime.
//
// Every class contains one square, since −1 is no square, so the classes are the squares under other
// names: products are taken modulo p and written as the smaller of the two numbers. Membership is then
// a matter of range, 1 ≤ y ≤ q. There is no element of order 2, and no symbol distinguishes elements.
// The group is written additively, like ristretto255.
type squares struct {
	group   *Group
	p, q    *modp.Modulus
	largest []byte       // the encoding of q
	base    func() Table // of the generator
}

// lazyGroup is a group that is made when first asked for: a program that never asks links none of its
// arithmetic.
type lazyGroup struct {
	once  sync.Once
	group *Group
}

func (l *lazyGroup) ofPrime(primes func() (p, q *modp.Modulus)) *Group {
	l.once.Do(func() { l.group = newSquares(primes()) })
	return l.group
}

var squares2048, squares3072 lazyGroup

// Squares2048 returns the squares modulo the 2048-bit prime of RFC 3526.
func Squares2048() *Group { return squares2048.ofPrime(modp.Group14) }

// Squares3072 returns the squares modulo the 3072-bit prime of RFC 3526.
func Squares3072() *Group { return squares3072.ofPrime(modp.Group15) }

func newSquares(p, q *modp.Modulus) *Group {
	size := 8 * p.Len()
	s := &squares{p: p, q: q, largest: q.Bytes()}
	s.base = sync.OnceValue(func() Table { return s.newTable(s.group.generator) })
	s.group = newGroup(size, size, size+16, s.fromNumber([]byte{1}), s.fromNumber([]byte{2}), s)
	return s.group
}

// class is an element of squares.
type class struct {
	of       *squares
	y        []uint64 // either number of the class, in Montgomery form
	encoding atomic.Pointer[[]byte]
}

func (s *squares) newClass() *class { return &class{of: s, y: make([]uint64, s.p.Len())} }

func (s *squares) ownClass(e Element) *class {
	c := e.(*class)
	if c.of != s {
		panic("group: internal: elements of two groups")
	}
	return c
}

// parseElement decodes the smaller number of a class, big-endian.
func (s *squares) parseElement(b []byte) (Element, error) {
	if bytes.Compare(b, s.largest) > 0 || bytes.Equal(b, make([]byte, len(b))) {
		return nil, errors.New("a group element is not a number from 1 to (p − 1)/2")
	}
	e, encoding := s.newClass(), bytes.Clone(b)
	modp.SetBytes(e.y, b)
	s.p.ToMontgomery(e.y, e.y)
	e.encoding.Store(&encoding)
	return e, nil
}

// fromNumber returns the class of a number, big-endian, of any length. The class of 0 modulo p, which
// is never met, is not an element, and no sum with it is one.
func (s *squares) fromNumber(b []byte) Element {
	e := s.newClass()
	s.p.Reduce(e.y, b)
	s.p.ToMontgomery(e.y, e.y)
	return e
}

// hashToElement returns the class of a number from SHAKE256.
func (s *squares) hashToElement(domain string, parts [][]byte) Element {
	h := sha3.NewSHAKE256()
	hashFrames(h, domain, parts)
	wide := make([]byte, s.group.wideSize)
	h.Read(wide)
	return s.fromNumber(wide)
}

func (e *class) Group() *Group { return e.of.group }

func (e *class) Bytes() []byte { return e.AppendTo(nil) }

func (e *class) AppendTo(b []byte) []byte { return append(b, e.encodeOnce()...) }

func (e *class) encodeOnce() []byte {
	if known := e.encoding.Load(); known != nil {
		return *known
	}
	p := e.of.p
	y, other := make([]uint64, len(e.y)), make([]uint64, len(e.y))
	p.FromMontgomery(y, e.y)
	p.Neg(other, y)
	modp.Choose(y, other, modp.Less(other, y))
	encoding := modp.AppendTo(make([]byte, 0, e.of.group.ElementSize), y)
	e.encoding.Store(&encoding)
	return encoding
}

func (e *class) Equal(f Element) bool { return e.EqualMask(f) == 1 }

func (e *class) EqualMask(f Element) int {
	return subtle.ConstantTimeCompare(e.encodeOnce(), e.of.ownClass(f).encodeOnce())
}

// IsIdentity reports whether e is the class of 1.
func (e *class) IsIdentity() bool { return e.Equal(e.of.group.identity) }

func (e *class) Add(f Element) Element {
	sum := e.of.newClass()
	e.of.p.Mul(sum.y, e.y, e.of.ownClass(f).y)
	return sum
}

// Sub takes as long as thirty calls of Add.
func (e *class) Sub(f Element) Element {
	difference := e.of.newClass()
	e.of.p.Inverse(difference.y, e.of.ownClass(f).y)
	e.of.p.Mul(difference.y, e.y, difference.y)
	return difference
}

func (e *class) mul(n Scalar) Element {
	product := e.of.newClass()
	e.of.p.Exp(product.y, e.y, n.modulo(e.of.q))
	return product
}

func (s *squares) MulBase(n Scalar) Element { return s.base().Mul(n) }

func (s *squares) MultiMul(scalars []Scalar, elements []Element) Element {
	return s.multiExp(s.exponents(scalars), elements, 64*s.p.Len())
}

func (s *squares) SmallMultiMul(numbers []uint16, bound uint16, elements []Element) Element {
	short := make([][]uint64, len(numbers))
	for i, n := range numbers {
		short[i] = []uint64{uint64(n)}
	}
	return s.multiExp(short, elements, bits.Len16(bound))
}

func (s *squares) multiExp(exponents [][]uint64, elements []Element, length int) Element {
	sum := s.newClass()
	s.p.MultiExp(sum.y, s.numbers(elements), exponents, length)
	return sum
}

func (s *squares) VartimeMultiMul(scalars []Scalar, elements []Element) Element {
	sum := s.newClass()
	s.p.VartimeMultiExp(sum.y, s.numbers(elements), s.exponents(scalars))
	return sum
}

func (s *squares) numbers(elements []Element) [][]uint64 {
	list := make([][]uint64, len(elements))
	for i, e := range elements {
		list[i] = s.ownClass(e).y
	}
	return list
}

func (s *squares) exponents(scalars []Scalar) [][]uint64 {
	list := make([][]uint64, len(scalars))
	for i := range scalars {
		list[i] = scalars[i].modulo(s.q)
	}
	return list
}

func (s *squares) elementAt(elements []Element, i int) Element {
	found := s.newClass()
	for j, e := range elements {
		modp.Choose(found.y, s.ownClass(e).y, uint64(subtle.ConstantTimeEq(int32(i), int32(j))))
	}
	return found
}

// combTable is a table for an element of squares.
type combTable struct {
	of   *squares
	comb *modp.Comb
}

func (s *squares) newTable(e Element) Table { return &combTable{s, s.p.NewComb(s.ownClass(e).y)} }

func (t *combTable) Mul(n Scalar) Element {
	product := t.of.newClass()
	t.comb.Exp(product.y, n.modulo(t.of.q))
	return product
}

func (s *squares) parseScalar(n *Scalar, b []byte) error {
	*n = s.scalarOf(b)
	if s.q.IsBelow(n.large.words) == 0 {
		return errAboveOrder
	}
	return nil
}

// scalarOf returns the scalar in little-endian bytes, at most as many as a scalar has.
func (s *squares) scalarOf(b []byte) Scalar {
	n, big := newLarge(s.q), make([]byte, 8*s.q.Len())
	copy(big, b)
	slices.Reverse(big)
	modp.SetBytes(n.large.words, big)
	return n
}

func (s *squares) ScalarFromUniform(b [64]byte) Scalar { return s.scalarOf(b[:]) }

// scalarFromWide reduces little-endian bytes modulo q. Uniform bytes give a uniform scalar up to a bias
// below 2^-128.
func (s *squares) scalarFromWide(b []byte) Scalar {
	n, big := newLarge(s.q), slices.Clone(b)
	slices.Reverse(big)
	s.q.Reduce(n.large.words, big)
	return n
}

func (s *squares) ScalarFromUint64(n uint64) Scalar { return largeFromUint64(s.q, n) }
