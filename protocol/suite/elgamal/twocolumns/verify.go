package twocolumns

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Verify checks the form of s and of a proof and adds equations (6) to (13) to b.
func (Argument) Verify(ctx transcript.Context, s shuffle.Statement, bytes []byte, b *group.Batch) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	return verify(transcript.New(ctx, s.WithLabel(label)), s, bytes, b)
}

func verify(t *transcript.Transcript, s shuffle.Statement, bytes []byte, b *group.Batch) error {
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

// addEquations adds all equations.
func (m *message) addEquations(b *group.Batch, q challenges, s shuffle.Statement) {
	m.checkProduct(b, q)
	m.checkZero(b, q)
	m.checkCombination(b, q, s)
}

// scaledTerm is S·P.
func scaledTerm(s group.Scalar, p group.Element) group.Term { return group.Term{S: s, P: p} }

// minusCommit appends the terms of −com(a; r) to others.
func minusCommit(terms []group.Term, a []group.Scalar, r group.Scalar) []group.Term {
	g := shuffle.Generators(terms[0].P.Group())
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

// partialProducts returns b̃_1 … b̃_n: the first is ã_1 and the last c·P, with
// P = Π (y·i + x^i − z).
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
	raised := func(v []group.Scalar, by group.Scalar) []group.Scalar { // by the same at every place
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
func (m *message) checkCombination(b *group.Batch, q challenges, s shuffle.Statement) {
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
func (m *message) combinationTerms(q challenges, w2, w3 group.Scalar, factors []group.Scalar, s shuffle.Statement, of func(masking.Card) group.Element) []group.Term {
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
