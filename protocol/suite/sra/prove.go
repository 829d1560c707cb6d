package sra

import (
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/transcript"
)

// prover is the suite that proves every step with its proving side.
type prover struct{ *suite }

// Prover returns a suite that New has made with its proving side.
func Prover(s proof.Suite) proof.Prover { return prover{s.(*suite)} }

func (p prover) NewSecret(rand io.Reader) (proof.Secret, error) {
	return p.wrapProving(NewSecret(p.group, rand))
}

func (p prover) ParseSecret(b []byte) (proof.Secret, error) {
	return p.wrapProving(ParseSecret(p.group, b))
}

func (p prover) wrapProving(e *Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return provingSecret{&secret{p.locks, e}}, nil
}

// provingSecret is a lock with a proof for all that is done with it.
type provingSecret struct{ *secret }

func (s provingSecret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	relation, permutation, err := s.provableRelation(st, w)
	if err != nil {
		return nil, err
	}
	switch r := relation.(type) {
	case relations.OwnershipStatement:
		return relations.ProveOwnership(c, r, s.e.Scalar(), rand)
	case Shuffle:
		return ProveShuffle(c, r, s.e, permutation, rand)
	}
	return ProveUnlock(c, relation.(Unlock), s.e, rand)
}
