package bayergroth

import (
	"io"

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
	t, nonces, err := masking.BeginProof(ctx, label, s, o, rand)
	if err != nil {
		return nil, err
	}
	k, err := drawNonces(s.Key.Group(), nonces, len(s.In))
	if err != nil {
		return nil, err
	}
	m := prove(t, s, o, k)
	return m.proofBytes(), nil
}

// ProvePart is Prove for a proof that is part of another proof, with that proof's transcript and
// nonces.
func ProvePart(t *transcript.Transcript, s masking.ShuffleStatement, o masking.Opening, nonces *transcript.Stream) ([]byte, error) {
	if err := s.CheckForm(); err != nil {
		return nil, err
	}
	k, err := drawNonces(s.Key.Group(), nonces, len(s.In))
	if err != nil {
		return nil, err
	}
	t.Part(s.WithLabel(label))
	return prove(t, s, o, k).proofBytes(), nil
}

// ProveSum proves what VerifySum verifies, and returns the proof and c. The caller must have absorbed
// all the cards. Before c is drawn, ProveSum calls link with x, x², … and E*; link must absorb E* and
// everything else that c is to depend on. Requires: 2 ≤ len(cards).
func ProveSum(t *transcript.Transcript, key *masking.Key, cards []masking.Card, permutation []uint16, nonces *transcript.Stream, link func(powers []group.Scalar, sum masking.Card)) ([]byte, group.Scalar, error) {
	k, err := drawNonces(key.Group(), nonces, len(cards))
	if err != nil {
		return nil, group.Scalar{}, err
	}
	tau, err := key.Group().RandomScalar(nonces)
	if err != nil {
		return nil, group.Scalar{}, err
	}
	s := masking.ShuffleStatement{Key: key, Out: cards}
	m, c := proveLinked(t, s, permutation, k, func(powers, b []group.Scalar) group.Scalar {
		link(powers, s.CombineCards(b, tau.Neg()))
		return tau
	})
	return m.proofBytes(), c, nil
}

// nonces are the prover's random values, named as in docs/spec.
type nonces struct {
	r, s, rd, s1, sx, r0, tau group.Scalar
	d                         []group.Scalar // d'_1 … d'_N
	delta                     []group.Scalar // δ_1 … δ_N, with δ_1 = d'_1 and δ_N = 0
	a                         []group.Scalar
}

func drawNonces(g *group.Group, stream io.Reader, n int) (*nonces, error) {
	v, err := g.RandomScalars(stream, 7+3*n)
	if err != nil {
		return nil, err
	}
	k := &nonces{r: v[0], s: v[1], rd: v[2], s1: v[3], sx: v[4], r0: v[5], tau: v[6]}
	k.d, k.delta, k.a = v[7:7+n], v[7+n:7+2*n], v[7+2*n:]
	k.delta[0], k.delta[n-1] = k.d[0], group.Scalar{}
	return k, nil
}

func prove(t *transcript.Transcript, s masking.ShuffleStatement, o masking.Opening, k *nonces) *message {
	m, _ := proveLinked(t, s, o.Permutation, k, func(_, b []group.Scalar) group.Scalar {
		return group.InnerProduct(o.Factors, b)
	})
	return m
}

// proveLinked proves that s.Out is in the order of a permutation, and returns c. It calls link with all
// x^i and b before c is drawn; link absorbs what c is to depend on, and returns Σ ρ_i·b_i, the factor
// of the combination in (8).
func proveLinked(t *transcript.Transcript, s masking.ShuffleStatement, permutation []uint16, k *nonces, link func(powers, b []group.Scalar) group.Scalar) (*message, group.Scalar) {
	return proveOrder(s.Key.Group(), t, permutation, k, func(_, a []group.Scalar, tau group.Scalar) masking.Card { return s.CombineCards(a, tau) }, link)
}

// ProveOrder proves what VerifyOrder verifies, about len(permutation) cards. It calls combine for E,
// with b, and with a and τ drawn from nonces; τ_f is τ − c·factor. Requires: 2 ≤ len(permutation).
func ProveOrder(g *group.Group, t *transcript.Transcript, permutation []uint16, nonces io.Reader, combine combineFunc, factor group.Scalar) ([]byte, error) {
	k, err := drawNonces(g, nonces, len(permutation))
	if err != nil {
		return nil, err
	}
	m, _ := proveOrder(g, t, permutation, k, combine, func(_, _ []group.Scalar) group.Scalar { return factor })
	return m.proofBytes(), nil
}

