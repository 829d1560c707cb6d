package proof

// JoinProofs turns a suite whose shuffles are proved by commitment and answer into one with whole
// proofs, for test vectors and measurements (docs/spec/43-chosen-challenges.md, 43.1.3). Such a
// proof convinces nobody, since its maker knows the values before.

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/transcript"
)

// JoinProofs returns s or, if s is an AskingSuite, a suite with commitment and answer as one proof:
// u16 length of the commitment || commitment || answer to two values.
func JoinProofs(s Prover) Prover {
	if asking, ok := AsAsking(s); ok {
		return joinedSuite{s, asking}
	}
	return s
}

// JoinedLogLen returns how many bytes of a log the proof of a statement takes when commitment and
// answer are logged apart.
func JoinedLogLen(s Suite, st Statement, p []byte) int {
	_, whole := s.(joinedSuite)
	if _, shuffle := st.(Shuffle); shuffle && whole {
		return len(p) - joinedPrefix
	}
	return len(p)
}

const joinedPrefix = 2 // bytes for the length of a commitment

type joinedSuite struct {
	Prover
	asking AskingSuite
}

var joinedValues = [][]byte{{1, 2, 3}, {4, 5, 6}}

func (s joinedSuite) Proves(relation string) bool { return Proves(s.Prover, relation) }
func (s joinedSuite) KeysPerDeal() bool           { return KeysPerDeal(s.Prover) }

func (s joinedSuite) Verify(c transcript.Context, st Statement, b []byte, batch Batch) error {
	shuffle, ok := st.(Shuffle)
	if !ok {
		return s.Prover.Verify(c, st, b, batch)
	}
	if len(b) < joinedPrefix || len(b)-joinedPrefix < int(binary.BigEndian.Uint16(b)) {
		return errors.New("it ends too early")
	}
	n := joinedPrefix + int(binary.BigEndian.Uint16(b))
	return s.asking.VerifyAnswer(c, shuffle, b[joinedPrefix:n], joinedValues, b[n:], batch)
}

func (s joinedSuite) NewSecret(rand io.Reader) (Secret, error) {
	return joinSecret(s.Prover.NewSecret(rand))
}

func (s joinedSuite) ParseSecret(b []byte) (Secret, error) {
	return joinSecret(s.Prover.ParseSecret(b))
}

func joinSecret(x Secret, err error) (Secret, error) {
	if err != nil {
		return nil, err
	}
	if a, ok := x.(Arranger); ok {
		return joinedArranger{joinedSecret{x.(AnsweringSecret)}, a}, nil
	}
	return joinedSecret{x.(AnsweringSecret)}, nil
}

// joinedSecret commits and answers in one call.
type joinedSecret struct{ AnsweringSecret }

func (x joinedSecret) Prove(c transcript.Context, st Statement, w Witness, random io.Reader) ([]byte, error) {
	shuffle, ok := st.(Shuffle)
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
	answer, err := x.Answer(c, shuffle, w, joinedValues, rand.NewChaCha8(seed))
	return append(append(binary.BigEndian.AppendUint16(nil, uint16(len(commitment))), commitment...), answer...), err
}

// joinedArranger is a joinedSecret that also arranges and mints.
type joinedArranger struct {
	joinedSecret
	by Arranger
}

func (x joinedArranger) Arrange(c transcript.Context, f Family, k Key, in []MaskedCard, rand io.Reader) ([]MaskedCard, Witness, error) {
	return x.by.Arrange(c, f, k, in, rand)
}

func (x joinedArranger) Mint(c transcript.Context, k Key, d Deck, f card.Face, set card.Set, rand io.Reader) (MaskedCard, Witness, error) {
	return x.by.Mint(c, k, d, f, set, rand)
}
