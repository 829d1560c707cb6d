package ownership_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/ownership"
	"github.com/pakli/pakli/protocol/suite/elgamal/rewind"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "join", 0).Slot(0)

func keyOf(t testing.TB, e group.Element) *masking.Key {
	t.Helper()
	return handtest.MustHave(masking.ParseKey(g, e.Bytes()))
}

func verify(s ownership.Statement, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return ownership.Verify(here, s, proof, b) })
}

// TestRogueKey: the last seat publishes x·G − Σ X_i. Then x alone opens every
// card. Without x − Σ x_i, which it does not know, it cannot prove its key.
func TestRogueKey(t *testing.T) {
	honest := []*masking.Key{handtest.Secret(t).Key(), handtest.Secret(t).Key()}
	x := handtest.Secret(t)
	rogue := keyOf(t, x.Key().Element().Sub(honest[0].Element()).Sub(honest[1].Element()))

	joint := handtest.MustHave(masking.Joint(append(honest, rogue)))
	m := g.HashToElement("a card")
	c := handtest.Mask(t, joint, m)[0]
	if !x.Unmask(c).Equal(m) {
		t.Fatal("the attack is built wrong: x does not open the card")
	}

	proof := handtest.MustHave(ownership.Prove(here, ownership.Statement{Key: rogue}, x.Scalar(), rand.Reader))
	if verify(ownership.Statement{Key: rogue}, proof) == nil {
		t.Error("a key that cancels the others is proved")
	}
	// The sum of the honest keys' proofs and of a proof for x is no proof either.
	if verify(ownership.Statement{Key: rogue}, make([]byte, ownership.Size(g))) == nil {
		t.Error("the empty proof is accepted")
	}
}

// TestKeyAfterChallenge: if the key is left out of the hash, a forger draws the
// challenge first and computes a key for it: X = (z·G − T)/c.
func TestKeyAfterChallenge(t *testing.T) {
	w, z := handtest.Secret(t).Scalar(), handtest.Secret(t).Scalar()
	commitment := g.MulBase(w)
	c := ownership.Challenge(handtest.TranscriptAt(here), commitment)
	forged := ownership.Statement{Key: keyOf(t, group.Mul(c.Invert(), g.MulBase(z).Sub(commitment)))}
	proof := z.AppendTo(commitment.Bytes())

	handtest.AfterChallenge(t, "key", handtest.CheckEquations(func(b *group.Batch) error {
		return ownership.VerifyUnder(handtest.TranscriptAt(here), forged, proof, b)
	}), verify(forged, proof))
}

func TestCommitmentBound(t *testing.T) {
	s := ownership.Statement{Key: handtest.Secret(t).Key()}
	handtest.CheckBound(t, 1, func(e ...group.Element) group.Scalar { return ownership.Challenge(transcript.New(here, s), e[0]) })
}

func TestBinding(t *testing.T) {
	prooftest.Binding(t, ownership.Statement{Key: handtest.Secret(t).Key()}, ownership.Statement{Key: handtest.Secret(t).Key()})
}

// read returns T and z of a proof.
func read(t *testing.T, proof []byte) (group.Element, group.Scalar) {
	t.Helper()
	p := g.NewParser(proof)
	commitment, z := p.Element(), p.Scalar()
	testmust.Do(t, p.Close())
	return commitment, z
}

// TestExtract: an accepted proof by one who does not know x. The extractor takes
// 2 transcripts: one T and two answers.
func TestExtract(t *testing.T) {
	x := handtest.Secret(t)
	s := ownership.Statement{Key: x.Key()}
	w := rewind.NamedScalars(t, "nonce", 1)[0]
	found := rewind.ExtractSlopes(t, 1, func(slot int) ([]byte, group.Scalar) {
		under := func() *transcript.Transcript { return transcript.New(handtest.SlotContext(uint16(slot)), s) }
		proof := ownership.ProveUnder(g, under(), x.Scalar(), w)
		commitment, z := read(t, proof)
		c := ownership.Challenge(under(), commitment)
		rewind.ExpectAccepted(t, "an answer", func(b *group.Batch) { ownership.Equation(s, b, commitment, c, z) })
		return proof, c
	})
	testmust.Hold(t, found[0].Equal(x.Scalar()), "what was extracted is not the secret")
}

// simulate returns the proof that a challenge and a response determine.
func simulate(s ownership.Statement, c, z group.Scalar) []byte {
	commitment := g.MulBase(z).Sub(group.Mul(c, s.Key.Element()))
	return z.AppendTo(commitment.Bytes())
}

// TestSimulate: a proof that tells more than that it is one. c and z are uniform in
// an honest proof, and determine the rest.
func TestSimulate(t *testing.T) {
	x := handtest.Secret(t)
	s := ownership.Statement{Key: x.Key()}
	honest := handtest.MustHave(ownership.Prove(handtest.Here, s, x.Scalar(), rewind.NamedCoins("prover")))
	commitment, z := read(t, honest)
	if !bytes.Equal(simulate(s, ownership.Challenge(transcript.New(handtest.Here, s), commitment), z), honest) {
		t.Error("challenge and response do not determine an honest proof")
	}
	nobodys := ownership.Statement{Key: keyOf(t, g.HashToElement("nobody's key"))}
	v := rewind.NamedScalars(t, "simulator", 2)
	forged := simulate(nobodys, v[0], v[1])
	commitment, z = read(t, forged)
	rewind.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { ownership.Equation(nobodys, b, commitment, v[0], z) })
	if verify(nobodys, forged) == nil {
		t.Error("a simulated proof is accepted under the challenge of the transcript")
	}
}
