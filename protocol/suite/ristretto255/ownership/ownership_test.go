package ownership_test

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/ownership"
	"github.com/pakli/pakli/protocol/transcript"
)

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "join", 0).Slot(0)

func keyOf(t testing.TB, e *group.Element) *masking.Key {
	t.Helper()
	return handtest.Must(masking.ParseKey(e.Bytes()))
}

func verify(s ownership.Statement, proof []byte) error {
	return handtest.Holds(func(b *group.Batch) error { return ownership.Verify(here, s, proof, b) })
}

// TestRogueKey: the last seat publishes x·G − Σ X_i. Then x alone opens every
// card. Without x − Σ x_i, which it does not know, it cannot prove its key.
func TestRogueKey(t *testing.T) {
	honest := []*masking.Key{handtest.Secret(t).Key(), handtest.Secret(t).Key()}
	x := handtest.Secret(t)
	rogue := keyOf(t, x.Key().Element().Sub(honest[0].Element()).Sub(honest[1].Element()))

	joint := handtest.Must(masking.Joint(append(honest, rogue)))
	m := group.HashToElement("a card")
	c := handtest.Mask(t, joint, m)[0]
	if !x.Unmask(c).Equal(m) {
		t.Fatal("the attack is built wrong: x does not open the card")
	}

	proof := handtest.Must(ownership.Prove(here, ownership.Statement{Key: rogue}, x.Scalar(), rand.Reader))
	if verify(ownership.Statement{Key: rogue}, proof) == nil {
		t.Error("a key that cancels the others is proved")
	}
	// The sum of the honest keys' proofs and of a proof for x is no proof either.
	if verify(ownership.Statement{Key: rogue}, make([]byte, ownership.Size)) == nil {
		t.Error("the empty proof is accepted")
	}
}

// TestKeyAfterChallenge: if the key is left out of the hash, a forger draws the
// challenge first and computes a key for it: X = (z·G − T)/c.
func TestKeyAfterChallenge(t *testing.T) {
	w, z := handtest.Secret(t).Scalar(), handtest.Secret(t).Scalar()
	commitment := group.MulBase(w)
	c := ownership.Challenge(handtest.Transcript(here), commitment)
	forged := ownership.Statement{Key: keyOf(t, group.Mul(c.Invert(), group.MulBase(z).Sub(commitment)))}
	proof := z.AppendTo(commitment.Bytes())

	handtest.AfterChallenge(t, "key", handtest.Holds(func(b *group.Batch) error {
		return ownership.VerifyUnder(handtest.Transcript(here), forged, proof, b)
	}), verify(forged, proof))
}

func TestCommitmentBound(t *testing.T) {
	s := ownership.Statement{Key: handtest.Secret(t).Key()}
	handtest.Bound(t, 1, func(e ...*group.Element) group.Scalar { return ownership.Challenge(transcript.New(here, s), e[0]) })
}

func TestBinding(t *testing.T) {
	prooftest.Binding(t, ownership.Statement{Key: handtest.Secret(t).Key()}, ownership.Statement{Key: handtest.Secret(t).Key()})
}
