package tereliuswikstrom

import (
	"crypto/subtle"
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
	t, stream, err := masking.BeginProof(ctx, label, s, o, rand)
	if err != nil {
		return nil, err
	}
	k, err := drawNonces(s.Key.Group(), stream, len(s.In))
	if err != nil {
		return nil, err
	}
	return prove(t, s, o, k).proofBytes(), nil
}

// nonces are the prover's random values, named as in docs/spec.
type nonces struct {
	w1, w2, w3, w4 group.Scalar   // ω_1 … ω_4
	r, rhat        []group.Scalar // r_1 … r_N, r̂_1 … r̂_N
	what, wprime   []group.Scalar // ω̂_1 … ω̂_N, ω'_1 … ω'_N
}

func drawNonces(g *group.Group, stream io.Reader, n int) (*nonces, error) {
	v, err := g.RandomScalars(stream, 4+4*n)
	if err != nil {
		return nil, err
	}
	k := &nonces{w1: v[0], w2: v[1], w3: v[2], w4: v[3]}
	v = v[4:]
	k.r, k.rhat, k.what, k.wprime = v[:n], v[n:2*n], v[2*n:3*n], v[3*n:]
	return k, nil
}

func prove(t *transcript.Transcript, s masking.ShuffleStatement, o masking.Opening, k *nonces) *message {
	p := prover{s: s, o: o, k: k}
	p.m.C = commitPermutation(s.Key.Group(), o.Permutation, k.r)
	p.commitChain(challengesU(t, &p.m))
	p.answerChallenge(challengeC(t, &p.m))
	return &p.m
}

// prover is what the prover knows after each step.
type prover struct {
	s           masking.ShuffleStatement
	o           masking.Opening
	k           *nonces
	m           message
	u, permuted []group.Scalar // u and u'
	rn          group.Scalar   // R_N
}

// commitChain is step (2).
func (p *prover) commitChain(u []group.Scalar) {
	g := p.s.Key.Group()
	m, k := &p.m, p.k
	p.u, p.permuted = u, group.ScalarsAt(u, p.o.Permutation)
	p.rn = m.setChain(g, p.permuted, k)
	m.T1, m.T2 = g.MulBase(k.w1), g.MulBase(k.w2)
	m.T3 = g.MulBase(k.w3).Add(g.MultiMul(k.wprime, masking.Generators(g)[1:len(u)+1]))
	m.T4 = p.s.CombineCards(k.wprime, k.w4.Neg())
}

// answerChallenge is step (3).
func (p *prover) answerChallenge(c group.Scalar) {
	m, k := &p.m, p.k
	m.s1 = k.w1
	for _, r := range k.r {
		m.s1 = m.s1.Add(c.Mul(r))
	}
	m.s2 = k.w2.Add(c.Mul(p.rn))
	m.s3 = k.w3.Add(c.Mul(group.InnerProduct(p.u, k.r)))
	m.s4 = k.w4.Add(c.Mul(group.InnerProduct(p.permuted, p.o.Factors)))
	m.shat, m.sprime = group.ScaleAndAdd(c, k.rhat, k.what), group.ScaleAndAdd(c, p.permuted, k.wprime)
}

// commitPermutation returns C_j = r_j·G + G_i for the i with π(i) = j.
func commitPermutation(g *group.Group, pi []uint16, r []group.Scalar) []group.Element {
	generators, places := masking.Generators(g)[1:len(pi)+1], inversePermutation(pi)
	c := make([]group.Element, len(pi))
	for j := range c {
		c[j] = g.MulBase(r[j]).Add(group.ElementAt(generators, int(places[j])))
	}
	return c
}

// inversePermutation returns the inverse of a permutation in constant time.
func inversePermutation(pi []uint16) []uint16 {
	places := make([]uint16, len(pi))
	for j := range places {
		for i, p := range pi {
			hit := subtle.ConstantTimeEq(int32(p), int32(j))
			places[j] = uint16(subtle.ConstantTimeSelect(hit, i, int(places[j])))
		}
	}
	return places
}

// setChain sets Ĉ and T̂ and returns R_N. With Ĉ_i = R_i·G + U_i·H, all multiplications are of two
// fixed elements.
func (m *message) setChain(g *group.Group, permuted []group.Scalar, k *nonces) group.Scalar {
	sumR, productU := group.Scalar{}, g.One()
	for i, u := range permuted {
		w := k.wprime[i]
		m.That = append(m.That, commitPair(g, k.what[i].Add(w.Mul(sumR)), w.Mul(productU)))
		sumR, productU = k.rhat[i].Add(u.Mul(sumR)), u.Mul(productU)
		m.Chain = append(m.Chain, commitPair(g, sumR, productU))
	}
	return sumR
}

// commitPair returns a·G + b·H.
func commitPair(g *group.Group, a, b group.Scalar) group.Element {
	return g.MulBase(a).Add(tableH(g).Mul(b))
}

var tableH = group.OncePerGroup(func(g *group.Group) group.Table { return group.NewTable(masking.Generators(g)[0]) })

func (m *message) proofBytes() []byte {
	b := append(group.Encode(m.C...), group.Encode(m.Chain...)...)
	b = append(b, group.Encode(m.T1, m.T2, m.T3, m.T4.A, m.T4.B)...)
	b = append(b, group.Encode(m.That...)...)
	for _, list := range [][]group.Scalar{{m.s1, m.s2, m.s3, m.s4}, m.shat, m.sprime} {
		for _, s := range list {
			b = s.AppendTo(b)
		}
	}
	return b
}
