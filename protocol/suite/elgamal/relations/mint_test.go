package relations

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// minted is an honest card of face k among n.
func minted(t testing.TB, n, k int) (Mint, MintWitness) {
	t.Helper()
	x := handtest.Secret(t)
	faces := handtest.FaceElements(handtest.Deck(t, "mint", n), handtest.FaceRange(0, n)...)
	c, w, err := DrawNewCard(handtest.Here, x, x.Key(), faces, k, rand.Reader)
	testmust.Do(t, err)
	return Mint{Key: x.Key(), Card: c, Faces: faces}, w
}

// mintClaim runs the prover's algebra without asking whether s holds.
func mintClaim(t testing.TB, s Mint, w MintWitness) []byte {
	t.Helper()
	return handtest.MustHave(proveMint(transcript.New(handtest.Here, s), s, w, handtest.NamedCoins("claim")))
}

// A card outside the set, under another key, or with other components than one factor's.
func TestMintForgeries(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		for k := range n {
			for name, forge := range map[string]func(*Mint, MintWitness){
				"outside the set": func(s *Mint, w MintWitness) {
					s.Card = masking.Mask(s.Key, handtest.Group.HashToElement("another"), w.Factor)
				},
				"under another key": func(s *Mint, w MintWitness) {
					s.Card = masking.Mask(handtest.Secret(t).Key(), s.Faces[k], w.Factor)
				},
				"the sum of two": func(s *Mint, w MintWitness) {
					s.Card.B = s.Card.B.Add(s.Faces[0])
				},
				"the face taken out of the set": func(s *Mint, w MintWitness) {
					s.Faces = append([]group.Element{}, s.Faces...)
					s.Faces[k] = handtest.Group.HashToElement("another")
				},
			} {
				s, w := minted(t, n, k)
				forge(&s, w)
				for _, claimed := range []int{k, (k + 1) % n} {
					w.Choice = claimed
					testmust.Fail(t, verify(s, mintClaim(t, s, w)), "face", k, "of", n, "claimed as", claimed, name, "accepted")
				}
			}
		}
	}
}

// A value of the statement that is chosen after the challenge, or a mask that is drawn
// again for another card.
func TestMintBinding(t *testing.T) {
	a, _ := minted(t, 2, 1)
	b, _ := minted(t, 2, 0)
	b.Faces = []group.Element{handtest.Group.HashToElement("a"), handtest.Group.HashToElement("b")}
	prooftest.Binding(t, a, b)
	prooftest.Binding(t, mintMask{a.Key, a.Faces}, mintMask{b.Key, b.Faces})
}
