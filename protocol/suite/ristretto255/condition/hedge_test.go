package condition_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/ristretto255/condition"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// about is: of cards of x with these faces of a deck of 42, between min and max are
// in a set.
func about(t *testing.T, x *masking.Secret, set card.Set, min, max int, faces ...card.Face) condition.Statement {
	t.Helper()
	d := deck(t, 42)
	return condition.Statement{
		Key: x.Key(), Deck: d, Set: set, Min: min, Max: max,
		Cards: handtest.Mask(t, x.Key(), handtest.Elements(d, faces...)...),
	}
}

// first returns the first n cards that a proof has.
func first(t *testing.T, proof []byte, n int) []masking.Card {
	t.Helper()
	cards := make([]masking.Card, n)
	for i := range cards {
		cards[i] = testmust.Have(masking.ParseCard(proof[i*masking.CardSize:][:masking.CardSize]))(t)
	}
	return cards
}

// hedged proves as a machine does that was restored from a snapshot, and unhedged
// does so with nonces that are the same everywhere.
func hedged(t *testing.T, at transcript.Context, x *masking.Secret, s condition.Statement) []byte {
	t.Helper()
	return handtest.Must(condition.Prove(at, s, x.Scalar(), handtest.Again(1)))
}

func unhedged(t *testing.T, at transcript.Context, x *masking.Secret, s condition.Statement) []byte {
	t.Helper()
	nonces := handtest.Must(handtest.Transcript(handtest.Here).Hedge(nil, handtest.Again(1)))
	return handtest.Must(condition.ProveBy(transcript.New(at, s), s, x.Scalar(), nonces))
}

// TestNoncesOfARestoredMachine: two proofs at two places have a value in common,
// whatever their plan: a blinded face by the same ρ, a response of a branch that is
// simulated, a commitment by the same nonce.
func TestNoncesOfARestoredMachine(t *testing.T) {
	x := handtest.Secret(t)
	for _, c := range shapes {
		s := c.hand(t, x)
		overlap := func(prove func(*testing.T, transcript.Context, *masking.Secret, condition.Statement) []byte) bool {
			seen := map[string]bool{}
			for value := range slices.Chunk(prove(t, handtest.Here, x, s), 32) {
				seen[string(value)] = true
			}
			return slices.ContainsFunc(slices.Collect(slices.Chunk(prove(t, handtest.At(1), x, s), 32)),
				func(value []byte) bool { return seen[string(value)] })
		}
		if c.plan != "nothing" && !overlap(unhedged) {
			t.Errorf("%v: the attack is built wrong: unhedged proofs have nothing in common", c)
		}
		if overlap(hedged) {
			t.Errorf("%v: two proofs have a value in common", c)
		}
	}
}

// TestPermutedHandOfARestoredMachine: two hands are permuted alike and masked by
// the same factors, and everybody reads from where in the hand the first cards
// came, which are those in the set.
func TestPermutedHandOfARestoredMachine(t *testing.T) {
	x := handtest.Secret(t)
	set := card.SetOf(handtest.Faces(0, 22)...)
	faces := append(handtest.Faces(10, 18), 30)
	s, other := about(t, x, set, 8, 8, faces...), about(t, x, set, 8, 8, faces...)
	if !s.Plan().Permuted {
		t.Fatal("the attack is built wrong: the hand is not permuted")
	}
	read := func(prove func(*testing.T, transcript.Context, *masking.Secret, condition.Statement) []byte, at transcript.Context, s2 condition.Statement) map[int]int {
		a, b := first(t, prove(t, handtest.Here, x, s), 9), first(t, prove(t, at, x, s2), 9)
		return handtest.Linked(s.Cards, a, s2.Cards, b)
	}
	for _, at := range []transcript.Context{handtest.Here, handtest.At(1)} {
		if order := read(unhedged, at, other); len(order) != 9 || order[8] != 8 {
			t.Errorf("the attack is built wrong: it reads %v of an unhedged hand", order)
		}
		if order := read(hedged, at, other); len(order) > 0 {
			t.Errorf("the attack reads %v of a permuted hand", order)
		}
	}
	if order := read(hedged, handtest.At(1), s); len(order) > 0 {
		t.Errorf("the attack reads %v of a hand that is permuted twice", order)
	}
	// Another condition about the same hand.
	less := s
	less.Set = set.With(41)
	if order := read(hedged, handtest.Here, less); len(order) > 0 {
		t.Errorf("the attack reads %v of a hand under two conditions", order)
	}
}