func proveOrder(g *group.Group, t *transcript.Transcript, permutation []uint16, k *nonces, combine combineFunc, link func(powers, b []group.Scalar) group.Scalar) (*message, group.Scalar) {
	p := newProver(g, permutation, k, combine)
	p.commitPermutation()
	p.commitPowers(challengeX(t, p.m))
	p.commitProduct(challengeYZ(t, p.m))
	p.commitCombination()
	factor := link(p.powers, p.b)
	c := challengeC(t, p.m)
	p.answerChallenge(c, factor)
	return p.m, c
}

// combineFunc returns E for b, a and τ.
type combineFunc = func(b, a []group.Scalar, tau group.Scalar) masking.Card

// prover is what the prover knows after each step.
type prover struct {
	group       *group.Group
	combine     combineFunc
	permutation []uint16 // π(i) − 1
	k           *nonces
	m           *message
	powers, b   []group.Scalar // x^i and x^π(i)
	y           group.Scalar
	d, products []group.Scalar // d and p
}

func newProver(g *group.Group, permutation []uint16, k *nonces, combine combineFunc) *prover {
	n := len(permutation)
	return &prover{group: g, combine: combine, permutation: permutation, k: k, m: new(message), d: make([]group.Scalar, n), products: make([]group.Scalar, n)}
}

// commitPermutation is step (1).
func (p *prover) commitPermutation() {
	pi := make([]uint16, len(p.d))
	for i, place := range p.permutation {
		pi[i] = place + 1
	}
	p.m.A = commitSmall(p.group, pi, uint16(len(pi)), p.k.r)
}

// commitPowers is step (2).
func (p *prover) commitPowers(x group.Scalar) {
	p.powers = group.Powers(x, x, len(p.d))
	p.b = group.ScalarsAt(p.powers, p.permutation)
	p.m.B = masking.CommitVector(p.group, p.b, p.k.s)
}

// commitProduct is step (3) for the product.
func (p *prover) commitProduct(y, z group.Scalar) {
	n, k := len(p.d), p.k
	p.y = y
	for i := range p.d {
		p.d[i] = y.Mul(p.group.ScalarFromUint64(uint64(p.permutation[i]) + 1)).Add(p.b[i]).Sub(z)
		p.products[i] = p.d[i]
		if i > 0 {
			p.products[i] = p.products[i-1].Mul(p.d[i])
		}
	}
	p.m.Cd = masking.CommitVector(p.group, k.d, k.rd)
	low, high := make([]group.Scalar, n-1), make([]group.Scalar, n-1)
	for i := range n - 1 {
		low[i] = k.delta[i].Mul(k.d[i+1]).Neg()
		high[i] = k.delta[i+1].Sub(p.d[i+1].Mul(k.delta[i])).Sub(p.products[i].Mul(k.d[i+1]))
	}
	p.m.Cdelta, p.m.CDelta = masking.CommitVector(p.group, low, k.s1), masking.CommitVector(p.group, high, k.sx)
}

// commitCombination is step (3) for the linear combination of cards.
func (p *prover) commitCombination() {
	p.m.C0 = masking.CommitVector(p.group, p.k.a, p.k.r0)
	p.m.E = p.combine(p.b, p.k.a, p.k.tau)
}

// answerChallenge is step (4).
func (p *prover) answerChallenge(c, factor group.Scalar) {
	m, k := p.m, p.k
	m.a, m.f = group.ScaleAndAdd(c, p.d, k.d), group.ScaleAndAdd(c, p.b, k.a)
	m.b = group.ScaleAndAdd(c, p.products, k.delta)[1 : len(p.d)-1]
	m.r = c.Mul(p.y.Mul(k.r).Add(k.s)).Add(k.rd)
	m.s = c.Mul(k.sx).Add(k.s1)
	m.rf = c.Mul(k.s).Add(k.r0)
	m.tauf = k.tau.Sub(c.Mul(factor))
}

// commitSmall returns com(a; r) for numbers of few bits, in constant time.
func commitSmall(g *group.Group, a []uint16, bound uint16, r group.Scalar) group.Element {
	generators := masking.Generators(g)
	return group.Mul(r, generators[0]).Add(g.SmallMultiMul(a, bound, generators[1:len(a)+1]))
}

func (m *message) proofBytes() []byte {
	b := make([]byte, 0, Size(m.A.Group(), len(m.a)))
	for _, e := range []group.Element{m.A, m.B, m.Cd, m.Cdelta, m.CDelta, m.C0, m.E.A, m.E.B} {
		b = e.AppendTo(b)
	}
	for _, list := range [][]group.Scalar{m.a, m.b, m.f, {m.r, m.s, m.rf, m.tauf}} {
		for _, s := range list {
			b = s.AppendTo(b)
		}
	}
	return b
}
