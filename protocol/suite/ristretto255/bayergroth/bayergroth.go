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
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the argument, as it is verified. It has no state.
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

// powersOf returns x, x², …, x^n.
func powersOf(x group.Scalar, n int) []group.Scalar {
	powers := make([]group.Scalar, n)
	powers[0] = x
	for i := 1; i < n; i++ {
		powers[i] = powers[i-1].Mul(x)
	}
	return powers
}
