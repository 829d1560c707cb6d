package proof

// A witness is kept together with its statement, so that a prover given the witness of another
// statement makes no proof. The proving sides of all encodings use this; no verdict rests on it.

import (
	"fmt"

	"github.com/pakli/pakli/protocol/transcript"
)

// StatementWitness is how the new cards of a statement were made, together with that statement.
type StatementWitness[W any] struct {
	Statement transcript.Statement
	How       W
}

// WitnessOf returns how the new cards of s were made, or an error that wraps ErrFalse if w is the
// witness of another statement.
func WitnessOf[W any](w Witness, s transcript.Statement) (how W, err error) {
	made, ok := w.(StatementWitness[W])
	if !ok || made.Statement == nil || !sameStatement(made.Statement, s) {
		return how, fmt.Errorf("the witness is of another statement: %w", ErrFalse)
	}
	return made.How, nil
}

// ProveWitnessed calls prove with how the new cards of s were made.
func ProveWitnessed[W any](w Witness, s transcript.Statement, prove func(how W) ([]byte, error)) ([]byte, error) {
	how, err := WitnessOf[W](w, s)
	if err != nil {
		return nil, err
	}
	return prove(how)
}

// sameStatement compares statements by the public values that they bind.
func sameStatement(a, b transcript.Statement) bool {
	return transcript.New(noContext, a).Challenge("same") == transcript.New(noContext, b).Challenge("same")
}

// noContext is the context of no proof.
var noContext = transcript.Bind("", "", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "", 0).Slot(0)
