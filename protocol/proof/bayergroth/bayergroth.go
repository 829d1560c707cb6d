// Package bayergroth proves a shuffle by the argument of Bayer and Groth
// ("Efficient Zero-Knowledge Argument for Correctness of a Shuffle", Eurocrypt
// 2012) with the N cards in one column: commitments to the permutation, a
// single-value product argument (Groth, "A Verifiable Secret Shuffle of
// Homomorphic Encryptions", 2010) and one multi-exponentiation.
//
// Written additively; com(a; r) = r·G_0 + Σ a_i·G_i over generators hashed to
// the group; e_i = (A_i, B_i); Enc(τ) = (τ·G, τ·K); e'_i = e_π(i) + Enc(ρ_i).
//
//	(1)  A = com(π; r)                        π = (π(1), …, π(N))
//	     x = H(context, statement, A)
//	(2)  B = com(b; s)                        b_i = x^π(i)
//	     y, z = H(…, B)
//	     D = y·A + B − z·Σ G_i = com(d; t)    d_i = y·π(i) + b_i − z, t = y·r + s
//	     P = Π (y·i + x^i − z)                = Π d_i iff {π, b} are {i, x^i} in some order
//	(3)  C_d = com(d'; r_d)
//	     C_δ = com(−δ_i·d'_{i+1}; s_1)                        i < N
//	     C_Δ = com(δ_{i+1} − d_{i+1}·δ_i − p_i·d'_{i+1}; s_x) i < N
//	     with p_i = d_1 ⋯ d_i, δ_1 = d'_1, δ_N = 0
//	     C_0 = com(a; r_0), E = Enc(τ) + Σ a_i·e'_i
//	     c = H(…, C_d, C_δ, C_Δ, C_0, E)
//	(4)  ã = c·d + d', r̃ = c·t + r_d
//	     b̃ = c·p + δ, s̃ = c·s_x + s_1        (b̃_1 = ã_1 and b̃_N = c·P are not sent)
//	     f = c·b + a, r_f = c·s + r_0, τ_f = τ − c·Σ ρ_i·b_i
//
// The verifier's five linear equations, the last one for each component:
//
//	(5)  c·D + C_d = com(ã; r̃)
//	(6)  c·C_Δ + C_δ = com(c·b̃_{i+1} − b̃_i·ã_{i+1}; s̃)      i < N
//	(7)  c·B + C_0 = com(f; r_f)
//	(8)  c·Σ x^i·e_i + E = Enc(τ_f) + Σ f_i·e'_i
//
// A proof is A ‖ B ‖ C_d ‖ C_δ ‖ C_Δ ‖ C_0 ‖ E ‖ ã ‖ b̃_2 … b̃_{N−1} ‖ f ‖ r̃ ‖ s̃ ‖
// r_f ‖ τ_f: 32·(3N + 10) bytes.
//
// Normative text: docs/spec/40-proofs.md, 40.5.
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
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/masking"
	"github.com/pakli/pakli/protocol/proof/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the argument. It has no state.
type Argument struct{}

var _ shuffle.Argument = Argument{}

// Size returns the length of a proof for n cards, in bytes.
func Size(n int) int { return group.ScalarSize * (3*n + 10) }

// statement gives the relation this argument's label.
type statement struct{ shuffle.Statement }

func (statement) Label() string { return "shuffle/bayer-groth/v1" }

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

func parse(bytes []byte, n int) (*message, error) {
	if len(bytes) != Size(n) {
		return nil, fmt.Errorf("bayergroth: proof of %d bytes, must have %d for %d cards", len(bytes), Size(n), n)
	}
	p := group.NewParser(bytes)
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
	if err := p.Close(); err != nil {
		return nil, fmt.Errorf("bayergroth: %w", err)
	}
	return m, nil
}

