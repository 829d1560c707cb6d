package matrix

import (
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/pakli/pakli/protocol/suite/modp"
)

// Secret is the factors of a modulus.
type Secret struct {
	key  *Modulus
	p, q primeFactor // p < q
	into []uint64    // 1/p mod q, in Montgomery form
}

// primeFactor is a factor, with the exponents that its owner needs. It has half as many words as the
// modulus.
type primeFactor struct {
	ring    *modp.Modulus
	words   []uint64
	unroot  []uint64 // (p − 3)/4: u^unroot is 1/√u if u is a square, and times √−1 if not
	fourth  []uint64 // ((p + 1)/4)² mod p − 1: a fourth root of ±u, whichever is a square
	inverse []uint64 // 1/m mod p − 1
}

// NewSecret draws the factors of a modulus of size bytes, a multiple of 16.
func NewSecret(size int, rand io.Reader) (*Secret, error) {
	for {
		p, err := drawPrime(size/2, rand)
		if err != nil {
			return nil, err
		}
		q, err := drawPrime(size/2, rand)
		if err != nil {
			return nil, err
		}
		if p.Cmp(q) > 0 {
			p, q = q, p
		}
		if s, err := secretOf(p, q, size); err == nil {
			return s, nil
		}
	}
}

// drawPrime draws a prime that is 3 modulo 4, of size bytes, with its two highest bits set.
func drawPrime(size int, rand io.Reader) (*big.Int, error) {
	b := make([]byte, size)
	for {
		if _, err := io.ReadFull(rand, b); err != nil {
			return nil, fmt.Errorf("card secret: %w", err)
		}
		b[0] |= 0xc0
		b[size-1] |= 3
		if p := new(big.Int).SetBytes(b); p.ProbablyPrime(20) {
			return p, nil
		}
	}
}

// ParseSecret reads the factors of a modulus of size bytes, the smaller factor first.
func ParseSecret(b []byte, size int) (*Secret, error) {
	if len(b) != size {
		return nil, fmt.Errorf("the card secret has %d bytes, must have %d", len(b), size)
	}
	p, q := new(big.Int).SetBytes(b[:size/2]), new(big.Int).SetBytes(b[size/2:])
	for _, f := range []*big.Int{p, q} {
		if f.BitLen() != 4*size || f.Bit(4*size-2) != 1 || f.Bit(0)&f.Bit(1) != 1 || !f.ProbablyPrime(1) {
			return nil, errors.New("the card secret is not two primes of this kind")
		}
	}
	return secretOf(p, q, size)
}

// secretOf returns the secret with these factors. Requires: p and q are primes that are 3 modulo 4.
func secretOf(p, q *big.Int, size int) (*Secret, error) {
	if p.Cmp(q) >= 0 {
		return nil, errors.New("the card secret is not two primes in order")
	}
	n := new(big.Int).Mul(p, q)
	s := &Secret{key: newModulus(n.FillBytes(make([]byte, size)), n)}
	var ok, fine bool
	s.p, ok = primeOf(p, n)
	s.q, fine = primeOf(q, n)
	if !ok || !fine {
		return nil, errors.New("the card secret is of a modulus that is not coprime to φ of itself")
	}
	s.into = make([]uint64, len(s.q.words))
	s.q.ring.ToMontgomery(s.into, s.p.words) // p < q
	s.q.ring.Inverse(s.into, s.into)
	return s, nil
}

func primeOf(p, n *big.Int) (primeFactor, bool) {
	size := (p.BitLen() + 7) / 8
	words := func(x *big.Int) []uint64 { return wordsOf(x.FillBytes(make([]byte, size))) }
	order := new(big.Int).Sub(p, one)
	fourth := new(big.Int).Rsh(new(big.Int).Add(p, one), 2)
	fourth.Mul(fourth, fourth).Mod(fourth, order)
	inverse := new(big.Int).ModInverse(n, order)
	if inverse == nil {
		return primeFactor{}, false
	}
	return primeFactor{modp.NewModulus(words(p)), words(p), words(new(big.Int).Rsh(p, 2)), words(fourth), words(inverse)}, true
}

// Key returns the modulus.
func (s *Secret) Key() *Modulus { return s.key }

// Bytes returns the factors, the smaller factor first.
func (s *Secret) Bytes() []byte { return modp.AppendTo(modp.AppendTo(nil, s.p.words), s.q.words) }

// residue is a number modulo each factor, in Montgomery form.
type residue struct{ p, q []uint64 }

func (s *Secret) residueOf(z []uint64) residue {
	b := modp.AppendTo(nil, z)
	return residue{s.p.toResidue(b), s.q.toResidue(b)}
}

// toResidue returns a number, in the bytes of the modulus, modulo the factor in Montgomery form.
func (f primeFactor) toResidue(b []byte) []uint64 {
	z := make([]uint64, len(f.words))
	f.ring.Reduce(z, b)
	f.ring.ToMontgomery(z, z)
	return z
}

// combineResidues returns the number modulo m that is x modulo each factor: x_p + p·((x_q − x_p)/p mod
// q).
func (s *Secret) combineResidues(x residue) []uint64 {
	n := len(s.q.words)
	low, difference := make([]uint64, n), make([]uint64, n)
	s.p.ring.FromMontgomery(low, x.p)
	s.q.ring.Neg(difference, s.q.toResidue(modp.AppendTo(nil, low)))
	s.q.ring.Add(difference, difference, x.q)
	s.q.ring.Mul(difference, difference, s.into)
	s.q.ring.FromMontgomery(difference, difference)
	z, p, d := make([]uint64, 2*n), make([]uint64, 2*n), make([]uint64, 2*n)
	copy(p, s.p.words)
	copy(d, difference)
	copy(z, low)
	ring := s.key.ring
	ring.ToMontgomery(p, p)
	ring.Mul(p, p, d) // p·difference, which is below m
	ring.Add(z, z, p)
	return z
}

// NoSquare returns 1 if a unit of Jacobi symbol 1 is no square, and 0 if it is a square.
func (s *Secret) NoSquare(z []uint64) uint64 {
	x := s.p.toResidue(modp.AppendTo(nil, z))
	return 1 ^ s.p.isSquare(x, s.p.raisePower(x, s.p.unroot))
}

func (f primeFactor) raisePower(x, e []uint64) []uint64 {
	z := make([]uint64, len(x))
	f.ring.Exp(z, x, e)
	return z
}

// isSquare returns 1 if x is a square and 0 if not, by x·(x^((p−3)/4))² = x^((p−1)/2).
func (f primeFactor) isSquare(x, unroot []uint64) uint64 {
	z := make([]uint64, len(x))
	f.ring.Square(z, unroot)
	f.ring.Mul(z, z, x)
	f.ring.FromMontgomery(z, z)
	z[0] ^= 1
	var all uint64
	for _, w := range z {
		all |= w
	}
	return 1 ^ (all|-all)>>63
}

// InverseRoot returns a number whose square is 1/u, for a unit u that is a square. Together with
// another such number it would reveal the factors, so it never leaves the owner.
func (s *Secret) InverseRoot(u []uint64) []uint64 {
	x := s.residueOf(u)
	return s.combineResidues(residue{s.p.raisePower(x.p, s.p.unroot), s.q.raisePower(x.q, s.q.unroot)})
}

// Inverse sets z to 1/z modulo m, for a unit z.
func (m *Modulus) Inverse(z []uint64) {
	m.ring.ToMontgomery(z, z)
	m.ring.Inverse(z, z)
	m.ring.FromMontgomery(z, z)
}
