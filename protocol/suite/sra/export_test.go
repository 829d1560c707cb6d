package sra

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
)

// Doors for tests that prove what is false, rewind a prover, or choose the challenge.
var (
	ShuffleAlgebra = proveShuffle
	LockEquations  = Shuffle.addEquations
)

// Lock locks cards in an order, which need be no permutation.
func Lock(e *Secret, in []group.Element, order ...uint16) []group.Element {
	return e.lockCards(in, order)
}

// MaskOf is the statement under which a permutation is drawn.
func MaskOf(k *masking.Key, in []group.Element) mask { return mask{k, in} }
