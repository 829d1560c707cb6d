package bayergroth_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/rewind"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/threshold"
)

// TestExtractHand: the extractor of a permuted hand (46.6): a bound that is shown of
// other cards than those of the hand, or of one card twice. The shuffle gives π and
// ρ by 2·k transcripts; then a part gives x, and which faces its cards have, by 2.
// Together they show t different cards of the hand with a face in the set, and the
// others outside.
func TestExtractHand(t *testing.T) {
	deck := handtest.Deck(t, "test", 12)
	for k := 2; k <= 6; k++ {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			x, inside := handtest.Secret(t), k/2
			faces := handtest.Faces(6-inside, 6-inside+k) // the set is 0 … 5
			slices.Reverse(faces)
			hand := handtest.Mask(t, x.Key(), handtest.Elements(deck, faces...)...)
			var order []uint16 // those inside first; they lie last in the hand
			for i := range k {
				order = append(order, uint16((i+k-inside)%k))
			}
			o := shuffletest.Opening(t, order...)
			s := shuffletest.By(x.Key(), hand, o)
			found := extract(t, s, func(c bayergroth.Challenges) (bayergroth.Answer, error) {
				return bayergroth.ProveAt(c, s, o, rewind.Coins("prover"))
			})
			if again := shuffletest.By(x.Key(), hand, found); !slices.EqualFunc(again.Out, s.Out, masking.Card.Equal) {
				t.Fatal("what was extracted does not lead to the permuted hand")
			}
			shown := extractPart(t, x, s.Out[:inside], handtest.Elements(deck, handtest.Faces(0, 6)...))
			shown = append(shown, extractPart(t, x, s.Out[inside:], handtest.Elements(deck, handtest.Faces(6, 12)...))...)
			for i, face := range shown {
				if place := found.Permutation[i]; !deck.Element(faces[place]).Equal(face) {
					t.Errorf("card %d of the hand has another face than was extracted", place)
				}
			}
		})
	}
}

// extractPart rewinds the prover of a part that shows all of cards to have a face in
// a set, and returns these faces. Its polynomial is constant: c = Σ_m c_jm for each
// card j; a proof is c and, for each card, its challenges but the last and its
// responses (45.4).
func extractPart(t *testing.T, x *masking.Secret, cards []masking.Card, set []*group.Element) []*group.Element {
	t.Helper()
	s := threshold.Statement{Key: x.Key(), Cards: cards, Faces: set, Need: len(cards)}
	f := len(set)
	var answers [2][]group.Scalar
	for slot := range answers {
		at := handtest.At(uint16(slot))
		proof := handtest.Must(threshold.Prove(handtest.Transcript(at), s, x.Scalar(), handtest.Opened(x, cards), rewind.Coins("part")))
		if err := threshold.Verify(handtest.Transcript(at), s, proof); err != nil {
			t.Fatalf("an answer is refused: %v", err)
		}
		p := group.NewParser(proof)
		answers[slot] = p.Scalars(len(proof) / 32)
	}
	var faces []*group.Element
	for j, card := range cards {
		var c, z [2][]group.Scalar
		for slot, sent := range answers {
			last, rest := sent[0], sent[1+j*(2*f-1):]
			for _, challenge := range rest[:f-1] {
				last = last.Sub(challenge)
			}
			c[slot], z[slot] = append(slices.Clone(rest[:f-1]), last), rest[f-1:2*f-1]
		}
		for m := range set {
			if c[0][m].Equal(c[1][m]) {
				continue
			}
			secret := rewind.Polynomial(t, []group.Scalar{c[0][m], c[1][m]}, []group.Scalar{z[0][m], z[1][m]})[1]
			if !secret.Equal(x.Scalar()) {
				t.Error("what was extracted is not the secret")
			}
			opened := card.B.Sub(group.Mul(secret, card.A))
			if !opened.Equal(set[m]) {
				t.Errorf("card %d has not the face that it is shown to have", j)
			}
			faces = append(faces, opened)
		}
	}
	if len(faces) != len(cards) {
		t.Fatalf("%d of %d cards are opened", len(faces), len(cards))
	}
	return faces
}
