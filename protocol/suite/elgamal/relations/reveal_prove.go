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
func ProveReveal(ctx transcript.Context, s Reveal, x *masking.Secret, rand io.Reader) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	return ProveShares(transcript.New(ctx, s), s.tokenShares(), x, s.madeBy(x), rand)
}

// ProveShares proves that x made the shares. It returns proof.ErrFalse if it did not; made says
// that this is known. Requires: x is the secret of s.Key.
func ProveShares(t *transcript.Transcript, s Shares, x *masking.Secret, made bool, rand io.Reader) ([]byte, error) {
	rows := s.linear(t)
	weighted := &rows[1]
	weighted.Bases[0] = weighted.Bases[0].oneTerm()
	m, err := rows.prove(t, rand, []group.Scalar{x.Scalar()})
	if err != nil {
		return nil, err
	}
	if !made && !weighted.holds(m, m.T[1]) {
		return nil, proof.ErrFalse
	}
	return m.Bytes(), nil
}

// madeBy reports whether all tokens are known to come from x.
func (s Reveal) madeBy(x *masking.Secret) bool {
	for j, t := range s.Tokens {
		if !x.HasMade(t, s.Cards[j]) {
			return false
		}
	}
	return true
}
