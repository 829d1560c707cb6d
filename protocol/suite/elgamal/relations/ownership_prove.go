package relations

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ProveOwnership proves that x is the secret of s.Key. Requires: it is.
func ProveOwnership(ctx transcript.Context, s OwnershipStatement, x group.Scalar, rand io.Reader) ([]byte, error) {
	t := transcript.New(ctx, s)
	nonces, err := t.Hedge(x.Bytes(), rand)
	if err != nil {
		return nil, err
	}
	w, err := s.Key.Group().RandomScalar(nonces)
	if err != nil {
		return nil, err
	}
	return proveOwnership(s.Key.Group(), t, x, w), nil
}

func proveOwnership(g *group.Group, t *transcript.Transcript, x, w group.Scalar) []byte {
	commitment := g.MulBase(w)
	z := w.Add(drawOwnershipChallenge(t, commitment).Mul(x))
	return z.AppendTo(commitment.Bytes())
}
