// Code generated from qr3072/group/numbers_test.go by go generate ./protocol/suite; DO NOT EDIT.

package group_test

import (
	"math/big"
	"slices"

	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/qr2048/group"
)

// p and q are the prime and the order of the group.
var p, q = func() (*big.Int, *big.Int) {
	first, second := modp.Group14()
	return new(big.Int).SetBytes(first.Bytes()), new(big.Int).SetBytes(second.Bytes())
}()

// class is the encoding of the class of a number.
func class(n *big.Int) []byte {
	y := new(big.Int).Mod(n, p)
	if y.Cmp(q) > 0 {
		y.Sub(p, y)
	}
	return y.FillBytes(make([]byte, group.ElementSize))
}

func number(e *group.Element) *big.Int { return new(big.Int).SetBytes(e.Bytes()) }

// exponent is a scalar as a number.
func exponent(s group.Scalar) *big.Int {
	b := s.Bytes()
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}
