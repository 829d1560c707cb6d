package group

import (
	"errors"
	"fmt"
)

// Parser reads elements and scalars from a byte string, one after another. The first error sticks;
// later calls return harmless values. Callers check Close before they use any of them.
type Parser struct {
	group *Group
	rest  []byte
	err   error
}

// NewParser returns a parser of b.
func (g *Group) NewParser(b []byte) *Parser { return &Parser{group: g, rest: b} }

// NewSizedParser returns a parser of b, which must have exactly size bytes. Otherwise the parser has an
// error, and reads nothing.
func (g *Group) NewSizedParser(b []byte, size int) *Parser {
	if len(b) != size {
		return &Parser{group: g, err: fmt.Errorf("the proof has %d bytes, must have %d", len(b), size)}
	}
	return g.NewParser(b)
}

// Element reads one element. It refuses the identity, which no honest proof contains.
func (p *Parser) Element() Element {
	e, err := p.group.ParseNonIdentity(p.takeBytes(p.group.ElementSize))
	if err != nil {
		p.keepError(err)
		return p.group.generator
	}
	return e
}

// Elements reads n elements.
func (p *Parser) Elements(n int) []Element {
	list := make([]Element, n)
	for i := range list {
		list[i] = p.Element()
	}
	return list
}

// Scalar reads one scalar.
func (p *Parser) Scalar() Scalar {
	s, err := p.group.ParseScalar(p.takeBytes(p.group.ScalarSize))
	if err != nil {
		p.keepError(err)
	}
	return s
}

// Scalars reads n scalars.
func (p *Parser) Scalars(n int) []Scalar {
	if n < 0 || n > len(p.rest)/p.group.ScalarSize {
		p.keepError(fmt.Errorf("%d bytes are left for %d scalars", len(p.rest), n))
		return nil
	}
	scalars := make([]Scalar, n)
	for i := range scalars {
		if err := p.group.parseScalar(&scalars[i], p.takeBytes(p.group.ScalarSize)); err != nil {
			p.keepError(err)
			scalars[i] = Scalar{}
		}
	}
	return scalars
}

// Close returns the first error. Bytes left over are an error.
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
