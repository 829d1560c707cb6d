// Package blumtest has keys for tests of attacks with them.
package blumtest

import (
	"bytes"
	"crypto/rand"
	"io"
	"math/big"
	"testing"

	"github.com/pakli/pakli/protocol/suite/schindelhauer/blum"
)

// prime is the smallest above 2^16 that is 3 modulo 4.
const prime = 65_539

// SmallFactorModulus is a well-formed modulus of size bytes that 65,539 divides.
func SmallFactorModulus(t *testing.T, size int) *blum.Modulus {
	t.Helper()
	for {
		q, err := rand.Prime(rand.Reader, 8*size-16)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := blum.Parse(numberBytes(q.Mul(q, big.NewInt(prime)), size), size); err == nil {
			return m
		}
	}
}

func numberBytes(n *big.Int, size int) []byte { return n.FillBytes(make([]byte, size)) }

// MultipleSource draws a number first that 65,539 divides, and then uniform ones.
func MultipleSource(size int) io.Reader {
	return io.MultiReader(bytes.NewReader(numberBytes(big.NewInt(2*prime), size)), rand.Reader)
}
