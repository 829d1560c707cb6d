package proof

import (
	"io"

	"github.com/pakli/pakli/protocol/transcript"
)

// AskingSuite is a [Suite] whose proofs of shuffles are asked for by the other seats, with values
// that they had fixed before (docs/spec/43-chosen-challenges.md). A message has the commitment of
// such a proof, and a later one of the same seat the answer to their values.
//
// Verify and Prove are never called for a Shuffle. All other relations are proved as ever.
type AskingSuite interface {
	Suite
	// Soundness is the number of bits of a false answer's error: it passes with
	// probability 2^-Soundness if one of the values was not known to who committed.
	Soundness() int
	// CheckCommitment checks the form of a statement and of the commitment of its proof.
	CheckCommitment(s Shuffle, commitment []byte) error
	// VerifyAnswer is Verify of what was committed to at c, asked by values.
	VerifyAnswer(c transcript.Context, s Shuffle, commitment []byte, values [][]byte, answer []byte, b Batch) error
}

// AnsweringSecret is a [Secret] of a suite that is [AskingSuite].
type AnsweringSecret interface {
	Secret
	// Commit returns the commitment of a proof of s, and Answer what is asked of it by values.
	// Both draw from rand, in the same way: with the same bytes, and for the same c, s and w,
	// they are of one proof. Who answers two different lists of values tells w.
	Commit(c transcript.Context, s Shuffle, w Witness, rand io.Reader) ([]byte, error)
	Answer(c transcript.Context, s Shuffle, w Witness, values [][]byte, rand io.Reader) ([]byte, error)
}

// AsAsking returns s as a suite of which others ask for proofs; false if its proofs are messages.
func AsAsking(s Suite) (AskingSuite, bool) {
	a, ok := s.(AskingSuite)
	return a, ok
}
