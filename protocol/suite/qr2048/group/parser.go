// Code generated from ristretto255/group/parser.go by go generate ./protocol/suite; DO NOT EDIT.

package group

import (
	"errors"
	"fmt"
)

// Parser takes elements and scalars off a byte string, one after another. The
// first fault sticks; after it every call returns a harmless value. Callers
// check Close before they use anything.
type Parser struct {
	rest []byte
	err  error
}

// NewParser returns a parser of b.
func NewParser(b []byte) *Parser { return &Parser{rest: b} }

// NewSizedParser returns a parser of b, which must have so many bytes: otherwise that is
// the fault, and nothing is taken off.
func NewSizedParser(b []byte, size int) *Parser {
	if len(b) != size {
		return &Parser{err: fmt.Errorf("the proof has %d bytes, must have %d", len(b), size)}
	}
	return NewParser(b)
}

// Element takes one element. It refuses the identity, which no honest proof
// contains.
func (p *Parser) Element() *Element {
	e, err := ParseNonIdentity(p.takeBytes(ElementSize))
	if err != nil {
		p.keepError(err)
		return generator
	}
	return e
}

// Elements takes n elements.
func (p *Parser) Elements(n int) []*Element {
	list := make([]*Element, n)
	for i := range list {
		list[i] = p.Element()
	}
	return list
}

// Scalar takes one scalar.
func (p *Parser) Scalar() Scalar {
	s, err := ParseScalar(p.takeBytes(ScalarSize))
	if err != nil {
		p.keepError(err)
	}
	return s
}

// Scalars takes n scalars.
func (p *Parser) Scalars(n int) []Scalar {
	if n < 0 || n > len(p.rest)/ScalarSize {
		p.keepError(fmt.Errorf("%d bytes are left for %d scalars", len(p.rest), n))
		return nil
	}
	scalars := make([]Scalar, n)
	for i := range scalars {
		scalars[i] = p.Scalar()
	}
	return scalars
}

// Close returns the first fault. Bytes that are left over are one.
func (p *Parser) Close() error {
	if p.err == nil && len(p.rest) > 0 {
		p.err = fmt.Errorf("%d bytes too many", len(p.rest))
	}
	return p.err
}

func (p *Parser) takeBytes(n int) []byte {
	if len(p.rest) < n {
		p.keepError(errors.New("it ends too early"))
		return nil
	}
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}

func (p *Parser) keepError(err error) {
	if p.err == nil {
		p.err = err
	}
}
