// Package joined makes a suite whose shuffles others ask to be proved one whose proofs are whole, as
// its vectors are and what is measured of it (docs/spec/43-chosen-challenges.md, 43.1.3). Such a
// proof convinces nobody: who makes it knows the values before.
package joined

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// JoinProofs returns s, or if it asks a suite with commitment and answer as one proof: u16 length of the
// commitment || commitment || answer to two values.
func JoinProofs(s proof.Prover) proof.Prover {
	if asking, ok := proof.AsAsking(s); ok {
		return suite{s, asking}
	}
	return s
}

// LogLen is how many bytes of a log the proof of a statement takes, where commitment and answer stand
// apart.
func LogLen(s proof.Suite, st proof.Statement, p []byte) int {
	_, whole := s.(suite)
	if _, shuffle := st.(proof.Shuffle); shuffle && whole {
		return len(p) - prefix
	}
	return len(p)
}

const prefix = 2 // bytes, of the length of a commitment

type suite struct {
	proof.Prover
	asking proof.AskingSuite
}

var values = [][]byte{{1, 2, 3}, {4, 5, 6}}

func (s suite) Proves(relation string) bool { return proof.Proves(s.Prover, relation) }
func (s suite) KeysPerDeal() bool           { return proof.KeysPerDeal(s.Prover) }

func (s suite) Verify(c transcript.Context, st proof.Statement, b []byte, batch proof.Batch) error {
	shuffle, ok := st.(proof.Shuffle)
	if !ok {
		return s.Prover.Verify(c, st, b, batch)
	}
	if len(b) < prefix || len(b)-prefix < int(binary.BigEndian.Uint16(b)) {
		return errors.New("it ends too early")
	}
	n := prefix + int(binary.BigEndian.Uint16(b))
	return s.asking.VerifyAnswer(c, shuffle, b[prefix:n], values, b[n:], batch)
}

func (s suite) NewSecret(rand io.Reader) (proof.Secret, error) {
	return joinSecret(s.Prover.NewSecret(rand))
}

func (s suite) ParseSecret(b []byte) (proof.Secret, error) {
	return joinSecret(s.Prover.ParseSecret(b))
}

func joinSecret(x proof.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	if a, ok := x.(proof.Arranger); ok {
		return arranger{secret{x.(proof.AnsweringSecret)}, a}, nil
	}
	return secret{x.(proof.AnsweringSecret)}, nil
}

// secret commits and answers at once.
type secret struct{ proof.AnsweringSecret }

func (x secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, random io.Reader) ([]byte, error) {
	shuffle, ok := st.(proof.Shuffle)
	if !ok {
		return x.AnsweringSecret.Prove(c, st, w, random)
	}
	var seed [32]byte
	if _, err := io.ReadFull(random, seed[:]); err != nil {
		return nil, err
	}
	commitment, err := x.Commit(c, shuffle, w, rand.NewChaCha8(seed))
	if err != nil {
		return nil, err
	}
	answer, err := x.Answer(c, shuffle, w, values, rand.NewChaCha8(seed))
	return append(append(binary.BigEndian.AppendUint16(nil, uint16(len(commitment))), commitment...), answer...), err
}

// arranger is a secret that arranges and mints.
type arranger struct {
	secret
	by proof.Arranger
}

func (x arranger) Arrange(c transcript.Context, f proof.Family, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	return x.by.Arrange(c, f, k, in, rand)
}

func (x arranger) Mint(c transcript.Context, k proof.Key, d proof.Deck, f card.Face, set card.Set, rand io.Reader) (proof.MaskedCard, proof.Witness, error) {
	return x.by.Mint(c, k, d, f, set, rand)
}
