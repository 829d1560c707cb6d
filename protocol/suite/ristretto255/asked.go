package ristretto255

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

// asking is a suite whose shuffles others ask to be proved.
type asking struct {
	*suite
	asked shuffle.Asked
}

var _ proof.Asking = asking{}

// NewAsking returns the suite whose shuffles are proved by an argument when others have asked, to
// verify with.
func NewAsking(name string, argument shuffle.Asked) proof.Suite {
	return asking{&suite{name, nil, bounded{newEncoding(), argument.Size}}, argument}
}

func (a asking) Soundness() int { return a.asked.Bits() }

// Verify is never asked about a shuffle.
func (a asking) Verify(c transcript.Context, st proof.Statement, b []byte, batch proof.Batch) error {
	if _, shuffles := st.(proof.Shuffle); shuffles {
		return errAsked
	}
	return a.suite.Verify(c, st, b, batch)
}

var errAsked = fmt.Errorf("a shuffle is proved in two messages here: %w", proof.ErrFalse)

func (a asking) Committed(st proof.Shuffle, commitment []byte) error {
	r, err := shuffleOf(st)
	if err != nil {
		return err
	}
	return a.asked.Committed(r, commitment)
}

func (a asking) Answered(c transcript.Context, st proof.Shuffle, commitment []byte, values [][]byte, answer []byte, _ proof.Batch) error {
	r, err := shuffleOf(st)
	if err != nil {
		return err
	}
	return a.asked.Answered(c, r, commitment, values, answer)
}

func shuffleOf(st proof.Shuffle) (shuffle.Statement, error) {
	r, err := relationOf(st)
	if err != nil {
		return shuffle.Statement{}, err
	}
	return r.(shuffle.Statement), nil
}
