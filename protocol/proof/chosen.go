package proof

import (
	"io"

	"github.com/pakli/pakli/protocol/transcript"
)

// AskingSuite is a [Suite] whose proofs of shuffles the other seats ask for, with values that they
// had fixed before (docs/spec/43-chosen-challenges.md). A message carries the commitment of such a
// proof, and a later message of the same seat the answer to the values.
//
// Verify and Prove are never called for a Shuffle. All other relations are proved as in any suite.
type AskingSuite interface {
	Suite
	// Soundness returns n such that a false answer passes with probability 2^-n, if the committing
	// seat did not know one of the values.
	Soundness() int
	// CheckCommitment checks the form of a statement and of its commitment.
	CheckCommitment(s Shuffle, commitment []byte) error
	// VerifyAnswer verifies the proof that was committed to at c and asked for by values, as Verify
	// does.
	VerifyAnswer(c transcript.Context, s Shuffle, commitment []byte, values [][]byte, answer []byte, b Batch) error
}

// AnsweringSecret is a [Secret] of an [AskingSuite].
type AnsweringSecret interface {
	Secret
	// Commit returns the commitment of a proof of s, and Answer the answer to values. Both draw
	// from rand in the same way: with the same bytes from rand, and the same c, s and w, they
	// belong to one proof. Answering two different lists of values reveals w.
	Commit(c transcript.Context, s Shuffle, w Witness, rand io.Reader) ([]byte, error)
	Answer(c transcript.Context, s Shuffle, w Witness, values [][]byte, rand io.Reader) ([]byte, error)
}

// AsAsking returns s as an AskingSuite; false if its proofs of shuffles need no values.
func AsAsking(s Suite) (AskingSuite, bool) {
	a, ok := s.(AskingSuite)
	return a, ok
}
