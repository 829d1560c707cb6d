package proof

// Here is kept what the maker of cards knows of them with the statement that it is about,
// behind the seam of package proof: a prover that is given another's has no proof to make. It serves
// the proving sides of all encodings, and no verdict rests on it.

import (
	"fmt"

	"github.com/pakli/pakli/protocol/transcript"
)

// StatementWitness is how the new cards of a statement were made, with the statement.
type StatementWitness[W any] struct {
	Statement transcript.Statement
	How       W
}

// WitnessOf returns how the new cards of s were made, if w says so, and else an error that wraps
// proof.ErrFalse.
func WitnessOf[W any](w Witness, s transcript.Statement) (how W, err error) {
	made, ok := w.(StatementWitness[W])
	if !ok || made.Statement == nil || !sameStatement(made.Statement, s) {
		return how, fmt.Errorf("the witness is of another statement: %w", ErrFalse)
	}
	return made.How, nil
}

// ProveWitnessed proves s by how its new cards were made.
func ProveWitnessed[W any](w Witness, s transcript.Statement, prove func(how W) ([]byte, error)) ([]byte, error) {
	how, err := WitnessOf[W](w, s)
	if err != nil {
		return nil, err
	}
	return prove(how)
}

// sameStatement compares statements by all that they bind, which is on the log.
func sameStatement(a, b transcript.Statement) bool {
	return transcript.New(noContext, a).Challenge("same") == transcript.New(noContext, b).Challenge("same")
}

// noContext is a context of no proof.
var noContext = transcript.Bind("", "", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "", 0).Slot(0)
