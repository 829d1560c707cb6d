package relations

import (
	"bytes"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// pairs are n pairs, of which that of number k masks nothing by sigma; none if k is n.
func pairs(t *testing.T, key *masking.Key, n, k int, sigma group.Scalar) []masking.Card {
	t.Helper()
	list := make([]masking.Card, n)
	for i := range list {
		list[i] = masking.Mask(key, handtest.Group.HashToElement("pair", []byte{byte(i)}), sigma)
	}
	if k < n {
		list[k] = masking.Mask(key, handtest.Group.Identity(), sigma)
	}
	return list
}

func sumOf(list []masking.Card) func([]group.Scalar) pairTerms {
	return func(weights []group.Scalar) (terms pairTerms) {
		for k, w := range weights {
			terms.addPair(w, list[k])
		}
		return terms
	}
}

func pairProof(t *testing.T, at transcript.Context, key *masking.Key, list []masking.Card, k int, sigma group.Scalar) []byte {
	t.Helper()
	times := func(k int, c group.Scalar) masking.Card {
		return masking.Card{A: group.Mul(c, list[k].A), B: group.Mul(c, list[k].B)}
	}
	return handtest.MustHave(proveDisjunction(handtest.TranscriptAt(at), key, len(list), k, sigma, times, handtest.NamedCoins("prover")))
}

func disjunctionOf(at transcript.Context, key *masking.Key, list []masking.Card, proof []byte) func(*group.Batch) {
	return func(b *group.Batch) {
		if verifyDisjunction(handtest.TranscriptAt(at), key, len(list), proof, sumOf(list), b) != nil {
			b.Add(group.Plus(handtest.Group.Generator())) // wrong in its form
		}
	}
}

// A proof of no pair that masks nothing, claimed of each; of an honest one, answers
// whose errors cancel in a sum without weights, or with those drawn before.
func TestDisjunctionForgeries(t *testing.T) {
	key, sigma := handtest.Secret(t).Key(), handtest.NamedScalars(t, "sigma", 1)[0]
	for n := 1; n <= 4; n++ {
		for k := range n {
			handtest.ExpectAccepted(t, "an honest proof", disjunctionOf(handtest.Here, key, pairs(t, key, n, k, sigma), pairProof(t, handtest.Here, key, pairs(t, key, n, k, sigma), k, sigma)))
			none := pairs(t, key, n, n, sigma)
			handtest.ExpectRefused(t, "a proof of none", disjunctionOf(handtest.Here, key, none, pairProof(t, handtest.Here, key, none, k, sigma)))
		}
	}
	list := pairs(t, key, 3, 1, sigma)
	proof := pairProof(t, handtest.Here, key, list, 1, sigma)
	p := handtest.Group.NewParser(proof)
	elements, scalars := p.Elements(6), p.Scalars(5)
	one := handtest.Group.One()
	scalars[2], scalars[3] = scalars[2].Add(one), scalars[3].Sub(one)
	forged := group.Encode(elements...)
	for _, s := range scalars {
		forged = s.AppendTo(forged)
	}
	handtest.ExpectRefused(t, "answers whose errors cancel", disjunctionOf(handtest.Here, key, list, forged))
}

// An accepted proof by one who knows no pair that masks nothing. The extractor takes two transcripts: the
// branch whose challenge changes is that of the pair, and its answers give the factor. Of an arrangement this
// is Σ x^i·ρ_i for each of N values of x, which give ρ_i (42.2).
func TestDisjunctionExtract(t *testing.T) {
	key, sigma := handtest.Secret(t).Key(), handtest.NamedScalars(t, "sigma", 1)[0]
	for n := 2; n <= 6; n++ {
		k := (n - 1) / 2
		list := pairs(t, key, n, k, sigma)
		var words [2][]byte
		var c, z [2][]group.Scalar
		for slot := range words {
			at := handtest.SlotContext(uint16(slot))
			proof := pairProof(t, at, key, list, k, sigma)
			handtest.ExpectAccepted(t, "an answer", disjunctionOf(at, key, list, proof))
			words[slot] = proof[:2*n*handtest.Group.ElementSize]
			p := handtest.Group.NewParser(proof[len(words[slot]):])
			c[slot], z[slot] = p.Scalars(n-1), p.Scalars(n)
		}
		testmust.Require(t, bytes.Equal(words[0], words[1]), "first words depend on the challenge")
		for other := range n {
			testmust.Holdf(t, z[0][other].Equal(z[1][other]) == (other != k), "branch %d of %d, where %d is true, has two answers: %v", other, n, k, other != k)
		}
		found := handtest.PolynomialThrough(t, []group.Scalar{c[0][k], c[1][k]}, []group.Scalar{z[0][k], z[1][k]})[1]
		testmust.Hold(t, found.Equal(sigma), n, "branches: what was extracted is not the factor")
	}
}

// A proof that tells more than that it is one: whoever chooses challenges and answers
// first makes one of pairs none of which masks nothing, and it is worth nothing under the
// challenge of the transcript.
func TestDisjunctionSimulate(t *testing.T) {
	const n = 3
	key, sigma := handtest.Secret(t).Key(), handtest.NamedScalars(t, "sigma", 1)[0]
	list := pairs(t, key, n, n, sigma)
	random := handtest.NamedScalars(t, "simulator", 2*n+1)
	c, z := random[:n], random[n:2*n]
	var commitments []group.Element
	for k, pair := range list {
		commitments = append(commitments,
			handtest.Group.MulBase(z[k]).Sub(group.Mul(c[k], pair.A)), group.Mul(z[k], key.Element()).Sub(group.Mul(c[k], pair.B)))
	}
	handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) {
		addEquations(b, key, commitments, c, z, sumOf(list), random[2*n])
	})
	proof := group.Encode(commitments...)
	for _, s := range append(c[:n-1:n-1], z...) {
		proof = s.AppendTo(proof)
	}
	handtest.ExpectRefused(t, "a simulated proof under the challenge of the transcript", disjunctionOf(handtest.Here, key, list, proof))
}
