package masking

import (
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/pakli/pakli/protocol/suite/group"
)

// Opening is how a shuffle was made, the witness of its proof:
// out[i] = in[Permutation[i]] remasked by Factors[i].
type Opening struct {
	Permutation []uint16
	Factors     []group.Scalar
}

// Remask returns the cards in the order of o, each remasked under k by its factor. It takes constant
// time and touches the same memory, whatever the order.
func Remask(k *Key, in []Card, o Opening) []Card {
	as, bs := make([]group.Element, len(in)), make([]group.Element, len(in))
	for i, c := range in {
		as[i], bs[i] = c.A, c.B
	}
	out, g := make([]Card, len(in)), k.Group()
	for i, r := range o.Factors {
		from := int(o.Permutation[i])
		out[i] = Card{
			A: group.ElementAt(as, from).Add(g.MulBase(r)),
			B: group.ElementAt(bs, from).Add(k.Table().Mul(r)),
		}
	}
	return out
}

// DrawPermutation returns a uniform permutation of 0 … n−1 (Fisher and Yates) from
// a stream: a hedged one if the permutation is secret. Requires: n ≤ 65,535.
func DrawPermutation(n int, stream io.Reader) ([]uint16, error) {
	p := make([]uint16, n)
	for i := range p {
		p[i] = uint16(i)
	}
	for i := n - 1; i > 0; i-- {
		j, err := DrawBelow(uint16(i+1), stream)
		if err != nil {
			return nil, fmt.Errorf("permutation: %w", err)
		}
		swapSecretly(p, i, int(j))
	}
	return p, nil
}

// DrawBelow returns a uniform number below n by rejection. The rejected numbers are independent of the
// result, so the time says nothing about it.
func DrawBelow(n uint16, stream io.Reader) (uint16, error) {
	mask := uint16(1)<<bits.Len16(n-1) - 1
	var b [2]byte
	for {
		if _, err := io.ReadFull(stream, b[:]); err != nil {
			return 0, err
		}
		if r := binary.LittleEndian.Uint16(b[:]) & mask; r < n {
			return r, nil
		}
	}
}

// RotatedPlace returns which of n cards comes to place i when k are cut off, and InsertedPlace which
// one when the last card is put at place k. Both take constant time in k.
func RotatedPlace(k, i, n int) int {
	sum := k + i
	return subtle.ConstantTimeSelect(subtle.ConstantTimeLessOrEq(n, sum), sum-n, sum)
}

// InsertedPlace is described at RotatedPlace.
func InsertedPlace(k, i, n int) int {
	after := subtle.ConstantTimeLessOrEq(k+1, i)
	return subtle.ConstantTimeSelect(subtle.ConstantTimeEq(int32(k), int32(i)), n-1, i-after)
}

// swapSecretly swaps p[i] and p[j] for a public i and a secret j ≤ i, and touches every place up to i.
func swapSecretly(p []uint16, i, j int) {
	for k := range i + 1 {
		hit := subtle.ConstantTimeEq(int32(k), int32(j))
		a, b := int(p[i]), int(p[k])
		p[i] = uint16(subtle.ConstantTimeSelect(hit, b, a))
		p[k] = uint16(subtle.ConstantTimeSelect(hit, a, b))
	}
}
