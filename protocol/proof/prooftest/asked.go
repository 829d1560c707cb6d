package prooftest

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// joined is a suite whose shuffles others ask to be proved, with commitment and answer as one
// proof: u16 length of the commitment || commitment || answer to the values of joinedBy.
type joined struct {
	proof.Prover
	asking proof.Asking
}

var joinedBy = [][]byte{{1, 2, 3}, {4, 5, 6}}

func (s joined) Proves(relation string) bool { return proof.Proves(s.Prover, relation) }
func (s joined) KeysPerDeal() bool           { return proof.KeysPerDeal(s.Prover) }

func (s joined) Verify(c transcript.Context, st proof.Statement, b []byte, batch proof.Batch) error {
	shuffle, ok := st.(proof.Shuffle)
	if !ok {
		return s.Prover.Verify(c, st, b, batch)
	}
	if len(b) < 2 || len(b)-2 < int(binary.BigEndian.Uint16(b)) {
		return errors.New("it ends too early")
	}
	n := 2 + binary.BigEndian.Uint16(b)
	return s.asking.Answered(c, shuffle, b[2:n], joinedBy, b[n:], batch)
}

func (s joined) NewSecret(rand io.Reader) (proof.Secret, error) {
	return joining(s.Prover.NewSecret(rand))
}

func (s joined) ParseSecret(b []byte) (proof.Secret, error) { return joining(s.Prover.ParseSecret(b)) }

func joining(x proof.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	if a, ok := x.(proof.Arranger); ok {
		return joinedArranger{joinedSecret{x.(proof.Asked)}, a}, nil
	}
	return joinedSecret{x.(proof.Asked)}, nil
}

// joinedSecret commits and answers at once.
type joinedSecret struct{ proof.Asked }

func (x joinedSecret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, random io.Reader) ([]byte, error) {
	shuffle, ok := st.(proof.Shuffle)
	if !ok {
		return x.Asked.Prove(c, st, w, random)
	}
	var seed [32]byte
	if _, err := io.ReadFull(random, seed[:]); err != nil {
		return nil, err
	}
	commitment, err := x.Commit(c, shuffle, w, rand.NewChaCha8(seed))
	if err != nil {
		return nil, err
	}
	answer, err := x.Answer(c, shuffle, w, joinedBy, rand.NewChaCha8(seed))
	return append(append(binary.BigEndian.AppendUint16(nil, uint16(len(commitment))), commitment...), answer...), err
}

// joinedArranger is a joinedSecret that arranges and mints.
type joinedArranger struct {
	joinedSecret
	by proof.Arranger
}

func (x joinedArranger) Arrange(c transcript.Context, f proof.Family, k proof.Key, in []proof.Masked, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	return x.by.Arrange(c, f, k, in, rand)
}

func (x joinedArranger) Mint(c transcript.Context, k proof.Key, d proof.Deck, f card.Face, set card.Set, rand io.Reader) (proof.Masked, proof.Witness, error) {
	return x.by.Mint(c, k, d, f, set, rand)
}
