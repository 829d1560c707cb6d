package relations

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Doors for tests that prove what is false, forge under another transcript, rewind a prover, or
// choose the challenge.
var (
	OwnershipVerifier    = verifyOwnership
	OwnershipAlgebra     = proveOwnership
	OwnershipChallenge   = drawOwnershipChallenge
	OwnershipEquation    = OwnershipStatement.addEquation
	RevealAlgebra        = proveReveal
	RevealChallenge      = drawRevealChallenge
	TransferAlgebra      = proveTransfer
	TransferChallenge    = drawTransferChallenge
	TransferEquations    = TransferStatement.addEquations
	DisjunctionEquations = addEquations
	ArrangeAlgebra       = proveArrange
	ArrangePowers        = ArrangeStatement.drawPowers
	MintAlgebra          = proveMint
)

func RevealWeights(s RevealStatement, t *transcript.Transcript) []group.Scalar {
	return s.tokenShares().drawWeights(t)
}

func RevealSum(s RevealStatement, weights []group.Scalar) group.Element {
	return s.tokenShares().sumOfBases(weights)
}

func RevealEquations(s RevealStatement, b *group.Batch, weights []group.Scalar, t1, t2 group.Element, c, z group.Scalar) {
	s.tokenShares().addEquations(b, weights, t1, t2, c, z)
}

// ArrangeMask is what an arrangement of cards is hedged by.
func ArrangeMask(f Family, k *masking.Key, in []masking.Card) transcript.Statement {
	return arrangeMask{f, k, in}
}

// MintMask is what a new card is hedged by.
func MintMask(k *masking.Key, faces []group.Element) transcript.Statement {
	return mintMask{k, faces}
}
