package ownership_test

import (
	"bytes"
	"testing"

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
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return commitment, z
}

// TestExtract: an accepted proof by one who does not know x. The extractor takes
// 2 transcripts: one T and two answers.
func TestExtract(t *testing.T) {
	x := secret(t)
	s := ownership.Statement{Key: x.Key()}
	w := rewind.Scalars(t, "nonce", 1)[0]
	var first *group.Element
	var challenges, answers []group.Scalar
	for slot := range uint16(2) {
		under := func() *transcript.Transcript { return transcript.New(handtest.At(slot), s) }
		commitment, z := read(t, ownership.ProveUnder(under(), x.Scalar(), w))
		if first == nil {
			first = commitment
		}
		c := ownership.Challenge(under(), commitment)
		rewind.Accepted(t, "an answer", func(b *group.Batch) { ownership.Equation(s, b, first, c, z) })
		challenges, answers = append(challenges, c), append(answers, z)
	}
	if line := rewind.Polynomial(t, challenges, answers); !line[1].Equal(x.Scalar()) {
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
	x := secret(t)
	s := ownership.Statement{Key: x.Key()}
	honest, err := ownership.Prove(handtest.Here, s, x.Scalar(), rewind.Coins("prover"))
	if err != nil {
		t.Fatal(err)
	}
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
