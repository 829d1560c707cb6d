package relations

import (
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ProveReveal proves that x made the tokens. It returns proof.ErrFalse if it did not.
// Requires: x is the secret of s.Key.
func ProveReveal(ctx transcript.Context, s RevealStatement, x *masking.Secret, rand io.Reader) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	return ProveShares(transcript.New(ctx, s), s.tokenShares(), x, s.madeBy(x), rand)
}

// ProveShares proves that x made the shares. It returns proof.ErrFalse if it did not; made says
// that this is known. Requires: x is the secret of s.Key.
func ProveShares(t *transcript.Transcript, s Shares, x *masking.Secret, made bool, rand io.Reader) ([]byte, error) {
	weights := s.drawWeights(t)
	aStar := s.sumOfBases(weights)
	nonces, err := t.Hedge(x.Bytes(), rand)
	if err != nil {
		return nil, err
	}
	w, err := s.Key.Group().RandomScalar(nonces)
	if err != nil {
		return nil, err
	}
	t1, t2, c, z := proveReveal(t, aStar, x.Scalar(), w)
	if !made && !s.holdsWeighted(weights, aStar, t2, c, z) {
		return nil, proof.ErrFalse
	}
	return z.AppendTo(t2.AppendTo(t1.Bytes())), nil
}

func proveReveal(t *transcript.Transcript, aStar group.Element, x, w group.Scalar) (t1, t2 group.Element, c, z group.Scalar) {
	t1, t2 = aStar.Group().MulBase(w), group.Mul(w, aStar)
	c = drawRevealChallenge(t, t1, t2)
	return t1, t2, c, w.Add(c.Mul(x))
}

// madeBy reports whether all tokens are known to come from x.
func (s RevealStatement) madeBy(x *masking.Secret) bool {
	for j, t := range s.Tokens {
		if !x.HasMade(t, s.Cards[j]) {
			return false
		}
	}
	return true
}

// holdsWeighted checks z·A* − T2 − c·S* = 0, which is true if the statement is.
func (s Shares) holdsWeighted(weights []group.Scalar, aStar, t2 group.Element, c, z group.Scalar) bool {
	scalars, elements := []group.Scalar{z}, []group.Element{aStar}
	for j, alpha := range weights {
		scalars, elements = append(scalars, c.Mul(alpha).Neg()), append(elements, s.Of[j])
	}
	return s.Key.Group().VartimeMultiMul(scalars, elements).Equal(t2) // all of it public
}

// sumOfBases returns A*, in variable time: cards and weights are public.
func (s Shares) sumOfBases(weights []group.Scalar) group.Element {
	if len(s.Bases) == 1 {
		return s.Bases[0]
	}
	return s.Bases[0].Add(s.Key.Group().VartimeMultiMul(weights[1:], s.Bases[1:]))
}
