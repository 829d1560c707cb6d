package bayergroth

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

// Doors for tests that forge under another transcript.
var VerifyUnder = verify

// Labelled gives a statement this argument's label.
func Labelled(s shuffle.Statement) transcript.Statement { return statement{s} }

// Challenges are all challenges of a proof under a transcript.
type Challenges struct{ X, Y, Z, C group.Scalar }

// ChallengesOf draws the challenges that a proof of n cards has under t.
func ChallengesOf(t *transcript.Transcript, proof []byte, n int) (Challenges, error) {
	m, err := parse(proof, n)
	if err != nil {
		return Challenges{}, err
	}
	x := challengeX(t, m)
	y, z := challengeYZ(t, m)
	return Challenges{x, y, z, challengeC(t, m)}, nil
}

// Opened is a proof with what its prover knows and can still use.
type Opened struct {
	Proof []byte
	F     []group.Scalar // responses f of (8)
	E     masking.Card
	TauF  group.Scalar
	Challenges
}

// ProveUnder proves s under t, and tells what a forger needs to go on.
func ProveUnder(t, again *transcript.Transcript, s shuffle.Statement, o masking.Opening, rand io.Reader) (Opened, error) {
	k, err := drawNonces(rand, len(s.In))
	if err != nil {
		return Opened{}, err
	}
	m := prove(t, s, o, k)
	c, err := ChallengesOf(again, m.bytes(), len(s.In))
	return Opened{m.bytes(), m.f, m.E, m.tauf, c}, err
}
