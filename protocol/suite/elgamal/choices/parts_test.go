package choices

import (
	"errors"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// deck is the deck of the tests of single arguments.
var deck = handtest.Deck(&testing.T{}, "test", 42)

// provable is an argument with its proving side, and the cards that it is about.
type provable interface {
	argument
	partProver
	hand() []masking.Card
}

func (s threshold) hand() []masking.Card  { return s.Cards }
func (s inequality) hand() []masking.Card { return s.Cards }
func (s subset) hand() []masking.Card     { return s.Cards }

func masked(t testing.TB, x *masking.Secret, faces ...card.Face) []masking.Card {
	t.Helper()
	return handtest.Mask(t, x.Key(), handtest.FaceElements(deck, faces...)...)
}

func firstFaces(n int) []group.Element {
	return handtest.FaceElements(deck, handtest.FaceRange(0, n)...)
}

// haveNeed is "need of these faces, held by x, are among the first n of the deck".
func haveNeed(t testing.TB, x *masking.Secret, n, need int, faces ...card.Face) threshold {
	t.Helper()
	return threshold{x.Key(), masked(t, x, faces...), firstFaces(n), need}
}

// haveNone is "none of these faces, held by x, is among the first n of the deck".
func haveNone(t testing.TB, x *masking.Secret, n int, faces ...card.Face) inequality {
	t.Helper()
	return inequality{x.Key(), masked(t, x, faces...), firstFaces(n)}
}

// haveAll is "these faces, held by x, are among the first n of the deck".
func haveAll(t testing.TB, x *masking.Secret, n int, faces ...card.Face) subset {
	t.Helper()
	return subset{x.Key(), masked(t, x, faces...), firstFaces(n)}
}

// at is the place of parts in tests.
func at() *transcript.Transcript { return handtest.TranscriptAt(handtest.Here) }

// bound is at, with s absorbed.
func bound(s transcript.Statement) *transcript.Transcript {
	t := at()
	t.Part(s)
	return t
}

func provePart(x *masking.Secret, s provable) ([]byte, error) {
	return s.prove(at(), x.Scalar(), unmaskCards(x, s.hand()), freshNonces())
}

func verifyPart(s provable, bytes []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return s.verify(at(), bytes, b) })
}

// TestFalseParts: an honest prover who is asked to prove what is false, or what would show that two
// cards are equal.
func TestFalseParts(t *testing.T) {
	x := handtest.Secret(t)
	for _, s := range []provable{
		haveNeed(t, x, 2, 1, 5), haveNeed(t, x, 2, 2, 5, 1, 7), haveNeed(t, x, 2, 3, 7, 2, 8, 0, 1),
		haveNone(t, x, 2, 0), haveNone(t, x, 2, 1), haveNone(t, x, 2, 5, 6, 1), haveNone(t, x, 2, 0, 5), haveNone(t, x, 2, 5, 6, 5),
		haveAll(t, x, 4, 4), haveAll(t, x, 4, 0, 4), haveAll(t, x, 4, 5, 6, 7), haveAll(t, x, 4, 1, 1), haveAll(t, x, 4, 0, 1, 2, 1),
	} {
		if b, err := provePart(x, s); !errors.Is(err, proof.ErrFalse) || b != nil {
			t.Errorf("%s: %d bytes, %v", s.Label(), len(b), err)
		}
	}
}

// TestFormlessParts: a statement without meaning that is proved, accepted or panics.
func TestFormlessParts(t *testing.T) {
	x := handtest.Secret(t)
	checkFormless(t, map[string]provable{
		"threshold: none needed":        haveNeed(t, x, 1, 0, 0),
		"threshold: more than all":      haveNeed(t, x, 1, 2, 0),
		"threshold: no faces":           haveNeed(t, x, 0, 1, 0),
		"threshold: no cards":           haveNeed(t, x, 1, 1),
		"inequality: no cards":          haveNone(t, x, 2),
		"inequality: no faces":          haveNone(t, x, 0, 3),
		"subset: no cards":              haveAll(t, x, 2),
		"subset: no faces":              haveAll(t, x, 0, 3),
		"subset: set of one":            haveAll(t, x, 1, 0),
		"subset: more cards than faces": haveAll(t, x, 2, 0, 1, 2),
	}, func(s provable) ([]byte, error) { return provePart(x, s) }, verifyPart)
}

func TestPartsBinding(t *testing.T) {
	faces := func(from card.Face) []group.Element { return handtest.FaceElements(deck, from, from+1) }
	x, y := handtest.Secret(t), handtest.Secret(t)
	hand, other := masked(t, x, 0, 1), masked(t, y, 10, 11)
	prooftest.Binding(t, threshold{x.Key(), hand, faces(2), 1}, threshold{y.Key(), other, faces(12), 2})
	prooftest.Binding(t, inequality{x.Key(), hand, faces(2)}, inequality{y.Key(), other, faces(12)})
	prooftest.Binding(t, subset{x.Key(), hand, faces(2)}, subset{y.Key(), other, faces(12)})
}

// answerAt is the honest prover of rows, who is given the challenge.
func answerAt(rows relations.Linear, c group.Scalar, v, witness []group.Scalar) relations.LinearProof {
	m := relations.LinearProof{T: rows.Commit(v, nil), C: c}
	m.Answer(v, witness)
	return m
}

// expectHolds fails the test if a proof of rows does not hold.
func expectHolds(t testing.TB, what string, rows relations.Linear, m relations.LinearProof) {
	t.Helper()
	handtest.ExpectAccepted(t, what, func(b *group.Batch) { rows.AddEquations(b, m) })
}

func random(t testing.TB) group.Scalar { return handtest.Secret(t).Scalar() }

// TestOneCardTwice: "at least two of three", of one card that is counted twice.
func TestOneCardTwice(t *testing.T) {
	x := handtest.Secret(t)
	s := shape{3, 12, 3, 1, 3, 1, ""}.hand(t, x)
	inside := -1
	for j, m := range unmaskCards(x, s.Cards) {
		if f, _ := s.Deck.Face(masking.Card{A: m, B: m}); s.Set.Has(f) {
			inside = j
		}
	}
	other := (inside + 1) % 3
	s.Cards, s.Min = []masking.Card{s.Cards[inside], s.Cards[inside], s.Cards[other]}, 2
	count := threshold{s.Key, s.Cards, handtest.FaceElements(s.Deck, s.Set.Faces()...), 2}
	proof, err := count.prove(transcript.New(handtest.Here, s), x.Scalar(), unmaskCards(x, s.Cards), freshNonces())
	testmust.Do(t, err, "the attack is built wrong")
	testmust.Fail(t, verifyCondition(handtest.Here, s, proof), "accepted")
}

// unmaskCards returns what x reads from cards.
func unmaskCards(x *masking.Secret, cards []masking.Card) []group.Element {
	var list []group.Element
	for _, c := range cards {
		list = append(list, x.Unmask(c))
	}
	return list
}

// checkFormless fails the test if a statement without meaning is proved, or accepted with some number
// of zeros. That none panics is tried by it, too.
func checkFormless[S any](t testing.TB, statements map[string]S, prove func(S) ([]byte, error), verify func(S, []byte) error) {
	t.Helper()
	for name, s := range statements {
		if b, err := prove(s); err == nil {
			t.Errorf("%s: proved by %d bytes", name, len(b))
		}
		for n := range 30 {
			if verify(s, make([]byte, 32*n)) == nil {
				t.Errorf("%s: accepted with %d bytes", name, 32*n)
			}
		}
	}
}
