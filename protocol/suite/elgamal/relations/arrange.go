package relations

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Arrangement is: Out is In in another order, by one of a public list of permutations, each card
// remasked under Key: In was cut, or its last card was put at some place. The proof does not reveal by
// which permutation.
//
//	statement  key K; cards e_0 … e_(N−1) and e'_0 … e'_(N−1); a family φ_0 … φ_(N−1)
//	witness    k, ρ_i with e'_i = e_φ_k(i) + (ρ_i·G, ρ_i·K) for every i
//	draw       x; D_k = Σ x^i·(e'_i − e_φ_k(i)) for every k, in both components
//	claim      for one k, D_k = (σ·G, σ·K) with σ = Σ x^i·ρ_i (proveDisjunction)
//	proof      32·(4N − 1) bytes
//
// Families: for Cut, φ_k(i) = i + k mod N; for Insert, φ_k moves place N − 1 to k. For one card both
// are the one remasking, and the proof is that of Chaum and Pedersen.
//
// If no φ_k fits, each D_k masks something else than 0, except for N − 1 values of x.
//
// The prover computes each pair from the one before: for a cut, x^k·Σ x^i·e_(i+k) is a sum that grows
// by (x^N − 1)·x^k·e_k; for an insertion, only places k and k + 1 change. The verifier computes none.
// Cards before may be open, those after may not.
//
// Normative text: docs/spec/42-arrange.md. The prover takes constant time in k and ρ_i.
type Arrangement struct {
	Family  Family
	Key     *masking.Key
	In, Out []masking.Card
}

// Family is a list of as many permutations as there are cards.
type Family uint8

// Families. Other numbers are not families.
const (
	Cut Family = 1 + iota
	Insert
)

var familyNames = [...]string{"none", "cut", "insert"}

func (f Family) String() string { return familyNames[f] }

// FamilyNamed returns the family with a name, or a family that no statement may have if there is none.
func FamilyNamed(name string) Family { return Family(max(0, slices.Index(familyNames[:], name))) }

// sourcePlace returns φ_k(i) of n cards, the card that comes to place i, in constant time in k.
func (f Family) sourcePlace(k, i, n int) int {
	if f == Cut {
		return masking.RotatedPlace(k, i, n)
	}
	return masking.InsertedPlace(k, i, n)
}

// Label names the relation.
func (s Arrangement) Label() string { return "arrange/" + s.Family.String() + "/v1" }

// AppendTo absorbs the statement.
func (s Arrangement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("in", masking.Encode(s.In...))
	b.Bytes("out", masking.Encode(s.Out...))
}

// Verify checks the form of the statement and of a proof and adds its equations to b.
func (s Arrangement) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	t := transcript.New(ctx, s)
	powers := s.drawPowers(t)
	return verifyDisjunction(t, s.Key, len(s.In), bytes, func(weights []group.Scalar) pairTerms {
		return s.weightedSum(powers, weights)
	}, b)
}

// weightedSum returns the terms of Σ w_k·D_k = Σ w_k · Σ x^i·e'_i − Σ_j (Σ_k w_k·x^i: φ_k(i) = j)·e_j.
func (s Arrangement) weightedSum(powers, weights []group.Scalar) (terms pairTerms) {
	n := len(s.In)
	var all group.Scalar
	before := make([]group.Scalar, n)
	for k, w := range weights {
		all = all.Add(w)
		for i, x := range powers {
			j := s.Family.sourcePlace(k, i, n)
			before[j] = before[j].Sub(w.Mul(x))
		}
	}
	for i, x := range powers {
		terms.addPair(all.Mul(x), s.Out[i])
		terms.addPair(before[i], s.In[i])
	}
	return terms
}

// drawPowers draws x and returns x^0 … x^(N−1).
func (s Arrangement) drawPowers(t *transcript.Transcript) []group.Scalar {
	g := s.Key.Group()
	x := g.ScalarFromUniform(t.Challenge("x"))
	return group.Powers(g.One(), x, len(s.In))
}

func (s Arrangement) checkForm() error {
	if n := len(s.In); n < 1 || n > masking.MaxCards || len(s.Out) != n {
		return fmt.Errorf("%d cards are arranged as %d, must be as many, and 1 to %d", n, len(s.Out), masking.MaxCards)
	}
	if s.Family != Cut && s.Family != Insert {
		return errors.New("the order of the cards is of no family that is known")
	}
	return masking.CheckHidden("a card is left open", s.Out...)
}
