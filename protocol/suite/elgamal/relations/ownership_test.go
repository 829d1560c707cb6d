package relations

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
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
	if weakly != nil {
		t.Fatalf("%s: the attack is built wrong: it fails under the weak transcript: %v", part, weakly)
	}
	if really == nil {
		t.Errorf("%s chosen after the challenge is accepted", part)
	}
}
