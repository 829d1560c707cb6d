package cutandchoose

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// forty are s and w of an argument whose rounds are asked for by others
// (docs/spec/43-chosen-challenges.md): (59 over 12) > 2^40. Nobody can try offline until he is
// asked for what he is prepared for, so 40 bits are enough for those who asked.
var forty = roundCounts{rounds: 59, composed: 12}

// AskedArgument is the argument of which C is sent first, and the rest when others have
// revealed the values that D is drawn from.
type AskedArgument struct{}

var _ shuffle.AskedArgument = AskedArgument{}

// askedBits is the number of bits of its error.
const askedBits = 40

// ErrorBits implements shuffle.AskedArgument.
func (AskedArgument) ErrorBits() int { return askedBits }

// askedLabel names the relation and this argument.
const askedLabel = "shuffle/cut-and-choose-asked/v1"

// Size implements shuffle.AskedArgument.
func (AskedArgument) Size(g *group.Group, n int) int { return forty.proofSize(g, n) - sha256.Size }

// CheckCommitment checks the form of s and of C.
func (AskedArgument) CheckCommitment(s shuffle.Statement, commitment []byte) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	if len(commitment) != sha256.Size {
		return fmt.Errorf("it has %d bytes, must have %d", len(commitment), sha256.Size)
	}
	return nil
}

// VerifyAnswer checks the proof of s that C and an answer to values make, as Verify does.
func (a AskedArgument) VerifyAnswer(ctx transcript.Context, s shuffle.Statement, commitment []byte, values [][]byte, answer []byte) error {
	if err := a.CheckCommitment(s, commitment); err != nil {
		return err
	}
	n := len(s.In)
	if size := a.Size(s.Key.Group(), n); len(answer) != size {
		return fmt.Errorf("the answer has %d bytes, must have %d for %d cards", len(answer), size, n)
	}
	whole := slices.Insert(slices.Clone(answer), forty.composed*n, commitment...)
	return forty.verifyUnder(transcript.New(ctx, s.WithLabel(askedLabel)), s, whole, values...)
}
