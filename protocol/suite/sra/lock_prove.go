package sra

import (
	"encoding/binary"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ProveShuffle proves s by its witness. Requires: e is the lock of s.Key, and s is made by
// it and the permutation.
func ProveShuffle(ctx transcript.Context, s Shuffle, e *Secret, permutation []uint16, rand io.Reader) ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if len(permutation) != len(s.In) {
		return nil, proof.ErrFalse
	}
	t := transcript.New(ctx, s)
	nonces, err := t.Hedge(secretBytes(e, permutation), rand)
	if err != nil {
		return nil, err
	}
	return proveShuffle(t, s, e, permutation, nonces)
}

// proveShuffle: with w for τ, T = w·G and z = w + c·e. As Σ x^i·in_i = e^(−1)·Σ b_i·out_i,
//
//	E = Σ a_i·out_i − w·Σ x^i·in_i = Σ (a_i − w·e^(−1)·b_i)·out_i
//
// is one combination.
func proveShuffle(t *transcript.Transcript, s Shuffle, e *Secret, permutation []uint16, nonces io.Reader) ([]byte, error) {
	g := s.Key.Group()
	combine := func(b, a []group.Scalar, w group.Scalar) masking.Card {
		return masking.Card{
			A: g.MultiMul(group.ScaleAndAdd(w.Mul(e.inverse()).Neg(), b, a), s.Out),
			B: g.MulBase(w),
		}
	}
	return bayergroth.ProveOrder(g, t, permutation, nonces, combine, e.Scalar().Neg())
}

// secretBytes returns a witness as bytes, for hedged nonces.
func secretBytes(e *Secret, permutation []uint16) []byte {
	b := make([]byte, 0, 2*len(permutation)+e.Key().Group().ScalarSize)
	for _, p := range permutation {
		b = binary.BigEndian.AppendUint16(b, p)
	}
	return append(b, e.Bytes()...)
}

// ProveUnlock proves s. It returns proof.ErrFalse if it does not hold. Requires: e is the lock
// of s.Key.
func ProveUnlock(ctx transcript.Context, s Unlock, e *Secret, rand io.Reader) ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	return relations.ProveShares(transcript.New(ctx, s), s.tokenShares(), e.Secret, false, rand)
}
