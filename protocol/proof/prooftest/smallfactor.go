package prooftest

import (
	"bytes"
	"crypto/rand"
	"io"
	"math/big"
	"testing"
)

// smallPrime is the least prime above 2^16 that is 3 modulo 4.
const smallPrime = 65_539

// SmallFactorModulus is a modulus of size bytes that parse accepts as well-formed and 65,539 divides.
func SmallFactorModulus[M any](t *testing.T, size int, parse func(b []byte, size int) (M, error)) M {
	t.Helper()
	for {
		q, err := rand.Prime(rand.Reader, 8*size-16)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := parse(numberBytes(q.Mul(q, big.NewInt(smallPrime)), size), size); err == nil {
			return m
		}
	}
}

func numberBytes(n *big.Int, size int) []byte { return n.FillBytes(make([]byte, size)) }

// MultipleSource first gives a number that 65,539 divides, then uniform ones.
func MultipleSource(size int) io.Reader {
	return io.MultiReader(bytes.NewReader(numberBytes(big.NewInt(2*smallPrime), size)), rand.Reader)
}
