// Package choices proves a fact about hidden cards: at least so many and at most so many of them have a
// face in a set. The verifier learns nothing else; no position is marked (docs/spec/45-conditions.md;
// security: docs/spec/46).
//
// [Condition] is the only entry. The mathematics is in three arguments, of which [Choose] makes a short
// and fast composition:
//
//	threshold   at least t of k cards have one of these faces
//	inequality  none of k cards has one of these faces
//	subset      k cards have k different ones of these faces
//
// It promises what the comments of the arguments promise, if the table made sure of what is asked of
// the cards. The arguments are complete, sound and zero-knowledge under Fiat–Shamir in the random
// oracle model, some under the discrete logarithm assumption and its decisional form. The provers take
// constant time in the secret and the faces.
package choices
