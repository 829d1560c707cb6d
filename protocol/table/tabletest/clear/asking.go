package clear

import (
	"bytes"
	"errors"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// AskingName is the name of AskingSuite.
const AskingName = "clear-chosen/v1"

// AskingSuite is Suite, except that others ask for the proofs of shuffles.
type AskingSuite struct{ Suite }

var (
	_ proof.AskingSuite     = AskingSuite{}
	_ proof.Prover          = AskingSuite{}
	_ proof.AnsweringSecret = askedSecret{}
)

var errAsked = errors.New("a shuffle is proved in two messages here")

func (AskingSuite) Name() string   { return AskingName }
func (AskingSuite) Soundness() int { return 40 }

// Verify implements proof.Suite.
func (a AskingSuite) Verify(c transcript.Context, s proof.Statement, p []byte, b proof.Batch) error {
	if _, shuffles := s.(proof.Shuffle); shuffles {
		return errAsked
	}
	return a.Suite.Verify(c, s, p, b)
}

// CheckCommitment implements proof.AskingSuite.
func (AskingSuite) CheckCommitment(s proof.Shuffle, commitment []byte) error {
	if !isSensible(s) || len(commitment) != 64 {
		return errors.New("no commitment, or a statement that makes no sense")
	}
	return nil
}

// VerifyAnswer implements proof.AskingSuite.
func (a AskingSuite) VerifyAnswer(c transcript.Context, s proof.Shuffle, commitment []byte, values [][]byte, answer []byte, b proof.Batch) error {
	into, ok := b.(*batch)
	want := replyTo(c, s, values)
	if err := a.CheckCommitment(s, commitment); err != nil || !ok || len(answer) != len(want) {
		return errors.New("no answer, or a statement that makes no sense")
	}
	into.addResult(bytes.Equal(commitment, proofTag(c, s)) && bytes.Equal(answer, want) && isTrue(s))
	return nil
}

// replyTo is the only right answer to values.
func replyTo(c transcript.Context, s proof.Statement, values [][]byte) []byte {
	t := transcript.New(c, boundStatement{s})
	for _, v := range values {
		t.Append("value", v)
	}
	challenge := t.Challenge("answer")
	return challenge[:]
}

// NewSecret implements proof.Prover.
func (a AskingSuite) NewSecret(rand io.Reader) (proof.Secret, error) {
	return asAskedSecret(a.Suite.NewSecret(rand))
}

// ParseSecret implements proof.Prover.
func (a AskingSuite) ParseSecret(b []byte) (proof.Secret, error) {
	return asAskedSecret(a.Suite.ParseSecret(b))
}

func asAskedSecret(x proof.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return askedSecret{x.(secret)}, nil
}

type askedSecret struct{ proof.Arranger }

func (x askedSecret) Prove(c transcript.Context, s proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	if _, shuffles := s.(proof.Shuffle); shuffles {
		return nil, errAsked
	}
	return x.Arranger.Prove(c, s, w, rand)
}

func (x askedSecret) Commit(c transcript.Context, s proof.Shuffle, w proof.Witness, rand io.Reader) ([]byte, error) {
	return x.Arranger.Prove(c, s, w, rand)
}

func (x askedSecret) Answer(c transcript.Context, s proof.Shuffle, w proof.Witness, values [][]byte, rand io.Reader) ([]byte, error) {
	if _, err := x.Commit(c, s, w, rand); err != nil {
		return nil, err
	}
	return replyTo(c, s, values), nil
}
