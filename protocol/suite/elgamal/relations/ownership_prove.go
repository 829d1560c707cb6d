package relations

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ProveOwnership proves that x is the secret of s.Key. Requires: it is.
func ProveOwnership(ctx transcript.Context, s Ownership, x group.Scalar, rand io.Reader) ([]byte, error) {
	return s.linear().Prove(transcript.New(ctx, s), rand, x)
}