func (m *message) bytes() []byte {
	b := make([]byte, 0, Size(len(m.a)))
	for _, e := range []*group.Element{m.A, m.B, m.Cd, m.Cdelta, m.CDelta, m.C0, m.E.A, m.E.B} {
		b = e.AppendTo(b)
	}
	for _, list := range [][]group.Scalar{m.a, m.b, m.f, {m.r, m.s, m.rf, m.tauf}} {
		for _, s := range list {
			b = s.AppendTo(b)
		}
	}
	return b
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

// Prove proves s by o. It returns proof.ErrFalse if o has not the form of a
// witness. Requires: the cards of s were made by o.
func (Argument) Prove(ctx transcript.Context, s shuffle.Statement, o masking.Opening, rand io.Reader) ([]byte, error) {
	t, nonces, err := shuffle.Begin(ctx, statement{s}, s, o, rand)
	if err != nil {
		return nil, err
	}
	k, err := drawNonces(nonces, len(s.In))
	if err != nil {
		return nil, err
	}
	m := prove(t, s, o, k)
	return m.bytes(), nil
}

// nonces are the prover's random values, by the letters of the package comment.
type nonces struct {
	r, s, rd, s1, sx, r0, tau group.Scalar
	d                         []group.Scalar // d'_1 … d'_N
	delta                     []group.Scalar // δ_1 … δ_N, with δ_1 = d'_1 and δ_N = 0
	a                         []group.Scalar
}

func drawNonces(stream io.Reader, n int) (*nonces, error) {
	v, err := group.RandomScalars(stream, 7+3*n)
	if err != nil {
		return nil, err
	}
	k := &nonces{r: v[0], s: v[1], rd: v[2], s1: v[3], sx: v[4], r0: v[5], tau: v[6]}
	k.d, k.delta, k.a = v[7:7+n], v[7+n:7+2*n], v[7+2*n:]
	k.delta[0], k.delta[n-1] = k.d[0], group.Scalar{}
	return k, nil
}

func prove(t *transcript.Transcript, s shuffle.Statement, o masking.Opening, k *nonces) *message {
	m, _ := proveLinked(t, s, o.Permutation, k, func(_, b []group.Scalar) group.Scalar {
		return group.Inner(o.Factors, b)
	})
	return m
}

// proveLinked proves that s.Out is in the order of a permutation, and returns c.
// What precedes is for link to say, which is called with all x^i and b before c
// is drawn, and returns the factor in what (8) combines: Σ ρ_i·b_i.
func proveLinked(t *transcript.Transcript, s shuffle.Statement, permutation []uint16, k *nonces, link func(powers, b []group.Scalar) group.Scalar) (*message, group.Scalar) {
	p := newProver(s, permutation, k)
	p.commitPermutation()
	p.commitPowers(challengeX(t, p.m))
	p.commitProduct(challengeYZ(t, p.m))
	p.commitCombination()
	factor := link(p.powers, p.b)
	c := challengeC(t, p.m)
	p.answer(c, factor)
	return p.m, c
}

// prover is what the prover knows after each step.
type prover struct {
	s           shuffle.Statement
	permutation []uint16 // π(i) − 1
	k           *nonces
	m           *message
	powers, b   []group.Scalar // x^i and x^π(i)
	y           group.Scalar
	d, products []group.Scalar // d and p
}

func newProver(s shuffle.Statement, permutation []uint16, k *nonces) *prover {
	n := len(s.Out)
	return &prover{s: s, permutation: permutation, k: k, m: new(message), d: make([]group.Scalar, n), products: make([]group.Scalar, n)}
}

// commitPermutation is step (1).
func (p *prover) commitPermutation() {
	pi := make([]uint16, len(p.d))
	for i, place := range p.permutation {
		pi[i] = place + 1
	}
	p.m.A = commitSmall(pi, uint16(len(pi)), p.k.r)
}

// commitPowers is step (2).
func (p *prover) commitPowers(x group.Scalar) {
	p.powers = powersOf(x, len(p.d))
	p.b = group.ScalarsAt(p.powers, p.permutation)
	p.m.B = commit(p.b, p.k.s)
}

// commitProduct is step (3) for the product.
func (p *prover) commitProduct(y, z group.Scalar) {
	n, k := len(p.d), p.k
	p.y = y
	for i := range p.d {
		p.d[i] = y.Mul(group.ScalarFromUint64(uint64(p.permutation[i]) + 1)).Add(p.b[i]).Sub(z)
		p.products[i] = p.d[i]
		if i > 0 {
			p.products[i] = p.products[i-1].Mul(p.d[i])
		}
	}
	p.m.Cd = commit(k.d, k.rd)
	low, high := make([]group.Scalar, n-1), make([]group.Scalar, n-1)
	for i := range n - 1 {
		low[i] = k.delta[i].Mul(k.d[i+1]).Neg()
		high[i] = k.delta[i+1].Sub(p.d[i+1].Mul(k.delta[i])).Sub(p.products[i].Mul(k.d[i+1]))
	}
	p.m.Cdelta, p.m.CDelta = commit(low, k.s1), commit(high, k.sx)
}

// commitCombination is step (3) for the linear combination of cards.
func (p *prover) commitCombination() {
	p.m.C0 = commit(p.k.a, p.k.r0)
	p.m.E = p.s.Combine(p.k.a, p.k.tau)
}

// answer is step (4).
func (p *prover) answer(c, factor group.Scalar) {
	m, k := p.m, p.k
	m.a, m.f = group.Fold(c, p.d, k.d), group.Fold(c, p.b, k.a)
	m.b = group.Fold(c, p.products, k.delta)[1 : len(p.d)-1]
	m.r = c.Mul(p.y.Mul(k.r).Add(k.s)).Add(k.rd)
	m.s = c.Mul(k.sx).Add(k.s1)
	m.rf = c.Mul(k.s).Add(k.r0)
	m.tauf = k.tau.Sub(c.Mul(factor))
}

// powersOf returns x, x², …, x^n.
func powersOf(x group.Scalar, n int) []group.Scalar {
	powers := make([]group.Scalar, n)
	powers[0] = x
	for i := 1; i < n; i++ {
		powers[i] = powers[i-1].Mul(x)
	}
	return powers
}
