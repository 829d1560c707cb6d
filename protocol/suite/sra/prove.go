package sra

import (
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
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

// Prover returns a suite that New has made with its proving side.
func Prover(s proof.Suite) proof.Prover {
	own := s.(*suite)
	return prover{own, secrets{own.locks, false}}
}

// Discloser returns a suite that NewDisclosed has made with its proving side.
func Discloser(s proof.Suite) proof.Prover {
	own := s.(*disclosedSuite)
	return disclosingSuite{own, secrets{own.locks, true}}
}

// secrets makes those of a suite, which prove all that is done with them, or ownership alone.
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

// Prove proves what the suite proves. All else it checks, as the others will with the lock.
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
