// Package group is the group of squares modulo the 2048-bit prime p of RFC 3526, as
// classes {y, p − y}, and batches of linear equations over it. It has the order
// q = (p − 1)/2, which is prime.
//
// Every class has one square, since −1 is none, so the classes are the squares under other
// names: products are taken modulo p and written as the smaller of the two. Membership is
// then a matter of range, 1 ≤ y ≤ q. No element of order 2 exists, and no symbol tells one
// element from another. The group is written additively, as that of package
// protocol/suite/ristretto255/group, whose names these are: relations are over one or
// the other by what they import. What depends on the size of p is in this file; all others are made from those of
// package qr3072/group.
//
// An [Element] is immutable and remembers its canonical encoding. Elements nobody knows
// the discrete logarithm of come from [HashToElement].
//
// Operations take constant time in their scalars. The few that do not, and are
// for public values only, have Vartime in their name.
//
// Normative text: docs/spec/31-masking-qr.md.
package group

import "github.com/pakli/pakli/protocol/suite/modp"

const (
	words = 32 // of a number below p

	// ElementSize is the length of an element's encoding, in bytes.
	ElementSize = 8 * words
	// ScalarSize is the length of a scalar's encoding, in bytes.
	ScalarSize = 8 * words

	// wideSize is the length of what is reduced to a uniform number, in bytes.
	wideSize = 8*words + 16
)

// p and q are the moduli of elements and scalars.
var p, q = modp.Group14()
