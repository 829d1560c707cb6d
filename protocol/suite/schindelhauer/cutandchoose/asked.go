package cutandchoose

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/transcript"
)

// forty are the rounds of an argument that others ask for (docs/spec/43-chosen-challenges.md):
// (59 over 12) > 2^40. Nobody can try offline until he is asked for what he is prepared for.
var forty = roundCounts{rounds: 59, composed: 12}

// AskedBits is the number of bits of its error.
const AskedBits = 40

// AskedStatement is a Statement whose proof is C, and the rest of it when others have revealed the values
// that D is drawn from.
type AskedStatement struct{ Statement }

// Label implements transcript.Statement.
func (AskedStatement) Label() string { return "shuffle/residues-cut-and-choose-asked/v1" }

// AskedSize is Size of an answer.
func AskedSize(cards, keys, width, number int) int {
	return proofShape{forty, cards, cards, keys, width, number}.proofSize() - sha256.Size
}

// CheckCommitment checks the form of the statement and of C.
func (s AskedStatement) CheckCommitment(commitment []byte) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	if len(commitment) != sha256.Size {
		return fmt.Errorf("it has %d bytes, must have %d", len(commitment), sha256.Size)
	}
	return nil
}

// VerifyAnswer checks the proof that C and an answer to values make, as Verify does.
func (s AskedStatement) VerifyAnswer(ctx transcript.Context, commitment []byte, values [][]byte, answer []byte) error {
	if err := s.CheckCommitment(commitment); err != nil {
		return err
	}
	h := forty.shapeOf(s.Statement)
	if size := h.proofSize() - sha256.Size; len(answer) != size {
		return fmt.Errorf("the answer has %d bytes, must have %d for %d cards", len(answer), size, h.cards)
	}
	whole := slices.Insert(slices.Clone(answer), h.commitmentOffset(), commitment...)
	return forty.verify(transcript.New(ctx, s), s.Statement, whole, values...)
}
