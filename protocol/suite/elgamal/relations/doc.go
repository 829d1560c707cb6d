// Package relations proves what is done with keys and single cards: that a seat knows its key's secret,
// that tokens are right, that a card handed over is the card that was held (docs/spec/40-proofs.md),
// that a pile was cut or a card put back into it, and that a new card has one of some faces
// (docs/spec/42-arrange.md).
//
// Each is a sigma protocol with its statement, its prover and its verifier; the comment of the
// statement has the equations and papers. The last two end in one disjunction, which is here too. All
// are complete, sound as proofs of knowledge and honest-verifier zero-knowledge, and the transcript
// binds them to the place of the proof (docs/spec/20). All their equations are linear between elements
// on the wire and go into a batch. The provers take constant time in secret values.
//
// Whether a statement is due, and whether its cards are those of the table, is for the kernel, which
// computes it.
package relations
