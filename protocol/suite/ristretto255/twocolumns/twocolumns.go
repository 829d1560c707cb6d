// Package twocolumns proves a shuffle by the argument of Bayer and Groth
// ("Efficient Zero-Knowledge Argument for Correctness of a Shuffle", Eurocrypt
// 2012) as it stands there, with the cards in m = 2 columns of n. It is the case
// that Haines, Goré and Tiwari ("Machine-checking Multi-Round Proofs of Shuffle:
// Terelius-Wikstrom and Bayer-Groth", USENIX Security 2023) define and prove in
// Coq for all m ≥ 2 and n ≥ 3. Package bayergroth is the same with one column: a
// little faster, and not within their theorem.
//
// Places run from 0, as in their definition. n is ⌈N/2⌉, and 3 at least. At the
// places N … 2n−1 that are left over, the cards before and after are (0, 0), π is
// the identity and ρ is 0. A vector v of 2n values has the columns v_1 (places
// 0 … n−1) and v_2. Written additively; com(a; r) = r·G_0 + Σ a_i·G_i, and com_1
// has one value; Enc(b; τ) = (τ·G, τ·K + b·G); e'_i = e_π(i) + Enc(0; ρ_i);
// a∘b is the product by component, a·e a linear combination, and
// a ⋆ b = Σ a_l·b_l·v^l for l = 1 … n.
//
//	(1)  A_k = com(π_k; r_k)                                   k = 1, 2
//	     x = H(context, statement, A)
//	(2)  B_k = com(b_k; s_k), b_i = x^π(i)
//	     y, z = H(…, B)
//	     D_k = y·A_k + B_k − z·Σ G_l = com(d_k; t_k)
//	     P = Π (y·i + x^i − z) over all 2n places
//	(3)  H = com(p; h), p = d_1∘d_2                            Hadamard product
//	     q_l = p_1 ⋯ p_l                                       Π p_l = P:
//	     C_d = com(d'; r_d)
//	     C_δ = com(−δ_l·d'_{l+1}; s_1)                         l < n
//	     C_Δ = com(δ_{l+1} − p_{l+1}·δ_l − q_l·d'_{l+1}; s_x)  l < n
//	     with δ_1 = d'_1, δ_n = 0
//	     C_0 = com(a; r_0), C_βk = com_1(β_k; σ_k)             k = 0, 1, 3
//	     E_0 = Enc(β_0; τ_0) + a·e'_2
//	     E_1 = Enc(β_1; τ_1) + a·e'_1 + b_1·e'_2
//	     E_3 = Enc(β_3; τ_3) + b_2·e'_1
//	     u, v, c, w = H(…)
//	(4)  d_2 ⋆ u·d_1 − 1 ⋆ u·p = 0, by the zero argument for the vectors
//	     g_0 = α, g_1 = d_2, g_2 = −1 and h_0 = u·d_1, h_1 = u·p, h_2 = β:
//	     Z_α = com(α; r_α), Z_β = com(β; s_β)
//	     Z_k = com_1(Σ g_i ⋆ h_j over 2 + i − j = k; t_k)      k = 0, 1, 2, 4
//	     e = H(…)
//	(5)  ã = c·p + d', b̃ = c·q + δ, r̃ = c·h + r_d, s̃ = c·s_x + s_1
//	     ḡ = α + e·d_2 − e²·1, r̄ = r_α + e·t_2
//	     h̄ = e²·u·d_1 + e·u·p + β, s̄ = e²·u·t_1 + e·u·h + s_β
//	     t̄ = t_0 + e·t_1 + e²·t_2 + e⁴·t_4                     (those of Z)
//	     f = a + w·b_1 + w²·b_2, r_f = r_0 + w·s_1 + w²·s_2    (those of B)
//	     β̃ = β_0 + w·β_1 + w³·β_3, σ̃ likewise
//	     τ̃ = τ_0 + w·τ_1 − w²·Σ ρ_i·b_i + w³·τ_3
//
// The verifier's linear equations, the last one for each component:
//
//	(6)   c·H + C_d = com(ã; r̃)
//	(7)   c·C_Δ + C_δ = com(c·b̃_{l+1} − b̃_l·ã_{l+1}; s̃)       l < n
//	(8)   Z_α + e·D_2 − e²·Σ G_l = com(ḡ; r̄)
//	(9)   e²·u·D_1 + e·u·H + Z_β = com(h̄; s̄)
//	(10)  Z_0 + e·Z_1 + e²·Z_2 + e⁴·Z_4 = com_1(ḡ ⋆ h̄; t̄)
//	(11)  C_0 + w·B_1 + w²·B_2 = com(f; r_f)
//	(12)  C_β0 + w·C_β1 + w³·C_β3 = com_1(β̃; σ̃)
//	(13)  E_0 + w·E_1 + w²·Σ x^i·e_i + w³·E_3 = Enc(β̃; τ̃) + w·f·e'_1 + f·e'_2
//
// with b̃_1 = ã_1 and b̃_n = c·P, which are not sent. What the paper sends besides
// is fixed and left out: C_β2 = Z_3 = com_1(0; 0), E_2 = Σ x^i·e_i.
//
// A proof is A ‖ B ‖ H ‖ C_d ‖ C_δ ‖ C_Δ ‖ C_0 ‖ C_β0 ‖ C_β1 ‖ C_β3 ‖ E_0 ‖ E_1 ‖
// E_3 ‖ Z_α ‖ Z_β ‖ Z_0 ‖ Z_1 ‖ Z_2 ‖ Z_4 ‖ ã ‖ b̃_2 … b̃_{n−1} ‖ ḡ ‖ h̄ ‖ f ‖ r̃ ‖
// s̃ ‖ r̄ ‖ s̄ ‖ t̄ ‖ r_f ‖ β̃ ‖ σ̃ ‖ τ̃: 32·(5n + 31) bytes.
//
// Why cards (0, 0) do no harm. A permutation that sends a card e_j to a place left
// over and takes e'_i from one shows that e_j and e'_i both mask 0, and hence a way
// from e_j to e'_i with the sum of the two factors: whoever knows a permutation of
// 2n places knows one of N (docs/spec/41-shuffles.md, 41.3). They cost a generator
// and no multiplication of an element.
//
// Normative text: docs/spec/41-shuffles.md, 41.3.
//
// It promises completeness, computational soundness under the discrete logarithm
// assumption, and perfect special honest-verifier zero knowledge, for which see
// the theorem; under Fiat–Shamir in the random oracle model. The prover takes
// constant time, and its memory accesses do not depend on the permutation.
package twocolumns

