package ownership_test

import (
	"bytes"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/ownership"
	"github.com/pakli/pakli/protocol/suite/ristretto255/rewind"
	"github.com/pakli/pakli/protocol/transcript"
)

// read returns T and z of a proof.
func read(t *testing.T, proof []byte) (*group.Element, group.Scalar) {
	t.Helper()
	p := group.NewParser(proof)
	commitment, z := p.Element(), p.Scalar()
	testmust.Do(t, p.Close())
	return commitment, z
}

// TestExtract: an accepted proof by one who does not know x. The extractor takes
// 2 transcripts: one T and two answers.
func TestExtract(t *testing.T) {
	x := handtest.Secret(t)
	s := ownership.Statement{Key: x.Key()}
	w := rewind.Scalars(t, "nonce", 1)[0]
	found := rewind.Slopes(t, 1, func(slot int) ([]byte, group.Scalar) {
		under := func() *transcript.Transcript { return transcript.New(handtest.At(uint16(slot)), s) }
		proof := ownership.ProveUnder(under(), x.Scalar(), w)
		commitment, z := read(t, proof)
		c := ownership.Challenge(under(), commitment)
		rewind.Accepted(t, "an answer", func(b *group.Batch) { ownership.Equation(s, b, commitment, c, z) })
		return proof, c
	})
	if !found[0].Equal(x.Scalar()) {
		t.Error("what was extracted is not the secret")
	}
}

// simulate returns the proof that a challenge and a response determine.
func simulate(s ownership.Statement, c, z group.Scalar) []byte {
	commitment := group.MulBase(z).Sub(group.Mul(c, s.Key.Element()))
	return z.AppendTo(commitment.Bytes())
}

// TestSimulate: a proof that tells more than that it is one. c and z are uniform in
// an honest proof, and determine the rest.
func TestSimulate(t *testing.T) {
	x := handtest.Secret(t)
	s := ownership.Statement{Key: x.Key()}
	honest := handtest.Must(ownership.Prove(handtest.Here, s, x.Scalar(), rewind.Coins("prover")))
	commitment, z := read(t, honest)
	if !bytes.Equal(simulate(s, ownership.Challenge(transcript.New(handtest.Here, s), commitment), z), honest) {
		t.Error("challenge and response do not determine an honest proof")
	}
	nobodys := ownership.Statement{Key: keyOf(t, group.HashToElement("nobody's key"))}
	v := rewind.Scalars(t, "simulator", 2)
	forged := simulate(nobodys, v[0], v[1])
	commitment, z = read(t, forged)
	rewind.Accepted(t, "a simulated proof", func(b *group.Batch) { ownership.Equation(nobodys, b, commitment, v[0], z) })
	if verify(nobodys, forged) == nil {
		t.Error("a simulated proof is accepted under the challenge of the transcript")
	}
}
