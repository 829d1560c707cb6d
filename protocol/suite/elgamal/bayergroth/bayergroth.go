// Package bayergroth proves a shuffle by the argument of Bayer and Groth
// ("Efficient Zero-Knowledge Argument for Correctness of a Shuffle", Eurocrypt
// 2012) with the N cards in one column: commitments to the permutation, a
// single-value product argument (Groth, "A Verifiable Secret Shuffle of
// Homomorphic Encryptions", 2010) and one multi-exponentiation.
//
// The prover says (1) A, a commitment to the permutation, and is asked x; (2) B, to the
// powers x^π(i), and is asked y and z; (3) the commitments of the product argument, and
// C_0 and E, and is asked c; and (4) the responses. Letters and the verifier's equations
// (5) to (8), all of them linear, are those of the normative text,
// docs/spec/40-proofs.md, 40.5.
//
// It promises completeness, computational soundness under the discrete
// logarithm assumption (the prover cannot break the commitments), and perfect
// special honest-verifier zero knowledge; under Fiat–Shamir in the random
// oracle model. The prover takes constant time, and its memory accesses do not
// depend on the permutation.
//
// What is proved where. The paper arranges N = m·n cards in m columns and sends
// 2m more commitments, to values that blind partial products of the columns.
// With one column there is nothing to blind and they are left out: (7) and (8)
// are a Σ-protocol for an opening of B that satisfies a linear relation. The
// machine-checked proof of the paper's argument (Haines, Goré, Tiwari, USENIX
// Security 2023) is for two columns or more; it covers (5) and (6), the
// single-value product argument, for N ≥ 3, and not the whole of this package.
// Package twocolumns is within it. docs/spec/40-proofs.md, 40.8, gives the security
// argument in full.
package bayergroth

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the argument, as it is verified. It has no state.
type Argument struct{}

// Size is the package's.
func (Argument) Size(g *group.Group, n int) int { return Size(g, n) }

// Size returns the length of a proof for n cards, in bytes.
func Size(g *group.Group, n int) int { return g.ScalarSize * (3*n + 10) }

// label names the relation and this argument.
const label = "shuffle/bayer-groth/v1"

// message is a proof: what the prover says in steps (1) to (4).
type message struct {
	A, B               group.Element
	Cd, Cdelta, CDelta group.Element
	C0                 group.Element
	E                  masking.Card
	a                  []group.Scalar // ã_1 … ã_N
	b                  []group.Scalar // b̃_2 … b̃_{N−1}
	f                  []group.Scalar // f_1 … f_N
	r, s, rf, tauf     group.Scalar
}

func parseMessage(g *group.Group, bytes []byte, n int) (*message, error) {
	p := g.NewSizedParser(bytes, Size(g, n))
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
	return m.A.Group().ScalarFromUniform(t.Challenge("x"))
}

func challengeYZ(t *transcript.Transcript, m *message) (y, z group.Scalar) {
	g := m.A.Group()
	t.Append("B", m.B.Bytes())
	y = g.ScalarFromUniform(t.Challenge("y"))
	z = g.ScalarFromUniform(t.Challenge("z"))
	return y, z
}

func challengeC(t *transcript.Transcript, m *message) group.Scalar {
	t.Append("C_d", m.Cd.Bytes())
	t.Append("C_delta", m.Cdelta.Bytes())
	t.Append("C_Delta", m.CDelta.Bytes())
	t.Append("C_0", m.C0.Bytes())
	t.Append("E", m.E.Bytes())
	return m.A.Group().ScalarFromUniform(t.Challenge("c"))
}
