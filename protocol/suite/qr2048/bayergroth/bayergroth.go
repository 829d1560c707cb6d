// Code generated from ristretto255/bayergroth/bayergroth.go by go generate ./protocol/suite; DO NOT EDIT.

// Package bayergroth is protocol/suite/ristretto255/bayergroth over the classes of squares modulo the 2048-bit
// prime of RFC 3526 (package protocol/suite/qr2048/group) in place of ristretto255.
package bayergroth

import (
	"github.com/pakli/pakli/protocol/suite/qr2048/group"
	"github.com/pakli/pakli/protocol/suite/qr2048/masking"
	"github.com/pakli/pakli/protocol/suite/qr2048/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the argument, as it is verified. It has no state.
type Argument struct{}

// Size is the package's.
func (Argument) Size(n int) int { return Size(n) }

// Size returns the length of a proof for n cards, in bytes.
func Size(n int) int { return group.ScalarSize * (3*n + 10) }

// labelledStatement gives the relation this argument's label.
type labelledStatement struct{ shuffle.Statement }

func (labelledStatement) Label() string { return "shuffle/bayer-groth/v1" }

// message is a proof: what the prover says in steps (1) to (4).
type message struct {
	A, B               *group.Element
	Cd, Cdelta, CDelta *group.Element
	C0                 *group.Element
	E                  masking.Card
	a                  []group.Scalar // ã_1 … ã_N
	b                  []group.Scalar // b̃_2 … b̃_{N−1}
	f                  []group.Scalar // f_1 … f_N
	r, s, rf, tauf     group.Scalar
}

func parseMessage(bytes []byte, n int) (*message, error) {
	p := group.NewSizedParser(bytes, Size(n))
	m := &message{
		A: p.Element(), B: p.Element(),
		Cd: p.Element(), Cdelta: p.Element(), CDelta: p.Element(),
		C0: p.Element(),
		E:  masking.Card{A: p.Element(), B: p.Element()},
		a:  p.Scalars(n),
		b:  p.Scalars(n - 2),
		f:  p.Scalars(n),
		r:  p.Scalar(), s: p.Scalar(), rf: p.Scalar(), tauf: p.Scalar(),
	}
	return m, p.Close()
}

// challenges are drawn one after another; each depends on all before it.

func challengeX(t *transcript.Transcript, m *message) group.Scalar {
	t.Append("A", m.A.Bytes())
	return group.ScalarFromUniform(t.Challenge("x"))
}

func challengeYZ(t *transcript.Transcript, m *message) (y, z group.Scalar) {
	t.Append("B", m.B.Bytes())
	y = group.ScalarFromUniform(t.Challenge("y"))
	z = group.ScalarFromUniform(t.Challenge("z"))
	return y, z
}

func challengeC(t *transcript.Transcript, m *message) group.Scalar {
	t.Append("C_d", m.Cd.Bytes())
	t.Append("C_delta", m.Cdelta.Bytes())
	t.Append("C_Delta", m.CDelta.Bytes())
	t.Append("C_0", m.C0.Bytes())
	t.Append("E", m.E.Bytes())
	return group.ScalarFromUniform(t.Challenge("c"))
}
