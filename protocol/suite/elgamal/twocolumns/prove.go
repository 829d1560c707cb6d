package twocolumns

import (
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prover is the argument with its proving side.
type Prover struct{ Argument }

var _ masking.ShuffleProver = Prover{}

// Prove proves s by o. It returns proof.ErrFalse if o does not have the form of a witness. Requires: o
// made the cards of s.
func (Prover) Prove(ctx transcript.Context, s masking.ShuffleStatement, o masking.Opening, rand io.Reader) ([]byte, error) {
	t, stream, err := masking.BeginProof(ctx, label, s, o, rand)
	if err != nil {
		return nil, err
	}
	k, err := drawNonces(s.Key.Group(), stream, columnHeight(len(s.In)))
	if err != nil {
		return nil, err
	}
	return prove(t, s, o, k).proofBytes(), nil
}

// nonces are the prover's random values, named as in docs/spec.
type nonces struct {
	r, s              [2]group.Scalar
	h, rd, s1, sx, r0 group.Scalar
	beta, sigma, tau  [3]group.Scalar
	ralpha, sbeta     group.Scalar
	t                 [4]group.Scalar
	d, delta          []group.Scalar // d'_1 … d'_n, δ_1 … δ_n
	a, alpha, betas   []group.Scalar // a, α, β of n values
}

func drawNonces(g *group.Group, stream io.Reader, n int) (*nonces, error) {
	v, err := g.RandomScalars(stream, 24+5*n)
	if err != nil {
		return nil, err
	}
	k := &nonces{
		r: [2]group.Scalar(v[0:]), s: [2]group.Scalar(v[2:]),
		h: v[4], rd: v[5], s1: v[6], sx: v[7], r0: v[8],
		beta: [3]group.Scalar(v[9:]), sigma: [3]group.Scalar(v[12:]), tau: [3]group.Scalar(v[15:]),
		ralpha: v[18], sbeta: v[19], t: [4]group.Scalar(v[20:]),
	}
	v = v[24:]
	k.d, k.delta, k.a, k.alpha, k.betas = v[:n], v[n:2*n], v[2*n:3*n], v[3*n:4*n], v[4*n:]
	k.delta[0], k.delta[n-1] = k.d[0], group.Scalar{}
	return k, nil
}

// prover is what the prover knows after each step. Vectors have 2n places.
type prover struct {
	n    int
	s    masking.ShuffleStatement
	o    masking.Opening
	k    *nonces
	m    message
	pi   []uint16       // π
	b, d []group.Scalar // b and d
	t    [2]group.Scalar
	p, q []group.Scalar // p = d_1∘d_2 and its partial products
}

// newProver extends π by the identity on the remaining places.
func newProver(s masking.ShuffleStatement, o masking.Opening, k *nonces) *prover {
	p := &prover{n: len(k.d), s: s, o: o, k: k, pi: slices.Clone(o.Permutation)}
	for i := len(p.pi); i < 2*p.n; i++ {
		p.pi = append(p.pi, uint16(i))
	}
	return p
}

func prove(t *transcript.Transcript, s masking.ShuffleStatement, o masking.Opening, k *nonces) *message {
	p := newProver(s, o, k)
	var q challenges
	p.commitPermutation()
	q.drawX(t, &p.m)
	p.commitPowers(q)
	q.drawYZ(t, &p.m)
	p.multiplyColumns(q)
	p.commitProduct()
	p.commitCombination()
	q.drawUVCW(t, &p.m)
	p.commitZero(q)
	q.drawE(t, &p.m)
	p.answerChallenge(q)
	return &p.m
}

// commitPermutation is step (1).
func (p *prover) commitPermutation() {
	g := p.s.Key.Group()
	first, second := splitColumns(p.pi, p.n)
	for k, column := range [][]uint16{first, second} {
		small := g.SmallMultiMul(column, uint16(2*p.n-1), masking.Generators(g)[1:p.n+1])
		p.m.A[k] = tables(g)[0].Mul(p.k.r[k]).Add(small)
	}
}

// commitPowers is step (2).
func (p *prover) commitPowers(q challenges) {
	p.b = group.ScalarsAt(group.Powers(p.s.Key.Group().One(), q.x, 2*p.n), p.pi)
	first, second := splitColumns(p.b, p.n)
	p.m.B = [2]group.Element{masking.CommitVector(p.s.Key.Group(), first, p.k.s[0]), masking.CommitVector(p.s.Key.Group(), second, p.k.s[1])}
}

// multiplyColumns computes d, p and q, with which step (3) begins.
func (p *prover) multiplyColumns(q challenges) {
	for i, b := range p.b {
		p.d = append(p.d, q.y.Mul(p.s.Key.Group().ScalarFromUint64(uint64(p.pi[i]))).Add(b).Sub(q.z))
	}
	for k := range p.t {
		p.t[k] = q.y.Mul(p.k.r[k]).Add(p.k.s[k])
	}
	product := p.s.Key.Group().One()
	for l := range p.n {
		p.p = append(p.p, p.d[l].Mul(p.d[p.n+l]))
		product = product.Mul(p.p[l])
		p.q = append(p.q, product)
	}
}

// commitProduct is step (3) for the product.
func (p *prover) commitProduct() {
	p.m.H, p.m.Cd = masking.CommitVector(p.s.Key.Group(), p.p, p.k.h), masking.CommitVector(p.s.Key.Group(), p.k.d, p.k.rd)
	low, high := make([]group.Scalar, p.n-1), make([]group.Scalar, p.n-1)
	for l := range p.n - 1 {
		low[l] = p.k.delta[l].Mul(p.k.d[l+1]).Neg()
		high[l] = p.k.delta[l+1].Sub(p.p[l+1].Mul(p.k.delta[l])).Sub(p.q[l].Mul(p.k.d[l+1]))
	}
	p.m.Cdelta, p.m.CDelta = masking.CommitVector(p.s.Key.Group(), low, p.k.s1), masking.CommitVector(p.s.Key.Group(), high, p.k.sx)
}

// commitCombination is step (3) for the linear combination of cards.
func (p *prover) commitCombination() {
	p.m.C0 = masking.CommitVector(p.s.Key.Group(), p.k.a, p.k.r0)
	for k := range p.m.Cbeta {
		p.m.Cbeta[k] = commitOne(p.s.Key.Group(), p.k.beta[k], p.k.sigma[k])
	}
	b1, b2 := splitColumns(p.b, p.n)
	first, second := splitColumns(p.s.Out, p.n)
	p.m.E = [3]masking.Card{
		p.combineCards(0, p.k.a[:len(second)], second),
		p.combineCards(1, append(p.k.a[:len(first):len(first)], b1[:len(second)]...), p.s.Out),
		p.combineCards(2, b2[:len(first)], first),
	}
}

// combineCards returns Enc(β_k; τ_k) + Σ a_i·cards_i.
func (p *prover) combineCards(k int, a []group.Scalar, cards []masking.Card) masking.Card {
	sum := masking.ShuffleStatement{Key: p.s.Key, Out: cards}.CombineCards(a, p.k.tau[k])
	return masking.Card{A: sum.A, B: sum.B.Add(p.s.Key.Group().MulBase(p.k.beta[k]))}
}

// commitZero is step (4).
func (p *prover) commitZero(q challenges) {
	p.m.Zalpha, p.m.Zbeta = masking.CommitVector(p.s.Key.Group(), p.k.alpha, p.k.ralpha), masking.CommitVector(p.s.Key.Group(), p.k.betas, p.k.sbeta)
	g, h := p.zeroVectors(q)
	at := func(i, j int) group.Scalar { return starProduct(g[i], h[j], q.v) }
	for k, diagonal := range [4]group.Scalar{
		at(0, 2),
		at(0, 1).Add(at(1, 2)),
		at(0, 0).Add(at(1, 1)).Add(at(2, 2)),
		at(2, 0),
	} {
		p.m.Z[k] = commitOne(p.s.Key.Group(), diagonal, p.k.t[k])
	}
}

// zeroVectors returns g_0, g_1, g_2 and h_0, h_1, h_2.
func (p *prover) zeroVectors(q challenges) (g, h [3][]group.Scalar) {
	d1, d2 := splitColumns(p.d, p.n)
	zero := make([]group.Scalar, p.n)
	g = [3][]group.Scalar{p.k.alpha, d2, slices.Repeat([]group.Scalar{p.s.Key.Group().One().Neg()}, p.n)}
	h = [3][]group.Scalar{group.ScaleAndAdd(q.u, d1, zero), group.ScaleAndAdd(q.u, p.p, zero), p.k.betas}
	return g, h
}

// answerChallenge is step (5).
func (p *prover) answerChallenge(q challenges) {
	m, k := &p.m, p.k
	m.a, m.b = group.ScaleAndAdd(q.c, p.p, k.d), group.ScaleAndAdd(q.c, p.q, k.delta)[1:p.n-1]
	m.ra, m.sb = q.c.Mul(k.h).Add(k.rd), q.c.Mul(k.sx).Add(k.s1)

	g, h := p.zeroVectors(q)
	e, u := q.e, q.u
	m.g = group.ScaleAndAdd(e, group.ScaleAndAdd(e, g[2], g[1]), g[0])
	m.h = group.ScaleAndAdd(e, group.ScaleAndAdd(e, h[0], h[1]), h[2])
	m.rg = e.Mul(p.t[1]).Add(k.ralpha)
	m.sh = e.Mul(e.Mul(u.Mul(p.t[0])).Add(u.Mul(k.h))).Add(k.sbeta)
	m.t = evaluatePolynomial(e, k.t[0], k.t[1], k.t[2], group.Scalar{}, k.t[3])

	b1, b2 := splitColumns(p.b, p.n)
	m.f = group.ScaleAndAdd(q.w, group.ScaleAndAdd(q.w, b2, b1), k.a)
	m.rf = evaluatePolynomial(q.w, k.r0, k.s[0], k.s[1])
	m.beta = evaluatePolynomial(q.w, k.beta[0], k.beta[1], group.Scalar{}, k.beta[2])
	m.sigma = evaluatePolynomial(q.w, k.sigma[0], k.sigma[1], group.Scalar{}, k.sigma[2])
	rho := group.InnerProduct(p.o.Factors, p.b[:len(p.o.Factors)])
	m.tau = evaluatePolynomial(q.w, k.tau[0], k.tau[1], rho.Neg(), k.tau[2])
}

// evaluatePolynomial returns Σ coefficients_k·x^k.
func evaluatePolynomial(x group.Scalar, coefficients ...group.Scalar) group.Scalar {
	var sum group.Scalar
	for _, c := range slices.Backward(coefficients) {
		sum = sum.Mul(x).Add(c)
	}
	return sum
}

// commitOne returns com_1(a; r) in constant time.
func commitOne(g *group.Group, a, r group.Scalar) group.Element {
	t := tables(g)
	return t[0].Mul(r).Add(t[1].Mul(a))
}

// tables returns the tables of G_0 and G_1.
var tables = group.OncePerGroup(func(g *group.Group) [2]group.Table {
	generators := masking.Generators(g)
	return [2]group.Table{group.NewTable(generators[0]), group.NewTable(generators[1])}
})

func (m *message) proofBytes() []byte {
	var b []byte
	for _, e := range m.elementPlaces() {
		b = (*e).AppendTo(b)
	}
	for _, list := range [][]group.Scalar{m.a, m.b, m.g, m.h, m.f} {
		for _, s := range list {
			b = s.AppendTo(b)
		}
	}
	for _, s := range m.scalarPlaces() {
		b = s.AppendTo(b)
	}
	return b
}
