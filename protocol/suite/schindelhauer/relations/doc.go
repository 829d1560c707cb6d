// Package relations is what is proved of single cards of residues: tokens, cards that are
// handed over, insertions and new cards (docs/spec/32-masking-residues.md, 32.3). Each is a
// [Claim] that bits of columns of numbers cancel, and all have one argument for it,
// [Relation], by random combinations of the columns and, of several branches, by a
// disjunction (Cramer, Damgård and Schoenmakers 1994).
//
// It promises completeness, soundness but for a probability of 2^-128, and zero knowledge,
// under Fiat–Shamir in the random oracle model; its provers take constant time. It leaves to
// package blum that moduli are what they should be, to package cutandchoose shuffles and
// cuts, and to the kernel whether a statement is due.
package relations
