package tereliuswikstrom

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Verify checks the form of s and of a proof and adds equations (4) to (8) to b.
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
	u := challengesU(t, m)
	m.addEquations(b, s, u, challengeC(t, m))
	return nil
}

// addEquations adds all equations.
func (m *message) addEquations(b *group.Batch, s shuffle.Statement, u []group.Scalar, c group.Scalar) {
	m.checkMatrix(b, u, c)
	m.checkChain(b, u, c)
	m.checkCombination(b, s, u, c)
}

// checkMatrix adds (4) and (6).
func (m *message) checkMatrix(b *group.Batch, u []group.Scalar, c group.Scalar) {
	g, base := shuffle.Generators(m.T1.Group())[1:], m.T1.Group().Generator()

	// (4)  T_1 + c·Σ C_i − c·Σ G_i − s_1·G = 0
	terms := append(make([]group.Term, 0, 2*len(u)+2), group.Plus(m.T1), group.Term{S: m.s1.Neg(), P: base})
	minus := c.Neg()
	for i := range u {
		terms = append(terms, group.Term{S: c, P: m.C[i]}, group.Term{S: minus, P: g[i]})
	}
	b.Add(terms...)

	// (6)  T_3 + c·Σ u_i·C_i − s_3·G − Σ s'_i·G_i = 0
	terms = append(make([]group.Term, 0, 2*len(u)+2), group.Plus(m.T3), group.Term{S: m.s3.Neg(), P: base})
	for i := range u {
		terms = append(terms, group.Term{S: c.Mul(u[i]), P: m.C[i]}, group.Term{S: m.sprime[i].Neg(), P: g[i]})
	}
	b.Add(terms...)
}

// checkChain adds (5) and (8).
func (m *message) checkChain(b *group.Batch, u []group.Scalar, c group.Scalar) {
	g := m.T1.Group()
	base, before := g.Generator(), shuffle.Generators(g)[0]

	// (5)  T_2 + c·Ĉ_N − c·(Π u_i)·H − s_2·G = 0
	product := c.Neg()
	for _, ui := range u {
		product = product.Mul(ui)
	}
	b.Add(group.Plus(m.T2), group.Term{S: c, P: m.Chain[len(u)-1]},
		group.Term{S: product, P: before}, group.Term{S: m.s2.Neg(), P: base})

	// (8)  T̂_i + c·Ĉ_i − ŝ_i·G − s'_i·Ĉ_{i−1} = 0
	for i, link := range m.Chain {
		b.Add(group.Plus(m.That[i]), group.Term{S: c, P: link},
			group.Term{S: m.shat[i].Neg(), P: base}, group.Term{S: m.sprime[i].Neg(), P: before})
		before = link
	}
}

// checkCombination adds (7).
func (m *message) checkCombination(b *group.Batch, s shuffle.Statement, u []group.Scalar, c group.Scalar) {
	as, bs := shuffle.CardColumns(s.In)
	outAs, outBs := shuffle.CardColumns(s.Out)
	b.Add(m.combinationTerms(u, c, as, outAs, m.T4.A, s.Key.Group().Generator())...)
	b.Add(m.combinationTerms(u, c, bs, outBs, m.T4.B, s.Key.Element())...)
}

// combinationTerms is one component of (7):
// T_4 + c·Σ u_i·e_i − Σ s'_i·e'_i + s_4·base = 0.
func (m *message) combinationTerms(u []group.Scalar, c group.Scalar, in, out []group.Element, t4, base group.Element) []group.Term {
	terms := append(make([]group.Term, 0, 2*len(in)+2), group.Plus(t4), group.Term{S: m.s4, P: base})
	for i := range in {
		terms = append(terms, group.Term{S: c.Mul(u[i]), P: in[i]}, group.Term{S: m.sprime[i].Neg(), P: out[i]})
	}
	return terms
}
