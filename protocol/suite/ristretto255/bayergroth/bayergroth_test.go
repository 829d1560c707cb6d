package bayergroth_test

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/transcript"
)

func TestConformance(t *testing.T) {
	shuffletest.Run(t, bayergroth.Prover{}, func(n int) int { return 32 * (3*n + 10) })
	if bayergroth.Size(42) != 4352 {
		t.Errorf("Size(42) = %d, want 4352", bayergroth.Size(42))
	}
}

func check(s shuffle.Statement, proof []byte) error {
	return shuffletest.Check(bayergroth.Prover{}, s, proof)
}

// TestOpensACard: who made the mask of a card can take it off by remasking.
func TestOpensACard(t *testing.T) {
	shuffletest.OpensACard(t, bayergroth.Prover{}, bayergroth.Labelled, bayergroth.VerifyUnder, func(under func() *transcript.Transcript, s shuffle.Statement, o masking.Opening) []byte {
		return handtest.Must(bayergroth.ProveUnder(under(), s, o, rand.Reader))
	})
}

// TestChallenges: a commitment that does not reach the challenges after it can be chosen last.
func TestChallenges(t *testing.T) {
	shuffletest.Challenges(t, bayergroth.Prover{}, func(at transcript.Context, s shuffle.Statement, proof []byte) [][]group.Scalar {
		c := handtest.Must(bayergroth.ChallengesOf(transcript.New(at, bayergroth.Labelled(s)), proof, len(s.In)))
		return [][]group.Scalar{{c.X}, {c.Y, c.Z}, {c.C}}
	}, 1, 2, 8)
}

func TestBinding(t *testing.T) {
	a, b := shuffletest.Binding(t)
	prooftest.Binding(t, bayergroth.Labelled(a), bayergroth.Labelled(b))
}
