// Package twocolumns proves a shuffle by the argument of Bayer and Groth
// ("Efficient Zero-Knowledge Argument for Correctness of a Shuffle", Eurocrypt
// 2012) as it stands there, with the cards in m = 2 columns of n. It is the case
// that Haines, Goré and Tiwari ("Machine-checking Multi-Round Proofs of Shuffle:
// Terelius-Wikstrom and Bayer-Groth", USENIX Security 2023) define and prove in
// Coq for all m ≥ 2 and n ≥ 3. Package bayergroth is the same with one column: a
// little faster, and not within their theorem.
//
// The prover sends (1) A, commitments to the columns of the permutation, and receives x; (2) B,
// commitments to the powers x^π(i), and receives y and z; (3) the commitments of the product argument
// and of the linear combination, and receives u, v, c and w; (4) those of the zero argument, and
// receives e; (5) the responses. Letters and the verifier's equations (6) to (13), all of them linear,
// are those of the normative text, docs/spec/41-shuffles.md, 41.3; t in (4) is θ there. What else the
// paper sends is fixed and left out: C_β2 = Z_3 = com_1(0; 0), E_2 = Σ x^i·e_i.
//
// Why cards (0, 0) do no harm. A permutation that sends a card e_j to a remaining place and takes e'_i
// from one shows that e_j and e'_i both mask 0, and hence a way from e_j to e'_i with the sum of the
// two factors. So whoever knows a permutation of 2n places knows one of N (docs/spec/41-shuffles.md,
// 41.3). Such cards cost a generator and no multiplication of an element.
//
// It promises completeness, computational soundness under the discrete logarithm
// assumption, and perfect special honest-verifier zero knowledge, for which see
// the theorem; under Fiat–Shamir in the random oracle model. The prover takes
// constant time, and its memory accesses do not depend on the permutation.
package twocolumns

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the verifying side of the argument. It has no state.
type Argument struct{}

// Size returns the package's Size.
func (Argument) Size(g *group.Group, n int) int { return Size(g, n) }

// Size returns the length of a proof for N cards, in bytes.
func Size(g *group.Group, cards int) int { return g.ScalarSize * (5*columnHeight(cards) + 31) }

// columnHeight returns n, the length of a column.
func columnHeight(cards int) int { return max(3, (cards+1)/2) }

// label names the relation and this argument.
const label = "shuffle/bayer-groth-columns/v1"

// splitColumns returns the first and second column of values, which may be shorter than two columns.
func splitColumns[T any](values []T, n int) (first, second []T) {
	if len(values) <= n {
		return values, nil
	}
	return values[:n], values[n:]
}

// message is a proof: what the prover sends in steps (1) to (5).
type message struct {
	A, B               [2]group.Element
	H                  group.Element
	Cd, Cdelta, CDelta group.Element
	C0                 group.Element
	Cbeta              [3]group.Element // k = 0, 1, 3
	E                  [3]masking.Card  // k = 0, 1, 3
	Zalpha, Zbeta      group.Element
	Z                  [4]group.Element // k = 0, 1, 2, 4

	a, b, g, h, f        []group.Scalar // ã, b̃_2 … b̃_{n−1}, ḡ, h̄, f
	ra, sb               group.Scalar   // r̃, s̃
	rg, sh, t            group.Scalar   // r̄, s̄, t̄
	rf, beta, sigma, tau group.Scalar   // r_f, β̃, σ̃, τ̃
}

// elementPlaces returns the places of the elements, in order.
func (m *message) elementPlaces() []*group.Element {
	e := &m.E
	return []*group.Element{
		&m.A[0], &m.A[1], &m.B[0], &m.B[1], &m.H, &m.Cd, &m.Cdelta, &m.CDelta,
		&m.C0, &m.Cbeta[0], &m.Cbeta[1], &m.Cbeta[2],
		&e[0].A, &e[0].B, &e[1].A, &e[1].B, &e[2].A, &e[2].B,
		&m.Zalpha, &m.Zbeta, &m.Z[0], &m.Z[1], &m.Z[2], &m.Z[3],
	}
}

// scalarPlaces returns the places of the single scalars, in order.
func (m *message) scalarPlaces() []*group.Scalar {
	return []*group.Scalar{&m.ra, &m.sb, &m.rg, &m.sh, &m.t, &m.rf, &m.beta, &m.sigma, &m.tau}
}

func parseMessage(g *group.Group, bytes []byte, cards int) (*message, error) {
	p, m, n := g.NewSizedParser(bytes, Size(g, cards)), new(message), columnHeight(cards)
	for _, e := range m.elementPlaces() {
		*e = p.Element()
	}
	m.a, m.b, m.g, m.h, m.f = p.Scalars(n), p.Scalars(n-2), p.Scalars(n), p.Scalars(n), p.Scalars(n)
	for _, s := range m.scalarPlaces() {
		*s = p.Scalar()
	}
	return m, p.Close()
}

