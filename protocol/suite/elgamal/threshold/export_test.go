package threshold

import (
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// testGroup is the group of the tests.
var testGroup = group.Ristretto255()

// Doors for tests that rewind a prover, or choose commitments or the challenge.
var (
	Draw        = drawChallenge
	Branches    = Statement.splitBranches
	Commitments = Statement.branchCommitments
)

// Claim proves s by a prover who takes the first branch of the first cards for
// true ones, whatever they are.
func Claim(t *transcript.Transcript, s Statement, x group.Scalar, nonces *transcript.Stream) ([]byte, error) {
	cheat := prover{s: s, x: x}
	for j := range s.Cards {
		hit := make([]int, len(s.Faces))
		real := 0
		if j < s.Need {
			hit[0], real = 1, 1
		}
		cheat.real, cheat.hit = append(cheat.real, real), append(cheat.hit, hit)
	}
	t.Part(s)
	if err := cheat.commitBranches(t, nonces); err != nil {
		return nil, err
	}
	return cheat.answerBranches(), nil
}

// Scalars returns the scalars of a proof.
func Scalars(proof []byte) ([]group.Scalar, error) {
	p := testGroup.NewParser(proof)
	list := p.Scalars(len(proof) / testGroup.ScalarSize)
	return list, p.Close()
}
