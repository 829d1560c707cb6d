package relations_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

func keyOf(t testing.TB, e group.Element) *masking.Key {
	t.Helper()
	return handtest.MustHave(masking.ParseKey(handtest.Group, e.Bytes()))
}

func verifyOwnership(s relations.OwnershipStatement, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return relations.VerifyOwnership(handtest.Here, s, proof, b) })
}

// TestRogueKey: the last seat publishes x·G − Σ X_i. Then x alone opens every
// card. Without x − Σ x_i, which it does not know, it cannot prove its key.
func TestRogueKey(t *testing.T) {
	honest := []*masking.Key{handtest.Secret(t).Key(), handtest.Secret(t).Key()}
	x := handtest.Secret(t)
	rogue := keyOf(t, x.Key().Element().Sub(honest[0].Element()).Sub(honest[1].Element()))

	joint := handtest.MustHave(masking.Joint(append(honest, rogue)))
	m := handtest.Group.HashToElement("a card")
	c := handtest.Mask(t, joint, m)[0]
	if !x.Unmask(c).Equal(m) {
		t.Fatal("the attack is built wrong: x does not open the card")
	}

	proof := handtest.MustHave(relations.ProveOwnership(handtest.Here, relations.OwnershipStatement{Key: rogue}, x.Scalar(), rand.Reader))
	if verifyOwnership(relations.OwnershipStatement{Key: rogue}, proof) == nil {
		t.Error("a key that cancels the others is proved")
	}
	// The sum of the honest keys' proofs and of a proof for x is no proof either.
	if verifyOwnership(relations.OwnershipStatement{Key: rogue}, make([]byte, relations.OwnershipSize(handtest.Group))) == nil {
		t.Error("the empty proof is accepted")
	}
}

// TestKeyAfterChallenge: if the key is left out of the hash, a forger draws the
// challenge first and computes a key for it: X = (z·G − T)/c.
func TestKeyAfterChallenge(t *testing.T) {
	w, z := handtest.Secret(t).Scalar(), handtest.Secret(t).Scalar()
	commitment := handtest.Group.MulBase(w)
	c := relations.OwnershipChallenge(handtest.TranscriptAt(handtest.Here), commitment)
	forged := relations.OwnershipStatement{Key: keyOf(t, group.Mul(c.Invert(), handtest.Group.MulBase(z).Sub(commitment)))}
	proof := z.AppendTo(commitment.Bytes())

	handtest.AfterChallenge(t, "key", handtest.CheckEquations(func(b *group.Batch) error {
		return relations.OwnershipVerifier(handtest.TranscriptAt(handtest.Here), forged, proof, b)
	}), verifyOwnership(forged, proof))
}

func TestCommitmentBound(t *testing.T) {
	s := relations.OwnershipStatement{Key: handtest.Secret(t).Key()}
	handtest.CheckBound(t, 1, func(e ...group.Element) group.Scalar {
		return relations.OwnershipChallenge(transcript.New(handtest.Here, s), e[0])
	})
}

func TestOwnershipBinding(t *testing.T) {
	prooftest.Binding(t, relations.OwnershipStatement{Key: handtest.Secret(t).Key()}, relations.OwnershipStatement{Key: handtest.Secret(t).Key()})
}

// readOwnership returns T and z of a proof.
func readOwnership(t *testing.T, proof []byte) (group.Element, group.Scalar) {
	t.Helper()
	p := handtest.Group.NewParser(proof)
	commitment, z := p.Element(), p.Scalar()
	testmust.Do(t, p.Close())
	return commitment, z
}

// TestOwnershipExtract: an accepted proof by one who does not know x. The extractor takes
// 2 transcripts: one T and two answers.
func TestOwnershipExtract(t *testing.T) {
	x := handtest.Secret(t)
	s := relations.OwnershipStatement{Key: x.Key()}
	w := handtest.NamedScalars(t, "nonce", 1)[0]
	found := handtest.ExtractSlopes(t, 1, func(slot int) ([]byte, group.Scalar) {
		under := func() *transcript.Transcript { return transcript.New(handtest.SlotContext(uint16(slot)), s) }
		proof := relations.OwnershipAlgebra(handtest.Group, under(), x.Scalar(), w)
		commitment, z := readOwnership(t, proof)
		c := relations.OwnershipChallenge(under(), commitment)
		handtest.ExpectAccepted(t, "an answer", func(b *group.Batch) { relations.OwnershipEquation(s, b, commitment, c, z) })
		return proof, c
	})
	testmust.Hold(t, found[0].Equal(x.Scalar()), "what was extracted is not the secret")
}

// simulateOwnership returns the proof that a challenge and a response determine.
func simulateOwnership(s relations.OwnershipStatement, c, z group.Scalar) []byte {
	commitment := handtest.Group.MulBase(z).Sub(group.Mul(c, s.Key.Element()))
	return z.AppendTo(commitment.Bytes())
}

// TestOwnershipSimulate: a proof that tells more than that it is one. c and z are uniform in
// an honest proof, and determine the rest.
func TestOwnershipSimulate(t *testing.T) {
	x := handtest.Secret(t)
	s := relations.OwnershipStatement{Key: x.Key()}
	honest := handtest.MustHave(relations.ProveOwnership(handtest.Here, s, x.Scalar(), handtest.NamedCoins("prover")))
	commitment, z := readOwnership(t, honest)
	if !bytes.Equal(simulateOwnership(s, relations.OwnershipChallenge(transcript.New(handtest.Here, s), commitment), z), honest) {
		t.Error("challenge and response do not determine an honest proof")
	}
	nobodys := relations.OwnershipStatement{Key: keyOf(t, handtest.Group.HashToElement("nobody's key"))}
	v := handtest.NamedScalars(t, "simulator", 2)
	forged := simulateOwnership(nobodys, v[0], v[1])
	commitment, z = readOwnership(t, forged)
	handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { relations.OwnershipEquation(nobodys, b, commitment, v[0], z) })
	if verifyOwnership(nobodys, forged) == nil {
		t.Error("a simulated proof is accepted under the challenge of the transcript")
	}
}
