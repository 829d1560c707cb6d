package transfer

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Witness is the secret of From and the factor that masks New.
type Witness struct{ Secret, Factor group.Scalar }

// Prove proves s. Requires: w is a witness of it.
func Prove(ctx transcript.Context, s Statement, w Witness, rand io.Reader) ([]byte, error) {
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
	return prove(t, s, w, n[0], n[1]), nil
}

func prove(t *transcript.Transcript, s Statement, w Witness, v1, v2 group.Scalar) []byte {
	g := s.To.Group()
	t1, t2, t3 := g.MulBase(v1), g.MulBase(v2), s.linearImage(v1, v2)
	c := drawChallenge(t, t1, t2, t3)
	z1, z2 := v1.Add(c.Mul(w.Secret)), v2.Add(c.Mul(w.Factor))
	return z2.AppendTo(z1.AppendTo(t3.AppendTo(t2.AppendTo(t1.Bytes()))))
}