// challenges are drawn one after another; each depends on everything before it.
type challenges struct{ x, y, z, u, v, c, w, e group.Scalar }

func drawNamed(g *group.Group, t *transcript.Transcript, name string) group.Scalar {
	return g.ScalarFromUniform(t.Challenge(name))
}

func (q *challenges) drawX(t *transcript.Transcript, m *message) {
	t.Append("A", group.Encode(m.A[:]...))
	q.x = drawNamed(m.A[0].Group(), t, "x")
}

func (q *challenges) drawYZ(t *transcript.Transcript, m *message) {
	t.Append("B", group.Encode(m.B[:]...))
	q.y, q.z = drawNamed(m.A[0].Group(), t, "y"), drawNamed(m.A[0].Group(), t, "z")
}

func (q *challenges) drawUVCW(t *transcript.Transcript, m *message) {
	t.Append("H", m.H.Bytes())
	t.Append("C_d", m.Cd.Bytes())
	t.Append("C_delta", m.Cdelta.Bytes())
	t.Append("C_Delta", m.CDelta.Bytes())
	t.Append("C_0", m.C0.Bytes())
	t.Append("C_beta", group.Encode(m.Cbeta[:]...))
	t.Append("E", masking.Encode(m.E[:]...))
	q.u, q.v, q.c, q.w = drawNamed(m.H.Group(), t, "u"), drawNamed(m.H.Group(), t, "v"), drawNamed(m.H.Group(), t, "c"), drawNamed(m.H.Group(), t, "w")
}

func (q *challenges) drawE(t *transcript.Transcript, m *message) {
	t.Append("Z_alpha", m.Zalpha.Bytes())
	t.Append("Z_beta", m.Zbeta.Bytes())
	t.Append("Z", group.Encode(m.Z[:]...))
	q.e = drawNamed(m.H.Group(), t, "e")
}

// starProduct returns g ⋆ h = Σ g_l·h_l·v^l, l from 1.
func starProduct(g, h []group.Scalar, v group.Scalar) group.Scalar {
	var sum group.Scalar
	for l := len(g) - 1; l >= 0; l-- {
		sum = sum.Add(g[l].Mul(h[l])).Mul(v)
	}
	return sum
}

// Verify checks the form of s and of a proof and adds equations (6) to (13) to b.
func (Argument) Verify(ctx transcript.Context, s masking.ShuffleStatement, bytes []byte, b *group.Batch) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	return verify(transcript.New(ctx, s.WithLabel(label)), s, bytes, b)
}

func verify(t *transcript.Transcript, s masking.ShuffleStatement, bytes []byte, b *group.Batch) error {
	m, err := parseMessage(s.Key.Group(), bytes, len(s.In))
	if err != nil {
		return err
	}
	var q challenges
	q.drawX(t, m)
	q.drawYZ(t, m)
	q.drawUVCW(t, m)
	q.drawE(t, m)
	m.addEquations(b, q, s)
	return nil
}

func (m *message) addEquations(b *group.Batch, q challenges, s masking.ShuffleStatement) {
	m.checkProduct(b, q)
	m.checkZero(b, q)
	m.checkCombination(b, q, s)
}

// scaledTerm is S·P.
func scaledTerm(s group.Scalar, p group.Element) group.Term { return group.Term{S: s, P: p} }

// minusCommit appends the terms of −com(a; r) to others.
func minusCommit(terms []group.Term, a []group.Scalar, r group.Scalar) []group.Term {
	g := masking.Generators(terms[0].P.Group())
	terms = append(terms, scaledTerm(r.Neg(), g[0]))
	for l, v := range a {
		terms = append(terms, scaledTerm(v.Neg(), g[l+1]))
	}
	return terms
}

// checkProduct adds (6) and (7).
func (m *message) checkProduct(b *group.Batch, q challenges) {
	n := len(m.a)

	// (6)  c·H + C_d − com(ã; r̃) = 0
	b.Add(minusCommit([]group.Term{scaledTerm(q.c, m.H), group.Plus(m.Cd)}, m.a, m.ra)...)

	// (7)  c·C_Δ + C_δ − com(c·b̃_{l+1} − b̃_l·ã_{l+1}; s̃) = 0
	full := m.partialProducts(q)
	opening := make([]group.Scalar, n-1)
	for l := range opening {
		opening[l] = q.c.Mul(full[l+1]).Sub(full[l].Mul(m.a[l+1]))
	}
	b.Add(minusCommit([]group.Term{scaledTerm(q.c, m.CDelta), group.Plus(m.Cdelta)}, opening, m.sb)...)
}

