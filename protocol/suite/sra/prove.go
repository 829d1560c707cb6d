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

// prover and disclosingSuite are the suites with their proving sides.
type prover struct {
	*suite
	secrets
}

type disclosingSuite struct {
	*disclosedSuite
	secrets
}

// Prover returns a suite made by New with its proving side.
func Prover(s proof.Suite) proof.Prover {
	own := s.(*suite)
	return prover{own, secrets{own.locks, false}}
}

// Discloser returns a suite made by NewDisclosed with its proving side.
func Discloser(s proof.Suite) proof.Prover {
	own := s.(*disclosedSuite)
	return disclosingSuite{own, secrets{own.locks, true}}
}

// secrets makes the secrets of a suite, which prove everything done with them or, if deferred, only
// ownership.
type secrets struct {
	of       locks
	deferred bool
}

func (m secrets) NewSecret(rand io.Reader) (proof.Secret, error) {
	return m.wrapSecret(NewSecret(m.of.group, rand))
}

func (m secrets) ParseSecret(b []byte) (proof.Secret, error) {
	return m.wrapSecret(ParseSecret(m.of.group, b))
}

func (m secrets) wrapSecret(e *Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return &secret{m.of, e, m.deferred}, nil
}

// Prove proves what the suite proves. It checks everything else, as others will once they have the
// lock.
func (s *secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	relation, permutation, err := s.provableRelation(st, w)
	if err != nil {
		return nil, err
	}
	switch r := relation.(type) {
	case relations.Ownership:
		return relations.ProveOwnership(c, r, s.e.Scalar(), rand)
	case Shuffle:
		if s.deferred {
			return nil, r.Check()
		}
		return ProveShuffle(c, r, s.e, permutation, rand)
	}
	r := relation.(Unlock)
	if !s.deferred {
		return ProveUnlock(c, r, s.e, rand)
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	return nil, s.e.Disclose().CheckUnlocked(r)
}

// ProveShuffle proves s by its witness. Requires: e is the lock of s.Key, and e and the permutation
// made s.
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

// secretBytes encodes a witness, for hedging nonces.
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
