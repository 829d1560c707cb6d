package cutandchoose

import (
	"cmp"

	"github.com/pakli/pakli/protocol/suite/rounds"
	"github.com/pakli/pakli/protocol/transcript"
)

// AskedBits is the number of bits of the error of a proof that others ask for.
const AskedBits = rounds.AskedBits

// AskedStatement is a Statement whose proof is C, and the rest of it when others have revealed the values
// that D is drawn from.
type AskedStatement struct{ Statement }

// Label implements transcript.Statement.
func (AskedStatement) Label() string { return "shuffle/residues-cut-and-choose-asked/v1" }

// AskedSize is Size of an answer.
func AskedSize(cards, keys, width, number int) int {
	return proofShape{rounds.Asked, cards, cards, keys, width, number}.layout().AnswerSize()
}

// CheckCommitment checks the form of the statement and of C.
func (s AskedStatement) CheckCommitment(commitment []byte) error {
	return cmp.Or(s.CheckForm(), rounds.CheckCommitment(commitment))
}

// VerifyAnswer checks the proof that C and an answer to values make, as Verify does.
func (s AskedStatement) VerifyAnswer(ctx transcript.Context, commitment []byte, values [][]byte, answer []byte) error {
	if err := s.CheckCommitment(commitment); err != nil {
		return err
	}
	whole, err := shapeOf(rounds.Asked, s.Statement).layout().WholeProof(commitment, answer)
	if err != nil {
		return err
	}
	return s.verify(rounds.Asked, transcript.New(ctx, s), whole, values...)
}
