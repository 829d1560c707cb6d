package cutandchoose

import (
	"cmp"

	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/rounds"
	"github.com/pakli/pakli/protocol/transcript"
)

// AskedArgument is the argument of which C is sent first, and the rest when others have
// revealed the values that D is drawn from.
type AskedArgument struct{}

var _ shuffle.AskedArgument = AskedArgument{}

// ErrorBits implements shuffle.AskedArgument.
func (AskedArgument) ErrorBits() int { return rounds.AskedBits }

// askedLabel names the relation and this argument.
const askedLabel = "shuffle/cut-and-choose-asked/v1"

// Size implements shuffle.AskedArgument.
func (AskedArgument) Size(g *group.Group, n int) int {
	return argument(rounds.Asked).layoutOf(g, n).AnswerSize()
}

// CheckCommitment checks the form of s and of C.
func (AskedArgument) CheckCommitment(s shuffle.Statement, commitment []byte) error {
	return cmp.Or(s.CheckForm(), rounds.CheckCommitment(commitment))
}

// VerifyAnswer checks the proof of s that C and an answer to values make, as Verify does.
func (a AskedArgument) VerifyAnswer(ctx transcript.Context, s shuffle.Statement, commitment []byte, values [][]byte, answer []byte) error {
	if err := a.CheckCommitment(s, commitment); err != nil {
		return err
	}
	by := argument(rounds.Asked)
	whole, err := by.layoutOf(s.Key.Group(), len(s.In)).WholeProof(commitment, answer)
	if err != nil {
		return err
	}
	return by.verify(transcript.New(ctx, s.WithLabel(askedLabel)), s, whole, values...)
}
