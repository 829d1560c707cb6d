package group

import (
	"crypto/sha512"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"filippo.io/edwards25519"
)

// curve is the arithmetic of ristretto255.
type curve struct{}

// curveSize is the length of an encoding of an element or a scalar, in bytes.
const curveSize = 32

var ristretto255 = newGroup(curveSize, curveSize, 64, newCurveElement((*point).SetIdentity), newCurveElement((*point).SetGenerator), curve{})

// Ristretto255 returns the group of RFC 9496. Its order is
// ℓ = 2^252 + 27742317777372353535851937790883648493.
func Ristretto255() *Group { return ristretto255 }

// curveElement is an element of ristretto255.
type curveElement struct {
	point    point
	encoding atomic.Pointer[[curveSize]byte] // nil until known
}

func newCurveElement(set func(*point)) *curveElement {
	e := new(curveElement)
	set(&e.point)
	return e
}

var errElement = errors.New("not a canonical ristretto255 encoding")

// parseElement decodes b as RFC 9496, Section 4.3.1.
func (curve) parseElement(b []byte) (Element, error) {
	parsed := &struct { // one allocation
		curveElement
		encoding [curveSize]byte
	}{encoding: [curveSize]byte(b)}
	e := &parsed.curveElement
	if !e.point.Decode(&parsed.encoding) {
		return nil, fmt.Errorf("group element %x: %w", b, errElement)
	}
	e.encoding.Store(&parsed.encoding)
	return e, nil
}

// hashToElement is the element derivation of RFC 9496, Section 4.3.4, applied to SHA-512.
func (curve) hashToElement(domain string, parts [][]byte) Element {
	h := sha512.New()
	hashFrames(h, domain, parts)
	return elementFromUniform([64]byte(h.Sum(nil)))
}

// elementFromUniform is the element derivation of RFC 9496, Section 4.3.4.
func elementFromUniform(b [64]byte) Element {
	return newCurveElement(func(p *point) { p.SetUniform(&b) })
}

func (*curveElement) Group() *Group { return ristretto255 }

func (e *curveElement) Bytes() []byte { return e.AppendTo(make([]byte, 0, curveSize)) }

func (e *curveElement) AppendTo(b []byte) []byte { return append(b, e.encodeArray()[:]...) }

func (e *curveElement) encodeOnce() []byte { return e.encodeArray()[:] }

func (e *curveElement) encodeArray() *[curveSize]byte {
	if known := e.encoding.Load(); known != nil {
		return known
	}
	return e.computeEncoding()
}

// computeEncoding computes the encoding (RFC 9496, Section 4.3.2) and keeps it. Goroutines that do so
// at the same time store equal values.
func (e *curveElement) computeEncoding() *[curveSize]byte {
	encoding := e.point.Encode()
	e.encoding.Store(&encoding)
	return &encoding
}

func (e *curveElement) Equal(f Element) bool { return e.point.Equal(&f.(*curveElement).point) == 1 }

func (e *curveElement) EqualMask(f Element) int {
	return subtle.ConstantTimeCompare(e.encodeOnce(), f.(*curveElement).encodeOnce())
}

// IsIdentity uses that the encoding of the identity is all zero.
func (e *curveElement) IsIdentity() bool {
	if known := e.encoding.Load(); known != nil {
		return subtle.ConstantTimeCompare(known[:], make([]byte, curveSize)) == 1
	}
	return e.Equal(ristretto255.identity)
}

func (e *curveElement) Add(f Element) Element {
	sum := new(curveElement)
	sum.point.Add(&e.point, &f.(*curveElement).point)
	return sum
}

func (e *curveElement) Sub(f Element) Element {
	difference := new(curveElement)
	difference.point.Subtract(&e.point, &f.(*curveElement).point)
	return difference
}

func (e *curveElement) mul(s Scalar) Element {
	product := new(curveElement)
	product.point.Multiply(s.onCurve(), &e.point)
	return product
}

func (curve) MulBase(s Scalar) Element {
	product := new(curveElement)
	product.point.MultiplyBase(s.onCurve())
	return product
}

func (curve) MultiMul(scalars []Scalar, elements []Element) Element {
	sum := new(curveElement)
	sum.point.MultiMultiply(curveScalars(scalars), curvePoints(elements))
	return sum
}

func (curve) VartimeMultiMul(scalars []Scalar, elements []Element) Element {
	sum := new(curveElement)
	sum.point.VartimeMultiMultiply(curveScalars(scalars), curvePoints(elements))
	return sum
}

func (curve) SmallMultiMul(numbers []uint16, bound uint16, elements []Element) Element {
	sum := new(curveElement)
	sum.point.SmallMultiMultiply(numbers, bound, curvePoints(elements))
	return sum
}

func (curve) elementAt(elements []Element, i int) Element {
	found := new(curveElement)
	found.point.Choose(curvePoints(elements), func(j int) *[curveSize]byte { return elements[j].(*curveElement).encodeArray() }, i)
	return found
}

// curveTable takes 30 KB.
type curveTable struct{ table *engineTable }

func (curve) newTable(e Element) Table { return &curveTable{newEngineTable(&e.(*curveElement).point)} }

func (t *curveTable) Mul(s Scalar) Element {
	product := new(curveElement)
	t.table.Multiply(&product.point, s.onCurve())
	return product
}

func curveScalars(scalars []Scalar) []*edwards25519.Scalar {
	pointers := make([]*edwards25519.Scalar, len(scalars))
	for i := range scalars {
		pointers[i] = scalars[i].onCurve()
	}
	return pointers
}

func curvePoints(elements []Element) []*point {
	pointers := make([]*point, len(elements))
	for i, e := range elements {
		pointers[i] = &e.(*curveElement).point
	}
	return pointers
}

func (curve) parseScalar(s *Scalar, b []byte) error {
	if _, err := s.small.SetCanonicalBytes(b); err != nil {
		return errAboveOrder
	}
	return nil
}

func (curve) ScalarFromUniform(b [64]byte) (s Scalar) {
	if _, err := s.small.SetUniformBytes(b[:]); err != nil {
		panic("group: internal: " + err.Error()) // the type has the right length
	}
	return s
}

func (c curve) scalarFromWide(b []byte) Scalar { return c.ScalarFromUniform([64]byte(b)) }

func (curve) ScalarFromUint64(n uint64) Scalar { return curveScalar([4]uint64{n}) }

// curveScalar returns the integer of four words, the lowest first. Requires: below ℓ.
func curveScalar(w [4]uint64) (s Scalar) {
	var b [curveSize]byte
	for k := range w {
		binary.LittleEndian.PutUint64(b[8*k:], w[k])
	}
	if _, err := s.small.SetCanonicalBytes(b[:]); err != nil {
		panic("group: internal: " + err.Error()) // callers pass reduced words
	}
	return s
}
