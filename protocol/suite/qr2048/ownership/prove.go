// Code generated from ristretto255/ownership/prove.go by go generate ./protocol/suite; DO NOT EDIT.

package ownership

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/qr2048/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prove proves that x is the secret of s.Key. Requires: it is.
func Prove(ctx transcript.Context, s Statement, x group.Scalar, rand io.Reader) ([]byte, error) {
	t := transcript.New(ctx, s)
	nonces, err := t.Hedge(x.Bytes(), rand)
	if err != nil {
		return nil, err
	}
	w, err := group.RandomScalar(nonces)
	if err != nil {
		return nil, err
	}
	return prove(t, x, w), nil
}

func prove(t *transcript.Transcript, x, w group.Scalar) []byte {
	commitment := group.MulBase(w)
	z := w.Add(drawChallenge(t, commitment).Mul(x))
	return z.AppendTo(commitment.Bytes())
}
