package group

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/pakli/pakli/protocol/suite/modp"
)

// Element is an element of the group. It is immutable and may be used by many
// goroutines. It is made by this package's functions only; its zero value is
// no element.
type Element struct {
	y        [words]uint64                     // either of the class, in Montgomery form
	encoding atomic.Pointer[[ElementSize]byte] // nil until known
}

// ParseElement decodes the smaller number of a class, big-endian. The identity is an
// element.
func ParseElement(b []byte) (*Element, error) {
	if len(b) != ElementSize {
		return nil, fmt.Errorf("a group element of %d bytes, must have %d", len(b), ElementSize)
	}
	if bytes.Compare(b, largest) > 0 || bytes.Equal(b, make([]byte, ElementSize)) {
		return nil, errors.New("a group element is not a number from 1 to (p − 1)/2")
	}
	e := new(Element)
	modp.SetBytes(e.y[:], b)
	p.ToMontgomery(e.y[:], e.y[:])
	e.encoding.Store((*[ElementSize]byte)(bytes.Clone(b)))
	return e, nil
}

// largest is the encoding (p − 1)/2.
var largest = q.Bytes()

// fromNumber is the class of a number, big-endian, of any length. That of 0 modulo p, which is
// never met, is no element, and none that adds up to one.
func fromNumber(b []byte) *Element {
	e := new(Element)
	p.Reduce(e.y[:], b)
	p.ToMontgomery(e.y[:], e.y[:])
	return e
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

// Bytes returns the canonical encoding.
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
	var y, other [words]uint64
	p.FromMontgomery(y[:], e.y[:])
	p.Neg(other[:], y[:])
	modp.Choose(y[:], other[:], modp.Less(other[:], y[:]))
	encoding := [ElementSize]byte(modp.AppendTo(make([]byte, 0, ElementSize), y[:]))
	e.encoding.Store(&encoding)
	return &encoding
}

// Equal reports whether e = f, in constant time.
func (e *Element) Equal(f *Element) bool { return e.EqualMask(f) == 1 }

// EqualMask is 1 if e = f and 0 if not, in constant time.
func (e *Element) EqualMask(f *Element) int {
	return subtle.ConstantTimeCompare(e.encodeOnce()[:], f.encodeOnce()[:])
}

// IsIdentity reports whether e is the identity, the class of 1, in constant time.
func (e *Element) IsIdentity() bool { return e.Equal(identity) }

// Add returns e + f.
func (e *Element) Add(f *Element) *Element {
	sum := new(Element)
	p.Mul(sum.y[:], e.y[:], f.y[:])
	return sum
}

// Sub returns e − f. It takes as long as thirty additions.
func (e *Element) Sub(f *Element) *Element {
	difference := new(Element)
	p.Inverse(difference.y[:], f.y[:])
	p.Mul(difference.y[:], e.y[:], difference.y[:])
	return difference
}

// Identity returns the identity element.
func Identity() *Element { return identity }

// Generator returns the group's generator, the class of 2.
func Generator() *Element { return generator }

var identity, generator = fromNumber([]byte{1}), fromNumber([]byte{2})

// Encode returns the canonical encodings of elements, one after another.
func Encode(elements ...*Element) []byte {
	b := make([]byte, 0, ElementSize*len(elements))
	for _, e := range elements {
		b = e.AppendTo(b)
	}
	return b
}
