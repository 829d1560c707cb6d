// Package bayergroth proves a shuffle by the argument of Bayer and Groth
// ("Efficient Zero-Knowledge Argument for Correctness of a Shuffle", Eurocrypt
// 2012) with the N cards in one column: commitments to the permutation, a
// single-value product argument (Groth, "A Verifiable Secret Shuffle of
// Homomorphic Encryptions", 2010) and one multi-exponentiation.
//
// The prover sends (1) A, a commitment to the permutation, and receives x; (2) B, a commitment to the
// powers x^π(i), and receives y and z; (3) the commitments of the product argument, and C_0 and E, and
// receives c; (4) the responses. Letters and the verifier's equations (5) to (8), all of them linear,
// are those of the normative text, docs/spec/40-proofs.md, 40.5.
//
// It promises completeness, computational soundness under the discrete
// logarithm assumption (the prover cannot break the commitments), and perfect
// special honest-verifier zero knowledge; under Fiat–Shamir in the random
// oracle model. The prover takes constant time, and its memory accesses do not
// depend on the permutation.
//
// The paper arranges N = m·n cards in m columns and sends 2m more commitments, to values that blind
// partial products of the columns. With one column there is nothing to blind, and they are left out:
// (7) and (8) are a Σ-protocol for an opening of B that satisfies a linear relation. The
// machine-checked proof of the paper's argument (Haines, Goré, Tiwari, USENIX Security 2023) is for two
// columns or more. It covers (5) and (6), the single-value product argument, for N ≥ 3, and not the
// whole of this package. It does cover package twocolumns. docs/spec/40-proofs.md, 40.8, gives the
// security argument in full.
package bayergroth

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the verifying side of the argument. It has no state.
type Argument struct{}

// Size returns the package's Size.
func (Argument) Size(g *group.Group, n int) int { return Size(g, n) }

// Size returns the length of a proof for n cards, in bytes.
func Size(g *group.Group, n int) int { return g.ScalarSize * (3*n + 10) }

// label names the relation and this argument.
const label = "shuffle/bayer-groth/v1"

// message is a proof: what the prover sends in steps (1) to (4).
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

// The challenges are drawn one after another; each depends on everything before it.

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

// Verify checks the form of s and of a proof and adds equations (5) to (8) to b.
func (Argument) Verify(ctx transcript.Context, s masking.ShuffleStatement, bytes []byte, b *group.Batch) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	return verify(transcript.New(ctx, s.WithLabel(label)), s, bytes, b)
}

func verify(t *transcript.Transcript, s masking.ShuffleStatement, bytes []byte, b *group.Batch) error {
	m, c, powers, err := verifyOrder(s.Key.Group(), t, len(s.In), bytes, b)
	if err != nil {
		return err
	}
	m.checkCombination(b, s, c, powers, s.In)
	return nil
}

// verifyOrder adds (5) to (7) to b.
func verifyOrder(g *group.Group, t *transcript.Transcript, n int, bytes []byte, b *group.Batch) (m *message, c group.Scalar, powers []group.Scalar, err error) {
	if m, err = parseMessage(g, bytes, n); err != nil {
		return nil, group.Scalar{}, nil, err
	}
	x := challengeX(t, m)
	y, z := challengeYZ(t, m)
	c = challengeC(t, m)
	powers = group.Powers(x, x, n)
	m.checkProduct(b, y, z, c, powers)
	m.checkPowers(b, c)
	return m, c, powers, nil
}

// checkProduct adds (5) and (6).
func (m *message) checkProduct(b *group.Batch, y, z, c group.Scalar, powers []group.Scalar) {
	n, g := len(m.a), masking.Generators(m.A.Group())

	// (5)  c·y·A + c·B + C_d − r̃·G_0 − Σ (ã_i + c·z)·G_i = 0
	terms := make([]group.Term, 0, n+4)
	terms = append(terms,
		group.Term{S: c.Mul(y), P: m.A}, group.Term{S: c, P: m.B}, group.Plus(m.Cd),
		group.Term{S: m.r.Neg(), P: g[0]})
	cz := c.Mul(z)
	for i, a := range m.a {
		terms = append(terms, group.Term{S: a.Add(cz).Neg(), P: g[i+1]})
	}
	b.Add(terms...)

	// (6)  c·C_Δ + C_δ − s̃·G_0 + Σ (b̃_i·ã_{i+1} − c·b̃_{i+1})·G_i = 0
	full := m.partialProducts(y, z, c, powers)
	terms = append(make([]group.Term, 0, n+2),
		group.Term{S: c, P: m.CDelta}, group.Plus(m.Cdelta),
		group.Term{S: m.s.Neg(), P: g[0]})
	for i := range n - 1 {
		terms = append(terms, group.Term{S: full[i].Mul(m.a[i+1]).Sub(c.Mul(full[i+1])), P: g[i+1]})
	}
	b.Add(terms...)
}

// partialProducts returns b̃_1 … b̃_N. The first is ã_1, and the last is c·P with P = Π (y·i + x^i −
// z).
func (m *message) partialProducts(y, z, c group.Scalar, powers []group.Scalar) []group.Scalar {
	last, yi := c, group.Scalar{}
	for _, xi := range powers {
		yi = yi.Add(y)
		last = last.Mul(yi.Add(xi).Sub(z))
	}
	full := append(make([]group.Scalar, 0, len(m.a)), m.a[0])
	return append(append(full, m.b...), last)
}

// checkPowers adds (7).
func (m *message) checkPowers(b *group.Batch, c group.Scalar) {
	n, g := len(m.f), masking.Generators(m.A.Group())

	// (7)  c·B + C_0 − r_f·G_0 − Σ f_i·G_i = 0
	terms := make([]group.Term, 0, n+3)
	terms = append(terms, group.Term{S: c, P: m.B}, group.Plus(m.C0), group.Term{S: m.rf.Neg(), P: g[0]})
	for i, f := range m.f {
		terms = append(terms, group.Term{S: f.Neg(), P: g[i+1]})
	}
	b.Add(terms...)
}

// checkCombination adds (8), with Σ factors_i·in_i in place of Σ x^i·e_i.
func (m *message) checkCombination(b *group.Batch, s masking.ShuffleStatement, c group.Scalar, factors []group.Scalar, in []masking.Card) {
	// (8)  c·Σ x^i·e_i + E − Enc(τ_f) − Σ f_i·e'_i = 0, by component
	as, bs := masking.CardColumns(in)
	outAs, outBs := masking.CardColumns(s.Out)
	b.Add(m.combinationTerms(c, factors, as, outAs, m.E.A, s.Key.Group().Generator())...)
	b.Add(m.combinationTerms(c, factors, bs, outBs, m.E.B, s.Key.Element())...)
}

func (m *message) combinationTerms(c group.Scalar, factors []group.Scalar, in, out []group.Element, e, base group.Element) []group.Term {
	terms := make([]group.Term, 0, len(in)+len(out)+2)
	terms = append(terms, group.Plus(e), group.Term{S: m.tauf.Neg(), P: base})
	for i := range in {
		terms = append(terms, group.Term{S: c.Mul(factors[i]), P: in[i]})
	}
	for i := range out {
		terms = append(terms, group.Term{S: m.f[i].Neg(), P: out[i]})
	}
	return terms
}
