package clear

import (
	"bytes"
	"errors"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// AskingName is the name of Asking.
const AskingName = "clear-chosen/v1"

// Asking is Suite, but others ask for the proofs of shuffles.
type Asking struct{ Suite }

var (
	_ proof.Asking = Asking{}
	_ proof.Prover = Asking{}
	_ proof.Asked  = askedSecret{}
)

var errAsked = errors.New("a shuffle is proved in two messages here")

func (Asking) Name() string   { return AskingName }
func (Asking) Soundness() int { return 40 }

// Verify implements proof.Suite.
func (a Asking) Verify(c transcript.Context, s proof.Statement, p []byte, b proof.Batch) error {
	if _, shuffles := s.(proof.Shuffle); shuffles {
		return errAsked
	}
	return a.Suite.Verify(c, s, p, b)
}

// Committed implements proof.Asking.
func (Asking) Committed(s proof.Shuffle, commitment []byte) error {
	if !sensible(s) || len(commitment) != 64 {
		return errors.New("no commitment, or a statement that makes no sense")
	}
	return nil
}

// Answered implements proof.Asking.
func (a Asking) Answered(c transcript.Context, s proof.Shuffle, commitment []byte, values [][]byte, answer []byte, b proof.Batch) error {
	into, ok := b.(*batch)
	want := reply(c, s, values)
	if err := a.Committed(s, commitment); err != nil || !ok || len(answer) != len(want) {
		return errors.New("no answer, or a statement that makes no sense")
	}
	into.add(bytes.Equal(commitment, tag(c, s)) && bytes.Equal(answer, want) && holds(s))
	return nil
}

// reply is the one answer to values.
func reply(c transcript.Context, s proof.Statement, values [][]byte) []byte {
	t := transcript.New(c, bound{s})
	for _, v := range values {
		t.Append("value", v)
	}
	challenge := t.Challenge("answer")
	return challenge[:]
}

// NewSecret implements proof.Prover.
func (a Asking) NewSecret(rand io.Reader) (proof.Secret, error) {
	return answering(a.Suite.NewSecret(rand))
}

// ParseSecret implements proof.Prover.
func (a Asking) ParseSecret(b []byte) (proof.Secret, error) {
	return answering(a.Suite.ParseSecret(b))
}

func answering(x proof.Secret, err error) (proof.Secret, error) {
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
	return reply(c, s, values), nil
}
