package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"sync"

	"github.com/pakli/pakli/protocol/suite/modp"
)

// Modulus is a public key m.
type Modulus struct {
	bytes []byte
	n     *big.Int
	ring  *modp.Modulus
	half  []uint64 // (m − 1)/2
}

// ParseModulus reads a modulus of exactly size bytes, a multiple of 16, and checks its form: odd, with
// its highest bit set, 1 modulo 4, without a prime factor below 2^16, not prime and no perfect power.
// The owner proves that it has two prime factors of the right kind.
func ParseModulus(b []byte, size int) (*Modulus, error) {
	if len(b) != size {
		return nil, fmt.Errorf("the modulus has %d bytes, must have %d", len(b), size)
	}
	n := new(big.Int).SetBytes(b)
	switch {
	case n.BitLen() != 8*size:
		return nil, fmt.Errorf("the modulus has %d bits, must have %d", n.BitLen(), 8*size)
	case b[size-1]&3 != 1:
		return nil, errors.New("the modulus is not 1 modulo 4, as a product of two primes that are 3 is")
	case new(big.Int).GCD(nil, nil, n, new(big.Int).Mod(smallPrimes(), n)).Cmp(one) != 0:
		return nil, errors.New("the modulus has a prime factor below 2^16")
	case n.ProbablyPrime(0):
		return nil, errors.New("the modulus is a prime")
	case isPerfectPower(n):
		return nil, errors.New("the modulus is a perfect power")
	}
	return newModulus(b, n), nil
}

func newModulus(b []byte, n *big.Int) *Modulus {
	words, half := wordsOf(b), wordsOf(new(big.Int).Rsh(n, 1).FillBytes(make([]byte, len(b))))
	return &Modulus{bytes.Clone(b), n, modp.NewModulus(words), half}
}

func wordsOf(b []byte) []uint64 {
	w := make([]uint64, len(b)/8)
	modp.SetBytes(w, b)
	return w
}

var one = big.NewInt(1)

// smallPrimes is the product of all odd primes below 2^16.
var smallPrimes = sync.OnceValue(func() *big.Int {
	composite, all := make([]bool, 1<<16), []*big.Int{}
	for p := 3; p < len(composite); p += 2 {
		if composite[p] {
			continue
		}
		all = append(all, big.NewInt(int64(p)))
		for c := 3 * p; c < len(composite); c += 2 * p {
			composite[c] = true
		}
	}
	return multiplyAll(all)
})

func multiplyAll(list []*big.Int) *big.Int {
	if len(list) == 1 {
		return list[0]
	}
	half := len(list) / 2
	return new(big.Int).Mul(multiplyAll(list[:half]), multiplyAll(list[half:]))
}

// isPerfectPower reports whether n is a perfect power. Requires: n has no factor below 2^16, so that
// the exponent is at most its number of bits divided by 16.
func isPerfectPower(n *big.Int) bool {
	for e := int64(2); e <= int64(n.BitLen()/16); e++ {
		if big.NewInt(e).ProbablyPrime(0) && new(big.Int).Exp(integerRoot(n, e), big.NewInt(e), nil).Cmp(n) == 0 {
			return true
		}
	}
	return false
}

// integerRoot returns the largest number whose e-th power is at most n, by Newton's method from above.
func integerRoot(n *big.Int, e int64) *big.Int {
	x := new(big.Int).Lsh(one, uint(n.BitLen())/uint(e)+1)
	for {
		// ((e − 1)·x + n/x^(e−1))/e
		y := new(big.Int).Exp(x, big.NewInt(e-1), nil)
		y.Quo(n, y).Add(y, new(big.Int).Mul(x, big.NewInt(e-1))).Quo(y, big.NewInt(e))
		if y.Cmp(x) >= 0 {
			return x
		}
		x = y
	}
}

// Bytes returns m, big-endian.
func (m *Modulus) Bytes() []byte { return m.bytes }

// Size returns the length of a number, in bytes.
func (m *Modulus) Size() int { return len(m.bytes) }

// Words returns the length of a number, in words.
func (m *Modulus) Words() int { return len(m.half) }

// Ring returns the arithmetic modulo m.
func (m *Modulus) Ring() *modp.Modulus { return m.ring }

// Equal reports whether two moduli are the same.
func (m *Modulus) Equal(o *Modulus) bool { return m == o || bytes.Equal(m.bytes, o.bytes) }

// Less orders moduli.
func (m *Modulus) Less(o *Modulus) bool { return bytes.Compare(m.bytes, o.bytes) < 0 }

// IsCoprime reports whether two moduli have no common factor.
func (m *Modulus) IsCoprime(o *Modulus) bool {
	return new(big.Int).GCD(nil, nil, m.n, o.n).Cmp(one) == 0
}

// ParseNumber reads a public number 0 < z < m of Size bytes.
func (m *Modulus) ParseNumber(b []byte) ([]uint64, error) {
	z := wordsOf(b)
	if m.ring.IsBelow(z) == 0 {
		return nil, errors.New("a number is not below its modulus")
	}
	if isZero(z) {
		return nil, errors.New("a number is zero")
	}
	return z, nil
}

// ParseSmall reads a public number that stands for itself and its negative: 0 < z < m/2.
func (m *Modulus) ParseSmall(b []byte) ([]uint64, error) {
	z, err := m.ParseNumber(b)
	if err == nil && modp.Less(m.half, z) == 1 {
		err = errors.New("a number is more than half its modulus")
	}
	return z, err
}

// FoldSign sets z to the smaller of z and m − z.
func (m *Modulus) FoldSign(z []uint64) {
	negative := make([]uint64, len(z))
	m.ring.Neg(negative, z)
	modp.Choose(z, negative, modp.Less(m.half, z))
}

// NegateIf sets z to −z if bit is 1.
func (m *Modulus) NegateIf(z []uint64, bit uint64) {
	negative := make([]uint64, len(z))
	m.ring.Neg(negative, z)
	modp.Choose(z, negative, bit)
}

// IsUnit reports whether a number is coprime to m. Any other number but 0 reveals a factor of m.
func (m *Modulus) IsUnit(z []uint64) bool { return m.ring.Inverse(make([]uint64, len(z)), z) == 1 }

// DrawNumber sets z to a uniform number 0 < z < m from a stream, by rejection. The rejected numbers are
// independent of the result, so the time says nothing about it.
func (m *Modulus) DrawNumber(z []uint64, stream io.Reader) error {
	b := make([]byte, len(m.bytes))
	for {
		if _, err := io.ReadFull(stream, b); err != nil {
			return fmt.Errorf("a number: %w", err)
		}
		modp.SetBytes(z, b)
		if m.ring.IsBelow(z) == 1 && !isZero(z) {
			return nil
		}
	}
}

func isZero(z []uint64) bool {
	var all uint64
	for _, w := range z {
		all |= w
	}
	return all == 0
}
