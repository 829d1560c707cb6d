// Package choices proves a fact about hidden cards: of these cards, at least so many and at
// most so many have a face in this set. No position is marked: who verifies learns nothing
// else (docs/spec/45-conditions.md; security: docs/spec/46).
//
// [Condition] is the one way in; the mathematics is in three arguments beside it,
// and [Choose] takes a short and fast composition of them:
//
//	threshold   at least t of k cards have one of these faces
//	inequality  none of k cards has one of these faces
//	subset      k cards have k different ones of these faces
//
// It promises what the arguments promise, whose comments say it, to a table that made sure
// of what is asked of the cards. They are complete, sound and zero-knowledge under
// Fiat–Shamir in the random oracle model, some under the discrete logarithm assumption and
// its decisional form. The provers take constant time in the secret and the faces.
package choices
