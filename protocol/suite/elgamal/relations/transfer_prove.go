package relations

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// TransferWitness is the secret of From and the factor that masks New.
type TransferWitness struct{ Secret, Factor group.Scalar }

// ProveTransfer proves s. Requires: w is a witness of it.
func ProveTransfer(ctx transcript.Context, s TransferStatement, w TransferWitness, rand io.Reader) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	t := transcript.New(ctx, s)
	nonces, err := t.Hedge(w.Factor.AppendTo(w.Secret.Bytes()), rand)
	if err != nil {
		return nil, err
	}
	n, err := s.To.Group().RandomScalars(nonces, 2)
	if err != nil {
		return nil, err
	}
	return proveTransfer(t, s, w, n[0], n[1]), nil
}

func proveTransfer(t *transcript.Transcript, s TransferStatement, w TransferWitness, v1, v2 group.Scalar) []byte {
	g := s.To.Group()
	t1, t2, t3 := g.MulBase(v1), g.MulBase(v2), s.linearImage(v1, v2)
	c := drawTransferChallenge(t, t1, t2, t3)
	z1, z2 := v1.Add(c.Mul(w.Secret)), v2.Add(c.Mul(w.Factor))
	return z2.AppendTo(z1.AppendTo(t3.AppendTo(t2.AppendTo(t1.Bytes()))))
}
