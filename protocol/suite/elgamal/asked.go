package elgamal

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// askingSuite is a suite whose shuffles others ask to be proved.
type askingSuite struct {
	*suite
	asked shuffle.AskedArgument
}

var _ proof.AskingSuite = askingSuite{}

// NewAsking returns the suite whose shuffles are proved by an argument when others have asked, to
// verify with.
func NewAsking(name string, g *group.Group, argument shuffle.AskedArgument) proof.Suite {
	return askingSuite{&suite{name, nil, boundedEncoding{newEncoding(g), argument.Size}}, argument}
}

func (a askingSuite) Soundness() int { return a.asked.ErrorBits() }

var errAsked = fmt.Errorf("a shuffle is proved in two messages here: %w", proof.ErrFalse)

func (a askingSuite) CheckCommitment(st proof.Shuffle, commitment []byte) error {
	r, err := a.shuffleOf(st)
	if err != nil {
		return err
	}
	return a.asked.CheckCommitment(r, commitment)
}

func (a askingSuite) VerifyAnswer(c transcript.Context, st proof.Shuffle, commitment []byte, values [][]byte, answer []byte, _ proof.Batch) error {
	r, err := a.shuffleOf(st)
	if err != nil {
		return err
	}
	return a.asked.VerifyAnswer(c, r, commitment, values, answer)
}

func (s *suite) shuffleOf(st proof.Shuffle) (shuffle.Statement, error) {
	r, err := s.relationOf(st)
	if err != nil {
		return shuffle.Statement{}, err
	}
	return r.(shuffle.Statement), nil
}
