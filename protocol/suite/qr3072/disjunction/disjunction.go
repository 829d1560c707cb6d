// Code generated from ristretto255/disjunction/disjunction.go by go generate ./protocol/suite; DO NOT EDIT.

// Package disjunction is protocol/suite/ristretto255/disjunction over the classes of squares modulo the 3072-bit
// prime of RFC 3526 (package protocol/suite/qr3072/group) in place of ristretto255.
package disjunction

import (
	"github.com/pakli/pakli/protocol/suite/qr3072/group"
	"github.com/pakli/pakli/protocol/suite/qr3072/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Size returns the length of a proof of one of n pairs, in bytes.
func Size(n int) int { return group.ElementSize*2*n + group.ScalarSize*(2*n-1) }

// Terms are the terms of a sum of pairs: of first components, and of second.
type Terms struct{ A, B []group.Term }

// AddPair adds s·c.
func (t *Terms) AddPair(s group.Scalar, c masking.Card) {
	t.A, t.B = append(t.A, group.Term{S: s, P: c.A}), append(t.B, group.Term{S: s, P: c.B})
}

// Verify checks the form of a proof that one of n pairs is (σ·G, σ·K) and adds its
// equations to b. The pairs must be fixed by what t has absorbed; sum returns the terms
// of Σ weights[k]·D_k.
func Verify(t *transcript.Transcript, k *masking.Key, n int, bytes []byte, sum func(weights []group.Scalar) Terms, b *group.Batch) error {
	p := group.NewSizedParser(bytes, Size(n))
	commitments, free, z := p.Elements(2*n), p.Scalars(n-1), p.Scalars(n)
	if err := p.Close(); err != nil {
		return err
	}
	c := append(free, drawChallenge(t, commitments))
	for _, other := range free {
		c[n-1] = c[n-1].Sub(other)
	}
	t.Append("answer", bytes[2*n*group.ElementSize:])
	addEquations(b, k, commitments, c, z, sum, group.ScalarFromUniform(t.Challenge("delta")))
	return nil
}

// addEquations adds Σ δ^k·(z_k·G − T1_k − c_k·D_kA) = 0, and the same of K, T2 and D_kB.
func addEquations(b *group.Batch, key *masking.Key, commitments []*group.Element, c, z []group.Scalar, sum func([]group.Scalar) Terms, delta group.Scalar) {
	weights := group.Powers(group.ScalarFromUint64(1), delta, len(c))
	all := make([]group.Scalar, len(c))
	for k, w := range weights {
		all[k] = w.Mul(c[k]).Neg()
	}
	terms, answer := sum(all), group.InnerProduct(weights, z)
	terms.AddPair(answer, masking.Card{A: group.Generator(), B: key.Element()})
	for k, w := range weights {
		terms.AddPair(w.Neg(), masking.Card{A: commitments[2*k], B: commitments[2*k+1]})
	}
	b.Add(terms.A...)
	b.Add(terms.B...)
}

func drawChallenge(t *transcript.Transcript, commitments []*group.Element) group.Scalar {
	for i := 0; i < len(commitments); i += 2 {
		t.Append("T1", commitments[i].Bytes())
		t.Append("T2", commitments[i+1].Bytes())
	}
	return group.ScalarFromUniform(t.Challenge("c"))
}
