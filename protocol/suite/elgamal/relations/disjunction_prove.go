package relations

import (
	"crypto/subtle"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// proveDisjunction proves that one of n pairs is (σ·G, σ·K): pair number choice, which is as secret as
// sigma. The pairs must be fixed by what t has absorbed; times returns c·D_k in constant time. Nonces
// are hedged by the witness and the place.
func proveDisjunction(t *transcript.Transcript, key *masking.Key, n, choice int, sigma group.Scalar, times func(k int, c group.Scalar) masking.Card, nonces *transcript.Stream) ([]byte, error) {
	g := key.Group()
	random, err := g.RandomScalars(nonces, 2*n)
	if err != nil {
		return nil, err
	}
	c, z := random[:n], random[n:]
	var left group.Scalar
	commitments := make([]group.Element, 0, 2*n)
	for k := range n {
		c[k] = group.SelectScalar(isChoice(k, choice), group.Scalar{}, c[k])
		left = left.Sub(c[k])
		pair := times(k, c[k])
		commitments = append(commitments, g.MulBase(z[k]).Sub(pair.A), key.Table().Mul(z[k]).Sub(pair.B))
	}
	left = left.Add(DrawPairs(t, commitments))
	bytes := make([]byte, 0, disjunctionSize(key.Group(), n))
	for _, e := range commitments {
		bytes = e.AppendTo(bytes)
	}
	for k := range n {
		c[k] = group.SelectScalar(isChoice(k, choice), left, c[k])
		z[k] = group.SelectScalar(isChoice(k, choice), z[k].Add(left.Mul(sigma)), z[k])
	}
	for _, s := range append(c[:n-1:n-1], z...) {
		bytes = s.AppendTo(bytes)
	}
	return bytes, nil
}

func isChoice(k, choice int) int { return subtle.ConstantTimeEq(int32(k), int32(choice)) }
