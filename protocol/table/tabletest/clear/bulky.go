package clear

import (
	"bytes"
	"errors"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

// BulkyName is the name of Bulky.
const BulkyName = "clear-bulky/v1"

// Bulky is Suite, but its proofs of shuffles are too long for an entry.
type Bulky struct{ Suite }

var _ proof.Prover = Bulky{}

// padding is what makes a proof long.
var padding = bytes.Repeat([]byte{0xb1}, wire.MaxInline)

func (Bulky) Name() string { return BulkyName }

// Verify implements proof.Suite.
func (b Bulky) Verify(c transcript.Context, s proof.Statement, p []byte, batch proof.Batch) error {
	if _, long := s.(proof.Shuffle); long {
		short, ok := bytes.CutSuffix(p, padding)
		if !ok {
			return errors.New("a proof of a shuffle that is not long")
		}
		p = short
	}
	return b.Suite.Verify(c, s, p, batch)
}

// NewSecret implements proof.Prover.
func (b Bulky) NewSecret(rand io.Reader) (proof.Secret, error) {
	x, err := b.Suite.NewSecret(rand)
	return bulkySecret{x}, err
}

// ParseSecret implements proof.Prover.
func (b Bulky) ParseSecret(bytes []byte) (proof.Secret, error) {
	x, err := b.Suite.ParseSecret(bytes)
	return bulkySecret{x}, err
}

type bulkySecret struct{ proof.Secret }

func (x bulkySecret) Prove(c transcript.Context, s proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	p, err := x.Secret.Prove(c, s, w, rand)
	if _, long := s.(proof.Shuffle); long && err == nil {
		p = append(p, padding...)
	}
	return p, err
}
