package threshold_test

import (
	"errors"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/threshold"
	"github.com/pakli/pakli/protocol/transcript"
)

var deck = handtest.Deck(&testing.T{}, "test", 12)

// holding is "need of these faces, held by x, are among the first n of the deck".
func holding(t testing.TB, x *masking.Secret, n, need int, faces ...card.Face) threshold.Statement {
	t.Helper()
	return threshold.Statement{
		Key: x.Key(), Cards: handtest.Mask(t, x.Key(), handtest.Elements(deck, faces...)...),
		Faces: handtest.Elements(deck, handtest.Faces(0, n)...), Need: need,
	}
}

func prove(x *masking.Secret, s threshold.Statement) ([]byte, error) {
	return threshold.Prove(handtest.Transcript(handtest.Here), s, x.Scalar(), handtest.Opened(x, s.Cards), handtest.Nonces())
}

func verify(s threshold.Statement, bytes []byte) error {
	return threshold.Verify(handtest.Transcript(handtest.Here), s, bytes)
}

// TestFalse: an honest prover who is asked to prove what is false.
func TestFalse(t *testing.T) {
	x := handtest.Secret(t)
	for need, faces := range map[int][]card.Face{1: {5}, 2: {5, 1, 7}, 3: {7, 2, 8, 0, 1}} {
		if b, err := prove(x, holding(t, x, 2, need, faces...)); !errors.Is(err, proof.ErrFalse) || b != nil {
			t.Errorf("%d of %v: %d bytes, %v", need, faces, len(b), err)
		}
	}
}

// TestFalseClaim: a prover who says that cards have the faces that have not, and
// runs the honest algorithm.
func TestFalseClaim(t *testing.T) {
	x := handtest.Secret(t)
	claim := func(s threshold.Statement) error {
		bytes, err := threshold.Claim(handtest.Transcript(handtest.Here), s, x.Scalar(), handtest.Nonces())
		if err != nil || len(bytes) != threshold.Size(len(s.Cards), len(s.Faces), s.Need) {
			t.Fatalf("the attack is built wrong: %d bytes, %v", len(bytes), err)
		}
		return verify(s, bytes)
	}
	for _, s := range []threshold.Statement{
		holding(t, x, 1, 1, 3),
		holding(t, x, 2, 1, 3, 4, 5),
		holding(t, x, 2, 2, 0, 3), // one of two
		holding(t, x, 3, 3, 0, 5, 1),
	} {
		if claim(s) == nil {
			t.Errorf("%d of %d cards: false claim is accepted", s.Need, len(s.Cards))
		}
	}
	// The claim is accepted where it is true, so the attack is built right.
	testmust.Do(t, claim(holding(t, x, 1, 1, 0, 7)), "true claim is refused")
}

// TestForeignCard: a card under another key, whose face is right for its own
// holder.
func TestForeignCard(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	s := holding(t, y, 1, 1, 0)
	s.Key = x.Key()
	for _, witness := range []group.Scalar{x.Scalar(), y.Scalar()} {
		bytes := handtest.Must(threshold.Claim(handtest.Transcript(handtest.Here), s, witness, handtest.Nonces()))
		if verify(s, bytes) == nil {
			t.Error("claim on another seat's card is accepted")
		}
	}
}

func TestCommitmentsBound(t *testing.T) {
	handtest.Bound(t, 4, func(e ...*group.Element) group.Scalar { return threshold.Draw(handtest.Transcript(handtest.Here), e) })
}

// TestForm: a statement without meaning that is proved, accepted or panics.
func TestForm(t *testing.T) {
	x := handtest.Secret(t)
	handtest.Formless(t, map[string]threshold.Statement{
		"none needed":   holding(t, x, 1, 0, 0),
		"more than all": holding(t, x, 1, 2, 0),
		"no faces":      holding(t, x, 0, 1, 0),
		"no cards":      holding(t, x, 1, 1),
	}, func(s threshold.Statement) ([]byte, error) { return prove(x, s) }, verify)
}

func TestBinding(t *testing.T) {
	statement := func(need int, faces ...card.Face) transcript.Statement {
		s := holding(t, handtest.Secret(t), 3, need, faces...)
		s.Faces = handtest.Elements(deck, faces...)
		return s
	}
	prooftest.Binding(t, statement(1, 1, 2, 3), statement(2, 5, 6, 7))
}
