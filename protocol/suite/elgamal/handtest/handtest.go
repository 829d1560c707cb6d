// Package handtest makes hands of hidden cards for the tests of arguments about
// them, and has what the tests of extractors are made of: coins that can be thrown again,
// so that a prover says the same first words and answers another challenge, and linear
// algebra to compute what he knows from his answers.
//
// An extractor in a test takes an honest prover for a black box, gives it
// challenges of its choice, asks the verifier's equations about every answer, and
// computes the witness from accepted answers alone.
//
// It is the conformance of shuffle arguments as well: [RunArgument] tries, on
// any argument, every false shuffle that can be built from the relation alone.
// Forgeries that need an argument's equations are in the tests of that argument,
// which build them from the pieces exported here.
package handtest

import (
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Group is the group of most tests.
var Group = group.Ristretto255()

// Here is the place of proofs in tests.
var Here = SlotContext(0)

// SlotContext is a place that differs from Here in the slot.
func SlotContext(slot uint16) transcript.Context {
	return transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "play", 0).Slot(slot)
}

// MustHave returns what a test needs and cannot be refused, and stops the program if it is.
func MustHave[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// CheckEquations checks the equations of one proof.
func CheckEquations(verify func(*group.Batch) error) error {
	var b group.Batch
	if err := verify(&b); err != nil {
		return err
	}
	return b.Check(rand.Reader)
}

// CheckBound fails the test if one of n commitments does not reach the challenge that draw gives for
// them: it could be chosen after it.
func CheckBound(t testing.TB, n int, draw func(...group.Element) group.Scalar) {
	t.Helper()
	commitments := slices.Repeat([]group.Element{Group.Generator()}, n)
	c := draw(commitments...)
	for i := range commitments {
		changed := slices.Clone(commitments)
		changed[i] = Group.HashToElement("other")
		if draw(changed...).Equal(c) {
			t.Errorf("commitment %d does not reach the challenge", i+1)
		}
	}
}

// CheckReach fails the test if a challenge of a proof does not depend on all elements that are sent before
// it, or depends on one that is sent after it: what does not reach it can be chosen last. There are
// reach[i] elements before the challenges of round i.
func CheckReach(t testing.TB, proof []byte, draw func(proof []byte) [][]group.Scalar, reach ...int) {
	t.Helper()
	honest := draw(proof)
	all := slices.Concat(honest...)
	for i, c := range all {
		if slices.Contains(all[:i], c) {
			t.Errorf("challenge %d is one of those before it", i)
		}
	}
	for i := range reach[len(reach)-1] {
		changed := slices.Clone(proof)
		copy(changed[Group.ElementSize*i:], Group.HashToElement("other").Bytes())
		for round, challenges := range draw(changed) {
			for j, c := range challenges {
				if i < reach[round] == c.Equal(honest[round][j]) {
					t.Errorf("element %d: round %d must depend on the first %d elements alone", i, round, reach[round])
				}
			}
		}
	}
}

// Secret draws a seat's secret.
func Secret(t testing.TB) *masking.Secret {
	t.Helper()
	x, err := masking.NewSecret(Group, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Deck encodes a deck of n faces.
func Deck(t testing.TB, name string, n int) *masking.Deck {
	t.Helper()
	faces := make([]string, n)
	for i := range faces {
		faces[i] = fmt.Sprint("face ", i)
	}
	d, err := card.NewDeck(name, faces)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := masking.NewDeck(Group, d)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// FaceElements returns the elements of faces.
func FaceElements(d *masking.Deck, faces ...card.Face) []group.Element {
	var list []group.Element
	for _, f := range faces {
		list = append(list, d.Element(f))
	}
	return list
}

// Mask masks elements under k.
func Mask(t testing.TB, k *masking.Key, elements ...group.Element) []masking.Card {
	t.Helper()
	var cards []masking.Card
	for _, e := range elements {
		r, err := k.Group().RandomScalar(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		cards = append(cards, masking.Mask(k, e, r))
	}
	return cards
}

// FaceRange returns the faces from to to, without the last.
func FaceRange(from, to int) []card.Face {
	var list []card.Face
	for f := from; f < to; f++ {
		list = append(list, card.Face(f))
	}
	return list
}

// HiddenStatement is a statement that hides what it says from the transcript, as a weak
// Fiat–Shamir transform does. Arguments that are parts of a proof begin on top of
// it.
type HiddenStatement struct{}

// Label names it.
func (HiddenStatement) Label() string { return "place" }

// AppendTo absorbs nothing.
func (HiddenStatement) AppendTo(*transcript.Binder) {}

// RestoredRandom is the randomness of a machine that is restored from a snapshot: it
// gives the same bytes from the beginning whenever it is made, others for
// another snapshot.
func RestoredRandom(snapshot byte) io.Reader { return mathrand.NewChaCha8([32]byte{snapshot}) }

// TranscriptAt returns a transcript at a place, under which parts are tested.
func TranscriptAt(c transcript.Context) *transcript.Transcript {
	return transcript.New(c, HiddenStatement{})
}
