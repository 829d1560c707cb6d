package relations

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ProveTransfer proves s. Requires: x is the secret of s.From, and r the factor that masks s.New.
func ProveTransfer(ctx transcript.Context, s Transfer, x, r group.Scalar, rand io.Reader) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	return s.linear().Prove(transcript.New(ctx, s), rand, x, r)
}
