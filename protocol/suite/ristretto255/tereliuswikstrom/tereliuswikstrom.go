// Package tereliuswikstrom proves a shuffle by the argument of Terelius and
// Wikström ("Proofs of Restricted Shuffles", Africacrypt 2010), in the form of
// Haenni and Locher ("Performance of Shuffling: Taking It to the Limits",
// VOTING 2020; Haenni, Locher, Koenig, Dubuis, "Pseudo-Code Algorithms for
// Verifiable Re-Encryption Mix-Nets", VOTING 2017), with commitments in the
// proof in place of a challenge, so that all equations are linear and can be
// checked together with others.
//
// Written additively; H = G_0 and G_1 … G_N are hashed to the group; indices
// run from 1 to N; e'_i = e_π(i) + Enc(ρ_i), Enc(τ) = (τ·G, τ·K).
//
//	(1)  C_π(i) = r_π(i)·G + G_i               a commitment to π's matrix
//	     u_1, …, u_N = H(context, statement, C)
//	(2)  u'_i = u_π(i)
//	     Ĉ_i = r̂_i·G + u'_i·Ĉ_{i−1}, Ĉ_0 = H   a chain to Π u'_i
//	     T_1 = ω_1·G                            on  Σ C_i − Σ G_i
//	     T_2 = ω_2·G                            on  Ĉ_N − (Π u_i)·H
//	     T_3 = ω_3·G + Σ ω'_i·G_i               on  Σ u_i·C_i
//	     T_4 = Σ ω'_i·e'_i − Enc(ω_4)           on  Σ u_i·e_i
//	     T̂_i = ω̂_i·G + ω'_i·Ĉ_{i−1}             on  Ĉ_i
//	     c = H(…, Ĉ, T_1, T_2, T_3, T_4, T̂)
//	(3)  s_1 = ω_1 + c·Σ r_i, s_2 = ω_2 + c·R_N, s_3 = ω_3 + c·Σ u_i·r_i,
//	     s_4 = ω_4 + c·Σ u'_i·ρ_i, ŝ_i = ω̂_i + c·r̂_i, s'_i = ω'_i + c·u'_i
//	     with R_0 = 0, R_i = r̂_i + u'_i·R_{i−1}
//
// The verifier's N + 5 linear equations, (7) for each component:
//
//	(4)  T_1 + c·(Σ C_i − Σ G_i) = s_1·G
//	(5)  T_2 + c·(Ĉ_N − (Π u_i)·H) = s_2·G
//	(6)  T_3 + c·Σ u_i·C_i = s_3·G + Σ s'_i·G_i
//	(7)  T_4 + c·Σ u_i·e_i = Σ s'_i·e'_i − Enc(s_4)
//	(8)  T̂_i + c·Ĉ_i = ŝ_i·G + s'_i·Ĉ_{i−1}                for every i
//
// A proof is C ‖ Ĉ ‖ T_1 ‖ T_2 ‖ T_3 ‖ T_4 ‖ T̂ ‖ s_1 ‖ s_2 ‖ s_3 ‖ s_4 ‖ ŝ ‖ s':
// 32·(5N + 9) bytes.
//
// Why it holds. C commits to a matrix by columns before the u are drawn. A
// matrix is one of a permutation if and only if its rows sum to one, (4), and
// the product of its products with independent variables is the product of
// these, Π u'_i = Π u_i, (5) and (8) for the u' of (6) (Terelius and Wikström,
// Theorem 1). Then (7) shows the shuffle, as the u' are the u in the order π.
//
// It promises completeness, computational soundness under the discrete
// logarithm assumption (the prover cannot break the commitments), and perfect
// special honest-verifier zero knowledge; under Fiat–Shamir in the random
// oracle model. The prover takes constant time, and its memory accesses do not
// depend on the permutation.
//
// Normative text: docs/spec/41-shuffles.md, 41.1.
package tereliuswikstrom

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
func Size(n int) int { return group.ScalarSize * (5*n + 9) }

// statement gives the relation this argument's label.
type statement struct{ shuffle.Statement }

func (statement) Label() string { return "shuffle/terelius-wikstrom/v1" }

// message is a proof: what the prover says in steps (1) to (3).
type message struct {
	C, Chain       []*group.Element // C_1 … C_N, Ĉ_1 … Ĉ_N
	T1, T2, T3     *group.Element
	T4             masking.Card
	That           []*group.Element // T̂_1 … T̂_N
	s1, s2, s3, s4 group.Scalar
	shat, sprime   []group.Scalar // ŝ_1 … ŝ_N, s'_1 … s'_N
}

func parse(bytes []byte, n int) (*message, error) {
	p := group.NewSizedParser(bytes, Size(n))
	m := &message{
		C: p.Elements(n), Chain: p.Elements(n),
		T1: p.Element(), T2: p.Element(), T3: p.Element(),
		T4:   masking.Card{A: p.Element(), B: p.Element()},
		That: p.Elements(n),
		s1:   p.Scalar(), s2: p.Scalar(), s3: p.Scalar(), s4: p.Scalar(),
		shat: p.Scalars(n), sprime: p.Scalars(n),
	}
	return m, p.Close()
}

// challengesU draws u_1 … u_N, which depend on C.
func challengesU(t *transcript.Transcript, m *message) []group.Scalar {
	t.Append("C", group.Encode(m.C...))
	u := make([]group.Scalar, len(m.C))
	for i := range u {
		u[i] = group.ScalarFromUniform(t.Challenge("u"))
	}
	return u
}

// challengeC draws c, which depends on all that is said before (3).
func challengeC(t *transcript.Transcript, m *message) group.Scalar {
	t.Append("chain", group.Encode(m.Chain...))
	t.Append("T_1", m.T1.Bytes())
	t.Append("T_2", m.T2.Bytes())
	t.Append("T_3", m.T3.Bytes())
	t.Append("T_4", m.T4.Bytes())
	t.Append("T_hat", group.Encode(m.That...))
	return group.ScalarFromUniform(t.Challenge("c"))
}
