// Package group is the prime-order group ristretto255 (RFC 9496) and batches
// of linear equations over it. Its engines are the only packages that import a
// curve library: nothing else in the module sees a point or a field element.
//
// An [Element] is immutable and remembers its canonical encoding. The ways in
// from bytes are [ParseElement], [ParseNonIdentity] and [ParseScalar]; each
// accepts canonical encodings only, so what is accepted re-encodes to the same
// bytes. Elements nobody knows the discrete logarithm of come from
// [HashToElement].
//
// Operations take constant time in their scalars. The few that do not, and are
// for public values only, have Vartime in their name. Constant time means: no
// branch and no memory address depends on a secret value. It does not mean
// that secrets are wiped from memory, which Go cannot promise.
//
// A [Batch] collects equations Σ s·P = 0, checks them together with random
// weights by one multiple multiplication, and names the first one that does
// not hold.
//
// The engine is github.com/oasisprotocol/curve25519-voi for elements and
// filippo.io/edwards25519 for scalars. With the build tag filippo it is
// github.com/gtank/ristretto255, on filippo.io/edwards25519 throughout: a
// second opinion for a verifier, bit for bit the same and slower.
package group

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"sync/atomic"
)

// ElementSize is the length of an element's encoding, in bytes.
const ElementSize = 32

var errElement = errors.New("not a canonical ristretto255 encoding")

// Element is an element of the group. It is immutable and may be used by many
// goroutines. It is made by this package's functions only; its zero value is
// no element.
type Element struct {
	point    point
	encoding atomic.Pointer[[ElementSize]byte] // nil until known
}

// ParseElement decodes b as RFC 9496, Section 4.3.1. It refuses what is not
// the one canonical encoding of an element. The identity is an element.
func ParseElement(b []byte) (*Element, error) {
	if len(b) != ElementSize {
		return nil, fmt.Errorf("a group element of %d bytes, must have %d", len(b), ElementSize)
	}
	parsed := &struct { // one allocation
		Element
		encoding [ElementSize]byte
	}{encoding: [ElementSize]byte(b)}
	e := &parsed.Element
	if !e.point.Decode(&parsed.encoding) {
		return nil, fmt.Errorf("group element %x: %w", b, errElement)
	}
	e.encoding.Store(&parsed.encoding)
	return e, nil
}

// ParseNonIdentity is ParseElement, and refuses the identity.
func ParseNonIdentity(b []byte) (*Element, error) {
	e, err := ParseElement(b)
	if err != nil {
		return nil, err
	}
	if e.IsIdentity() {
		return nil, errors.New("a group element is the identity")
	}
	return e, nil
}

// Bytes returns the canonical encoding (RFC 9496, Section 4.3.2).
func (e *Element) Bytes() []byte {
	encoding := *e.encodeOnce()
	return encoding[:]
}

// AppendTo appends the canonical encoding to b.
func (e *Element) AppendTo(b []byte) []byte { return append(b, e.encodeOnce()[:]...) }

// encodeOnce computes the encoding once. Two goroutines that are first at the
// same time store equal values.
func (e *Element) encodeOnce() *[ElementSize]byte {
	if known := e.encoding.Load(); known != nil {
		return known
	}
	encoding := e.point.Encode()
	e.encoding.Store(&encoding)
	return &encoding
}

// Equal reports whether e = f, in constant time.
func (e *Element) Equal(f *Element) bool { return e.point.Equal(&f.point) == 1 }

// EqualMask is 1 if e = f and 0 if not, in constant time.
func (e *Element) EqualMask(f *Element) int {
	return subtle.ConstantTimeCompare(e.encodeOnce()[:], f.encodeOnce()[:])
}

// IsIdentity reports whether e is the identity, whose encoding is all zero, in
// constant time.
func (e *Element) IsIdentity() bool {
	if known := e.encoding.Load(); known != nil {
		return subtle.ConstantTimeCompare(known[:], make([]byte, ElementSize)) == 1
	}
	return e.Equal(identity)
}

// Add returns e + f.
func (e *Element) Add(f *Element) *Element {
	sum := new(Element)
	sum.point.Add(&e.point, &f.point)
	return sum
}

// Sub returns e − f.
func (e *Element) Sub(f *Element) *Element {
	difference := new(Element)
	difference.point.Subtract(&e.point, &f.point)
	return difference
}

// Identity returns the identity element.
func Identity() *Element { return identity }

// Generator returns the group's generator G (RFC 9496, Section 4.3).
func Generator() *Element { return generator }

var identity, generator = newElement((*point).SetIdentity), newElement((*point).SetGenerator)

func newElement(set func(*point)) *Element {
	e := new(Element)
	set(&e.point)
	return e
}

// Encode returns the canonical encodings of elements, one after another.
func Encode(elements ...*Element) []byte {
	b := make([]byte, 0, ElementSize*len(elements))
	for _, e := range elements {
		b = e.AppendTo(b)
	}
	return b
}
