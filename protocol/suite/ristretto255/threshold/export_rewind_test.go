package threshold

import "github.com/pakli/pakli/protocol/suite/ristretto255/group"

// Doors for tests that rewind a prover, or choose the challenge.
var (
	Branches    = Statement.branches
	Commitments = Statement.commitments
)

// Scalars returns the scalars of a proof.
func Scalars(proof []byte) ([]group.Scalar, error) {
	p := group.NewParser(proof)
	list := p.Scalars(len(proof) / group.ScalarSize)
	return list, p.Close()
}
