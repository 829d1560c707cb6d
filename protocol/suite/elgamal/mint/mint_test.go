package mint_test

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/mint"
	"github.com/pakli/pakli/protocol/suite/elgamal/rewind"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

func verify(s mint.Statement, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return mint.Verify(handtest.Here, s, proof, b) })
}

// minted is an honest card of face k among n.
func minted(t testing.TB, n, k int) (mint.Statement, mint.Witness) {
	t.Helper()
	x := handtest.Secret(t)
	faces := mint.FaceElements(handtest.Deck(t, "mint", n), all(n))
	c, w, err := mint.Draw(handtest.Here, x, x.Key(), faces, k, rand.Reader)
	testmust.Do(t, err)
	return mint.Statement{Key: x.Key(), Card: c, Faces: faces}, w
}

func all(n int) (set card.Set) {
	for f := range card.Face(n) {
		set = set.AddFace(f)
	}
	return set
}

// claim runs the prover's algebra without asking whether s holds.
func claim(t testing.TB, s mint.Statement, w mint.Witness) []byte {
	t.Helper()
	return handtest.MustHave(mint.ProveUnder(transcript.New(handtest.Here, s), s, w, rewind.NamedCoins("claim")))
}

// A card outside the set, under another key, or with other components than one factor's.
func TestForgeries(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		for k := range n {
			for name, forge := range map[string]func(*mint.Statement, mint.Witness){
				"outside the set": func(s *mint.Statement, w mint.Witness) {
					s.Card = masking.Mask(s.Key, g.HashToElement("another"), w.Factor)
				},
				"under another key": func(s *mint.Statement, w mint.Witness) {
					s.Card = masking.Mask(handtest.Secret(t).Key(), s.Faces[k], w.Factor)
				},
				"the sum of two": func(s *mint.Statement, w mint.Witness) {
					s.Card.B = s.Card.B.Add(s.Faces[0])
				},
				"the face taken out of the set": func(s *mint.Statement, w mint.Witness) {
					s.Faces = append([]group.Element{}, s.Faces...)
					s.Faces[k] = g.HashToElement("another")
				},
			} {
				s, w := minted(t, n, k)
				forge(&s, w)
				for _, claimed := range []int{k, (k + 1) % n} {
					w.Choice = claimed
					if verify(s, claim(t, s, w)) == nil {
						t.Errorf("face %d of %d, claimed as %d: %s: accepted", k, n, claimed, name)
					}
				}
			}
		}
	}
}

// A value of the statement that is chosen after the challenge, or a mask that is drawn
// again for another card.
func TestBinding(t *testing.T) {
	a, _ := minted(t, 2, 1)
	b, _ := minted(t, 2, 0)
	b.Faces = []group.Element{g.HashToElement("a"), g.HashToElement("b")}
	prooftest.Binding(t, a, b)
	prooftest.Binding(t, mint.Mask(a.Key, a.Faces), mint.Mask(b.Key, b.Faces))
}
