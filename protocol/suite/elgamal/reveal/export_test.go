package reveal

import (
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Doors for tests that prove what is false, rewind a prover, or choose the
// challenge.
var (
	ProveUnder = prove
	Challenge  = drawChallenge
)

func Weights(s Statement, t *transcript.Transcript) []group.Scalar {
	return s.tokenShares().drawWeights(t)
}

func SumOfCards(s Statement, weights []group.Scalar) group.Element {
	return s.tokenShares().sumOfBases(weights)
}

func Equations(s Statement, b *group.Batch, weights []group.Scalar, t1, t2 group.Element, c, z group.Scalar) {
	s.tokenShares().addEquations(b, weights, t1, t2, c, z)
}