// partialProducts returns b̃_1 … b̃_n. The first is ã_1, and the last is c·P with P = Π (y·i + x^i −
// z).
func (m *message) partialProducts(q challenges) []group.Scalar {
	last, yi := q.c, group.Scalar{}
	for _, xi := range group.Powers(m.H.Group().One(), q.x, 2*len(m.a)) {
		last = last.Mul(yi.Add(xi).Sub(q.z))
		yi = yi.Add(q.y)
	}
	full := append(make([]group.Scalar, 0, len(m.a)), m.a[0])
	return append(append(full, m.b...), last)
}

// checkZero adds (8), (9) and (10).
func (m *message) checkZero(b *group.Batch, q challenges) {
	e, y := q.e, q.y
	e2 := e.Mul(e)
	raised := func(v []group.Scalar, by group.Scalar) []group.Scalar { // adds by to every place
		sum := make([]group.Scalar, len(v))
		for l := range v {
			sum[l] = v[l].Add(by)
		}
		return sum
	}

	// (8)  Z_α + e·y·A_2 + e·B_2 − com(ḡ + (e·z + e²)·1; r̄) = 0
	b.Add(minusCommit([]group.Term{group.Plus(m.Zalpha), scaledTerm(e.Mul(y), m.A[1]), scaledTerm(e, m.B[1])},
		raised(m.g, e.Mul(q.z).Add(e2)), m.rg)...)

	// (9)  e²·u·y·A_1 + e²·u·B_1 + e·u·H + Z_β − com(h̄ + e²·u·z·1; s̄) = 0
	e2u := e2.Mul(q.u)
	b.Add(minusCommit([]group.Term{group.Plus(m.Zbeta), scaledTerm(e.Mul(q.u), m.H), scaledTerm(e2u.Mul(y), m.A[0]), scaledTerm(e2u, m.B[0])},
		raised(m.h, e2u.Mul(q.z)), m.sh)...)

	// (10)  Z_0 + e·Z_1 + e²·Z_2 + e⁴·Z_4 − com_1(ḡ ⋆ h̄; t̄) = 0
	b.Add(minusCommit([]group.Term{group.Plus(m.Z[0]), scaledTerm(e, m.Z[1]), scaledTerm(e2, m.Z[2]), scaledTerm(e2.Mul(e2), m.Z[3])},
		[]group.Scalar{starProduct(m.g, m.h, q.v)}, m.t)...)
}

// checkCombination adds (11), (12) and (13).
func (m *message) checkCombination(b *group.Batch, q challenges, s masking.ShuffleStatement) {
	g := s.Key.Group()
	w := q.w
	w2 := w.Mul(w)
	w3 := w2.Mul(w)

	// (11)  C_0 + w·B_1 + w²·B_2 − com(f; r_f) = 0
	b.Add(minusCommit([]group.Term{group.Plus(m.C0), scaledTerm(w, m.B[0]), scaledTerm(w2, m.B[1])}, m.f, m.rf)...)

	// (12)  C_β0 + w·C_β1 + w³·C_β3 − com_1(β̃; σ̃) = 0
	b.Add(minusCommit([]group.Term{group.Plus(m.Cbeta[0]), scaledTerm(w, m.Cbeta[1]), scaledTerm(w3, m.Cbeta[2])},
		[]group.Scalar{m.beta}, m.sigma)...)

	// (13)  E_0 + w·E_1 + w²·Σ x^i·e_i + w³·E_3 − Enc(β̃; τ̃) − w·f·e'_1 − f·e'_2 = 0
	factors := group.Powers(g.One(), q.x, len(s.In))
	as := m.combinationTerms(q, w2, w3, factors, s, func(c masking.Card) group.Element { return c.A })
	b.Add(append(as, scaledTerm(m.tau.Neg(), g.Generator()))...)
	bs := m.combinationTerms(q, w2, w3, factors, s, func(c masking.Card) group.Element { return c.B })
	b.Add(append(bs, scaledTerm(m.tau.Neg(), s.Key.Element()), scaledTerm(m.beta.Neg(), g.Generator()))...)
}

// combinationTerms returns one component of (13) without Enc(β̃; τ̃).
func (m *message) combinationTerms(q challenges, w2, w3 group.Scalar, factors []group.Scalar, s masking.ShuffleStatement, of func(masking.Card) group.Element) []group.Term {
	terms := append(make([]group.Term, 0, 2*len(s.In)+5),
		group.Plus(of(m.E[0])), scaledTerm(q.w, of(m.E[1])), scaledTerm(w3, of(m.E[2])))
	for i, c := range s.In {
		terms = append(terms, scaledTerm(w2.Mul(factors[i]), of(c)))
	}
	n := len(m.f)
	for i, c := range s.Out {
		f := m.f[i%n].Neg()
		if i < n {
			f = f.Mul(q.w)
		}
		terms = append(terms, scaledTerm(f, of(c)))
	}
	return terms
}
