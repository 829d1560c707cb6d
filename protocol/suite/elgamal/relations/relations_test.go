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

func keyOf(t testing.TB, e group.Element) *masking.Key {
	t.Helper()
	return handtest.MustHave(masking.ParseKey(handtest.Group, e.Bytes()))
}

// TestRogueKey: the last seat publishes x·G − Σ X_i. Then x alone opens every
// card. Without x − Σ x_i, which it does not know, it cannot prove its key.
func TestRogueKey(t *testing.T) {
	honest := []*masking.Key{handtest.Secret(t).Key(), handtest.Secret(t).Key()}
	x := handtest.Secret(t)
	rogue := Ownership{keyOf(t, x.Key().Element().Sub(honest[0].Element()).Sub(honest[1].Element()))}

	joint := handtest.MustHave(masking.Joint(append(honest, rogue.Key)))
	m := handtest.Group.HashToElement("a card")
	c := handtest.Mask(t, joint, m)[0]
	testmust.Require(t, x.Unmask(c).Equal(m), "the attack is built wrong: x does not open the card")

	testmust.Fail(t, verify(rogue, handtest.MustHave(ProveOwnership(handtest.Here, rogue, x.Scalar(), rand.Reader))), "a key that cancels the others is proved")
	// The sum of the honest keys' proofs and of a proof for x is no proof either.
	testmust.Fail(t, verify(rogue, make([]byte, LinearSize(handtest.Group, 1, 1))), "the empty proof is accepted")
}

// TestKeyAfterChallenge: if the key is left out of the hash, a forger draws the
// challenge first and computes a key for it: X = (z·G − T)/c.
func TestKeyAfterChallenge(t *testing.T) {
	z, commitment := handtest.Secret(t).Scalar(), handtest.Secret(t).Key().Element()
	m := LinearProof{T: []group.Element{commitment}, Z: []group.Scalar{z}}
	Ownership{handtest.Secret(t).Key()}.linear().DrawChallenge(handtest.TranscriptAt(handtest.Here), &m)
	forged := Ownership{keyOf(t, group.Mul(m.C.Invert(), handtest.Group.MulBase(z).Sub(commitment)))}

	checkAfterChallenge(t, "key", handtest.CheckEquations(func(b *group.Batch) error {
		return forged.linear().Verify(handtest.TranscriptAt(handtest.Here), m.Bytes(), b)
	}), verify(forged, m.Bytes()))
}

// checkAfterChallenge fails the test if a forgery, a part of which was chosen after the challenge, is
// refused under a transcript that does not hash that part, or accepted under the real one.
func checkAfterChallenge(t testing.TB, part string, weakly, really error) {
	t.Helper()
	testmust.Requiref(t, weakly == nil, "%s: the attack is built wrong: it fails under the weak transcript: %v", part, weakly)
	testmust.Holdf(t, really != nil, "%s chosen after the challenge is accepted", part)
}

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

// honestTokens is a statement of n tokens by x.
func honestTokens(t testing.TB, x *masking.Secret, n int) Reveal {
	t.Helper()
	s := Reveal{Key: x.Key()}
	for i := range n {
		s.Cards = append(s.Cards, handtest.Mask(t, x.Key(), handtest.Group.HashToElement("card", []byte{byte(i)}))...)
		s.Tokens = append(s.Tokens, x.Token(s.Cards[i]))
	}
	return s
}

// TestErrorsCancel: two wrong tokens whose errors cancel in the sum, with equal weights, or with
// those of the statement as it was before: the errors change the weights.
func TestErrorsCancel(t *testing.T) {
	x, e := handtest.Secret(t), handtest.Group.HashToElement("error")
	s := honestTokens(t, x, 2)
	former := s.tokenShares().linear(transcript.New(handtest.Here, s))[1].Image[1].S
	for name, first := range map[string]group.Element{"equal": e, "former": group.Mul(former, e)} {
		wrong := s
		wrong.Tokens = []masking.Token{{S: s.Tokens[0].S.Add(first)}, {S: s.Tokens[1].S.Sub(e)}}
		// By the prover's algebra, who does not ask whether it holds.
		proof := handtest.MustHave(ProveShares(transcript.New(handtest.Here, wrong), wrong.tokenShares(), x, true, rand.Reader))
		testmust.Fail(t, verify(wrong, proof), "errors that cancel with", name, "weights are accepted")
	}
}

var (
	ace   = handtest.Group.HashToElement("ace")
	knave = handtest.Group.HashToElement("knave")
)

// transferOf hands a card that is now before over as after, which are equal in
// an honest game, by a factor.
func transferOf(t testing.TB, from *masking.Secret, to *masking.Key, before, after group.Element) (Transfer, group.Scalar) {
	t.Helper()
	r := handtest.MustHave(handtest.Group.RandomScalar(rand.Reader))
	return Transfer{From: from.Key(), To: to, Old: handtest.Mask(t, from.Key(), before)[0], New: masking.Mask(to, after, r)}, r
}

// TestCardSubstitution: another card than the one held is handed over, under every witness that the
// cheat could use; or the card under the giver's key, or a third seat's, and not the receiver's.
func TestCardSubstitution(t *testing.T) {
	from, to := handtest.Secret(t), handtest.Secret(t).Key()
	x, other := from.Scalar(), handtest.Secret(t).Scalar()
	s, r := transferOf(t, from, to, knave, ace)
	for name, w := range map[string][2]group.Scalar{
		"own": {x, r}, "other factor": {x, other}, "other secret": {other, r}, "nothing at all": {},
	} {
		testmust.Fail(t, verify(s, handtest.MustHave(ProveTransfer(handtest.Here, s, w[0], w[1], rand.Reader))), "witness", name, "another card is handed over")
	}
	for _, k := range []*masking.Key{from.Key(), handtest.Secret(t).Key()} {
		s, r := transferOf(t, from, k, ace, ace)
		s.To = to
		testmust.Fail(t, verify(s, handtest.MustHave(ProveTransfer(handtest.Here, s, x, r, rand.Reader))), "card under another key than the receiver's is accepted")
	}
}
