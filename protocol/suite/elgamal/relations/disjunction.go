package relations

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// verifyDisjunction checks the form of a proof that one of F public pairs of elements is a masked zero,
// (σ·G, σ·K), which does not reveal which one (Cramer, Damgård, Schoenmakers, "Proofs of Partial
// Knowledge", Crypto 1994), and adds its equations to b. It is the last part of the proofs of
// arrangements and of new cards, which define the pairs.
//
//	pairs       D_0 … D_(F−1), each (D_kA, D_kB), fixed by what is absorbed
//	witness     one k and σ with D_k = (σ·G, σ·K)
//	commitment  T1_k = w·G, T2_k = w·K for that k; for all others c_k and z_k are
//	            drawn, T1_k = z_k·G − c_k·D_kA, T2_k = z_k·K − c_k·D_kB
//	challenge   c = Σ c_k = H(…, T1_0, T2_0, …)
//	response    z_k = w + c_k·σ for the true k
//	checks      z_k·G − T1_k − c_k·D_kA = 0,  z_k·K − T2_k − c_k·D_kB = 0 for every k
//	proof       T1_0 ‖ T2_0 ‖ … ‖ c_0 … c_(F−2) ‖ z_0 … z_(F−1), 32·(4F − 1) bytes
//
// The verifier adds up the checks of all k with weights δ^k, which it draws after absorbing the whole
// proof. So two equations go to the batch, and no D_k is computed.
//
// Normative text: docs/spec/42-arrange.md, 42.2.
//
// It promises completeness, special soundness (two answers to one commitment differ in some c_k, and
// give σ for that k) and perfect special honest-verifier zero knowledge. The prover takes the same
// steps for every branch: the true branch is a simulated one of challenge 0, corrected afterwards by
// arithmetic.
//
// The pairs must be fixed by what t has absorbed; sum returns the terms of Σ weights[k]·D_k.
func verifyDisjunction(t *transcript.Transcript, k *masking.Key, n int, bytes []byte, sum func(weights []group.Scalar) pairTerms, b *group.Batch) error {
	g := k.Group()
	p := g.NewSizedParser(bytes, disjunctionSize(k.Group(), n))
	commitments, free, z := p.Elements(2*n), p.Scalars(n-1), p.Scalars(n)
	if err := p.Close(); err != nil {
		return err
	}
	c := append(free, DrawPairs(t, commitments))
	for _, other := range free {
		c[n-1] = c[n-1].Sub(other)
	}
	t.Append("answer", bytes[2*n*g.ElementSize:])
	addEquations(b, k, commitments, c, z, sum, g.ScalarFromUniform(t.Challenge("delta")))
	return nil
}

// disjunctionSize returns the length of a proof of one of n pairs, in bytes.
func disjunctionSize(g *group.Group, n int) int { return g.ElementSize*2*n + g.ScalarSize*(2*n-1) }

// pairTerms are the terms of a sum of pairs, for the first and the second components.
type pairTerms struct{ A, B []group.Term }

// addPair adds s·c.
func (t *pairTerms) addPair(s group.Scalar, c masking.Card) {
	t.A, t.B = append(t.A, group.Term{S: s, P: c.A}), append(t.B, group.Term{S: s, P: c.B})
}

// addEquations adds Σ δ^k·(z_k·G − T1_k − c_k·D_kA) = 0, and the same for K, T2 and D_kB.
func addEquations(b *group.Batch, key *masking.Key, commitments []group.Element, c, z []group.Scalar, sum func([]group.Scalar) pairTerms, delta group.Scalar) {
	g := key.Group()
	weights := group.Powers(g.One(), delta, len(c))
	all := make([]group.Scalar, len(c))
	for k, w := range weights {
		all[k] = w.Mul(c[k]).Neg()
	}
	terms, answer := sum(all), group.InnerProduct(weights, z)
	terms.addPair(answer, masking.Card{A: g.Generator(), B: key.Element()})
	for k, w := range weights {
		terms.addPair(w.Neg(), masking.Card{A: commitments[2*k], B: commitments[2*k+1]})
	}
	b.Add(terms.A...)
	b.Add(terms.B...)
}

// DrawPairs draws the challenge after absorbing the commitments T1 and T2 of every branch.
func DrawPairs(t *transcript.Transcript, commitments []group.Element) group.Scalar {
	for i := 0; i < len(commitments); i += 2 {
		t.Append("T1", commitments[i].Bytes())
		t.Append("T2", commitments[i+1].Bytes())
	}
	return commitments[0].Group().ScalarFromUniform(t.Challenge("c"))
}
