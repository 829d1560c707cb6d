// Package tereliuswikstrom proves a shuffle by the argument of Terelius and
// Wikström ("Proofs of Restricted Shuffles", Africacrypt 2010), in the form of
// Haenni and Locher ("Performance of Shuffling: Taking It to the Limits",
// VOTING 2020; Haenni, Locher, Koenig, Dubuis, "Pseudo-Code Algorithms for
// Verifiable Re-Encryption Mix-Nets", VOTING 2017), with commitments in the
// proof in place of a challenge, so that all equations are linear and can be
// checked together with others.
//
// The prover sends (1) C, a commitment to the matrix of the permutation, and receives u_1, …, u_N; (2)
// Ĉ, a chain to the product of the u'_i = u_π(i), and the commitments T, and receives c; (3) the
// responses. Letters and the verifier's equations (4) to (8) are those of the normative text,
// docs/spec/41-shuffles.md, 41.1.
//
// Why it holds. C commits to a matrix by columns before the u are drawn. A matrix is that of a
// permutation if and only if its rows sum to one, (4), and the product of its products with independent
// variables equals the product of these variables, Π u'_i = Π u_i, (5) and (8) for the u' of (6)
// (Terelius and Wikström, Theorem 1). Then (7) shows the shuffle, since the u' are the u in the order
// π.
//
// It promises completeness, computational soundness under the discrete
// logarithm assumption (the prover cannot break the commitments), and perfect
// special honest-verifier zero knowledge; under Fiat–Shamir in the random
// oracle model. The prover takes constant time, and its memory accesses do not
// depend on the permutation.
package tereliuswikstrom

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
func Size(g *group.Group, n int) int { return g.ScalarSize * (5*n + 9) }

// label names the relation and this argument.
const label = "shuffle/terelius-wikstrom/v1"

// message is a proof: what the prover sends in steps (1) to (3).
type message struct {
	C, Chain       []group.Element // C_1 … C_N, Ĉ_1 … Ĉ_N
	T1, T2, T3     group.Element
	T4             masking.Card
	That           []group.Element // T̂_1 … T̂_N
	s1, s2, s3, s4 group.Scalar
	shat, sprime   []group.Scalar // ŝ_1 … ŝ_N, s'_1 … s'_N
}

func parseMessage(g *group.Group, bytes []byte, n int) (*message, error) {
	p := g.NewSizedParser(bytes, Size(g, n))
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
		u[i] = m.C[0].Group().ScalarFromUniform(t.Challenge("u"))
	}
	return u
}

// challengeC draws c, which depends on everything sent before (3).
func challengeC(t *transcript.Transcript, m *message) group.Scalar {
	t.Append("chain", group.Encode(m.Chain...))
	t.Append("T_1", m.T1.Bytes())
	t.Append("T_2", m.T2.Bytes())
	t.Append("T_3", m.T3.Bytes())
	t.Append("T_4", m.T4.Bytes())
	t.Append("T_hat", group.Encode(m.That...))
	return m.T1.Group().ScalarFromUniform(t.Challenge("c"))
}

// Verify checks the form of s and of a proof and adds equations (4) to (8) to b.
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
	u := challengesU(t, m)
	m.addEquations(b, s, u, challengeC(t, m))
	return nil
}

func (m *message) addEquations(b *group.Batch, s masking.ShuffleStatement, u []group.Scalar, c group.Scalar) {
	m.checkMatrix(b, u, c)
	m.checkChain(b, u, c)
	m.checkCombination(b, s, u, c)
}

// checkMatrix adds (4) and (6).
func (m *message) checkMatrix(b *group.Batch, u []group.Scalar, c group.Scalar) {
	g, base := masking.Generators(m.T1.Group())[1:], m.T1.Group().Generator()

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
	base, before := g.Generator(), masking.Generators(g)[0]

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
func (m *message) checkCombination(b *group.Batch, s masking.ShuffleStatement, u []group.Scalar, c group.Scalar) {
	as, bs := masking.CardColumns(s.In)
	outAs, outBs := masking.CardColumns(s.Out)
	b.Add(m.combinationTerms(u, c, as, outAs, m.T4.A, s.Key.Group().Generator())...)
	b.Add(m.combinationTerms(u, c, bs, outBs, m.T4.B, s.Key.Element())...)
}

// combinationTerms returns one component of (7): T_4 + c·Σ u_i·e_i − Σ s'_i·e'_i + s_4·base = 0.
func (m *message) combinationTerms(u []group.Scalar, c group.Scalar, in, out []group.Element, t4, base group.Element) []group.Term {
	terms := append(make([]group.Term, 0, 2*len(in)+2), group.Plus(t4), group.Term{S: m.s4, P: base})
	for i := range in {
		terms = append(terms, group.Term{S: c.Mul(u[i]), P: in[i]}, group.Term{S: m.sprime[i].Neg(), P: out[i]})
	}
	return terms
}
