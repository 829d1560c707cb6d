// Package handtest makes hands of hidden cards for the tests of arguments about them. It also has the
// parts of the tests of extractors: coins that can be thrown again, so that a prover repeats its first
// messages and answers another challenge, and the linear algebra that computes what it knows from its
// answers.
//
// An extractor in a test treats an honest prover as a black box: it gives challenges of its choice,
// checks every answer by the verifier's equations, and computes the witness from accepted answers
// alone.
//
// It is also the conformance of shuffle arguments: [RunArgument] tries, on any argument, every false
// shuffle that can be built from the relation alone. Forgeries that need an argument's equations are in
// the tests of that argument, which build them from the pieces exported here.
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

// SlotContext is a place that differs from Here only in the slot.
func SlotContext(slot uint16) transcript.Context {
	return transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "play", 0).Slot(slot)
}

// MustHave returns a value that a test needs, and stops the program on an error.
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
// them, since it could then be chosen after the challenge.
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

// CheckReach fails the test if a challenge of a proof does not depend on all elements sent before it,
// since such an element could be chosen last, or depends on one sent after it. reach[i] is the number
// of elements before the challenges of round i.
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

// FaceRange returns the faces from from up to but not including to.
func FaceRange(from, to int) []card.Face {
	var list []card.Face
	for f := from; f < to; f++ {
		list = append(list, card.Face(f))
	}
	return list
}

// HiddenStatement is a statement that hides its content from the transcript, as a weak Fiat–Shamir
// transform does. Arguments that are parts of a proof begin on it.
type HiddenStatement struct{}

// Label implements transcript.Statement.
func (HiddenStatement) Label() string { return "place" }

// AppendTo absorbs nothing.
func (HiddenStatement) AppendTo(*transcript.Binder) {}

// RestoredRandom is the randomness of a machine restored from a snapshot: always the same bytes from
// the beginning, and other bytes for another snapshot.
func RestoredRandom(snapshot byte) io.Reader { return mathrand.NewChaCha8([32]byte{snapshot}) }

// TranscriptAt returns a transcript at a place, for tests of parts of a proof.
func TranscriptAt(c transcript.Context) *transcript.Transcript {
	return transcript.New(c, HiddenStatement{})
}