import (
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the argument, as it is verified. It has no state.
type Argument struct{}

var _ shuffle.Argument = Argument{}

// Size returns the length of a proof for N cards, in bytes.
func Size(cards int) int { return group.ScalarSize * (5*height(cards) + 31) }

// height returns n, the length of a column.
func height(cards int) int { return max(3, (cards+1)/2) }

// statement gives the relation this argument's label.
type statement struct{ shuffle.Statement }

func (statement) Label() string { return "shuffle/bayer-groth-columns/v1" }

// columns returns the first and second column of values, or of as many as there
// are.
func columns[T any](values []T, n int) (first, second []T) {
	if len(values) <= n {
		return values, nil
	}
	return values[:n], values[n:]
}

// message is a proof: what the prover says in steps (1) to (5).
type message struct {
	A, B               [2]*group.Element
	H                  *group.Element
	Cd, Cdelta, CDelta *group.Element
	C0                 *group.Element
	Cbeta              [3]*group.Element // k = 0, 1, 3
	E                  [3]masking.Card   // k = 0, 1, 3
	Zalpha, Zbeta      *group.Element
	Z                  [4]*group.Element // k = 0, 1, 2, 4

	a, b, g, h, f        []group.Scalar // ã, b̃_2 … b̃_{n−1}, ḡ, h̄, f
	ra, sb               group.Scalar   // r̃, s̃
	rg, sh, t            group.Scalar   // r̄, s̄, t̄
	rf, beta, sigma, tau group.Scalar   // r_f, β̃, σ̃, τ̃
}

// elements returns where the elements are, in their order.
func (m *message) elements() []**group.Element {
	e := &m.E
	return []**group.Element{
		&m.A[0], &m.A[1], &m.B[0], &m.B[1], &m.H, &m.Cd, &m.Cdelta, &m.CDelta,
		&m.C0, &m.Cbeta[0], &m.Cbeta[1], &m.Cbeta[2],
		&e[0].A, &e[0].B, &e[1].A, &e[1].B, &e[2].A, &e[2].B,
		&m.Zalpha, &m.Zbeta, &m.Z[0], &m.Z[1], &m.Z[2], &m.Z[3],
	}
}

// scalars returns where the single scalars are, in their order.
func (m *message) scalars() []*group.Scalar {
	return []*group.Scalar{&m.ra, &m.sb, &m.rg, &m.sh, &m.t, &m.rf, &m.beta, &m.sigma, &m.tau}
}

func parse(bytes []byte, cards int) (*message, error) {
	p, m, n := group.NewSizedParser(bytes, Size(cards)), new(message), height(cards)
	for _, e := range m.elements() {
		*e = p.Element()
	}
	m.a, m.b, m.g, m.h, m.f = p.Scalars(n), p.Scalars(n-2), p.Scalars(n), p.Scalars(n), p.Scalars(n)
	for _, s := range m.scalars() {
		*s = p.Scalar()
	}
	return m, p.Close()
}

// challenges are drawn one after another; each depends on all before it.
type challenges struct{ x, y, z, u, v, c, w, e group.Scalar }

func draw(t *transcript.Transcript, name string) group.Scalar {
	return group.ScalarFromUniform(t.Challenge(name))
}

func (q *challenges) drawX(t *transcript.Transcript, m *message) {
	t.Append("A", group.Encode(m.A[:]...))
	q.x = draw(t, "x")
}

func (q *challenges) drawYZ(t *transcript.Transcript, m *message) {
	t.Append("B", group.Encode(m.B[:]...))
	q.y, q.z = draw(t, "y"), draw(t, "z")
}

func (q *challenges) drawUVCW(t *transcript.Transcript, m *message) {
	t.Append("H", m.H.Bytes())
	t.Append("C_d", m.Cd.Bytes())
	t.Append("C_delta", m.Cdelta.Bytes())
	t.Append("C_Delta", m.CDelta.Bytes())
	t.Append("C_0", m.C0.Bytes())
	t.Append("C_beta", group.Encode(m.Cbeta[:]...))
	t.Append("E", masking.Encode(m.E[:]...))
	q.u, q.v, q.c, q.w = draw(t, "u"), draw(t, "v"), draw(t, "c"), draw(t, "w")
}

func (q *challenges) drawE(t *transcript.Transcript, m *message) {
	t.Append("Z_alpha", m.Zalpha.Bytes())
	t.Append("Z_beta", m.Zbeta.Bytes())
	t.Append("Z", group.Encode(m.Z[:]...))
	q.e = draw(t, "e")
}

// powersOf returns 1, x, …, x^(n−1).
func powersOf(x group.Scalar, n int) []group.Scalar {
	powers := make([]group.Scalar, n)
	powers[0] = one
	for i := 1; i < n; i++ {
		powers[i] = powers[i-1].Mul(x)
	}
	return powers
}

// star returns g ⋆ h = Σ g_l·h_l·v^l, l from 1.
func star(g, h []group.Scalar, v group.Scalar) group.Scalar {
	var sum group.Scalar
	for l := len(g) - 1; l >= 0; l-- {
		sum = sum.Add(g[l].Mul(h[l])).Mul(v)
	}
	return sum
}

var one = group.ScalarFromUint64(1)
