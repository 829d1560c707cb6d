// Package modp is arithmetic modulo the safe primes of RFC 3526: Montgomery multiplication with any
// number of words, and powers by it.
//
// A number is a slice of words, the lowest first, as many as its modulus has, and below the modulus. In
// Montgomery form it is x·R, with R = 2^64 to the power of the number of words. Callers keep track of
// which form a number has. Sizes are those of the slices, so groups of other primes can share this
// package, and hold their numbers in arrays of their own size. Measurements showed arrays of constant
// size to be no faster.
//
// All operations take constant time in the values of numbers, except those whose name begins with
// Vartime. Normative text: docs/spec/31-masking-qr.md.
//
// filippo.io/bigmod, the arithmetic of the standard library's crypto/internal/fips140, computes single
// powers where it has assembly: modulo numbers of 1024, 1536 and 2048 bits it takes two thirds of the
// time, modulo those of 3072 bits twice as much. A test compares everything else with it. It has no
// products of powers with one chain of squarings, no combs, no constant-time inverse, and no Montgomery
// form to keep numbers in, which is what this package is for.
package modp

import (
	"encoding/binary"
	"math/bits"
	"runtime"

	"filippo.io/bigmod"
)

// maxWords is the number of words of the largest modulus.
const maxWords = 48

// Modulus is an odd modulus. It is immutable.
type Modulus struct {
	words       []uint64
	inverse     uint64          // −1/m mod 2^64
	one, square []uint64        // R and R² mod m
	library     *bigmod.Modulus // nil where this package's powers are faster
}

// NewModulus returns the modulus of these words, the lowest first. Requires: it is odd, above 2 and of
// at most 3072 bits, and its highest word is not 0.
func NewModulus(words []uint64) *Modulus {
	n := len(words)
	if n == 0 || n > maxWords || words[0]&1 == 0 || words[n-1] == 0 {
		panic("modp: internal: this is no modulus")
	}
	m := &Modulus{words, 1, make([]uint64, n), make([]uint64, n), nil}
	if runtime.GOARCH != "wasm" && (n == 16 || n == 24 || n == 32) {
		m.library, _ = bigmod.NewModulus(m.Bytes()) // it accepts odd numbers above 2
	}
	for range 6 { // Newton: each step doubles the number of correct bits
		m.inverse *= 2 + m.inverse*words[0]
	}
	free := bits.LeadingZeros64(words[n-1])
	m.one[n-1] = 1 << (63 - free)
	for range free + 1 {
		m.Add(m.one, m.one, m.one)
	}
	copy(m.square, m.one)
	for range n {
		m.Add(m.square, m.square, m.square) // 2^n, in Montgomery form
	}
	for range 6 {
		m.Square(m.square, m.square) // 2^(64·n)
	}
	return m
}

// SetBytes sets z to a number written big-endian, 8 bytes for each word.
func SetBytes(z []uint64, b []byte) {
	for i := range z {
		z[i] = binary.BigEndian.Uint64(b[8*(len(z)-1-i):])
	}
}

// AppendTo appends x to b, big-endian.
func AppendTo(b []byte, x []uint64) []byte {
	for i := len(x) - 1; i >= 0; i-- {
		b = binary.BigEndian.AppendUint64(b, x[i])
	}
	return b
}

// Len returns the number of words.
func (m *Modulus) Len() int { return len(m.words) }

// Bytes returns the modulus, big-endian.
func (m *Modulus) Bytes() []byte { return AppendTo(nil, m.words) }

// ToMontgomery sets z to x in Montgomery form. x may be any number of that length, and z may be x.
func (m *Modulus) ToMontgomery(z, x []uint64) { m.Mul(z, x, m.square) }

// FromMontgomery sets z to the number whose Montgomery form is x.
func (m *Modulus) FromMontgomery(z, x []uint64) {
	var t [2 * maxWords]uint64
	copy(t[:], x)
	m.montgomeryReduce(z, t[:2*len(x)])
}

// Less returns 1 if x < y, and 0 if not.
func Less(x, y []uint64) uint64 {
	var borrow uint64
	for i := range x {
		_, borrow = bits.Sub64(x[i], y[i], borrow)
	}
	return borrow
}

// IsBelow returns 1 if x is less than the modulus, and 0 if not.
func (m *Modulus) IsBelow(x []uint64) uint64 { return Less(x, m.words) }

// Choose sets z to x if choice is 1, and leaves z if choice is 0.
func Choose(z, x []uint64, choice uint64) {
	for i := range z {
		z[i] ^= -choice & (z[i] ^ x[i])
	}
}

// Add sets z to x + y.
func (m *Modulus) Add(z, x, y []uint64) {
	var carry uint64
	for i := range z {
		z[i], carry = bits.Add64(x[i], y[i], carry)
	}
	m.subtractOnce(z, carry)
}

// Neg sets z to −x.
func (m *Modulus) Neg(z, x []uint64) {
	var borrow, all uint64
	for i := range z {
		all |= x[i]
		z[i], borrow = bits.Sub64(m.words[i], x[i], borrow)
	}
	m.subtractOnce(z, borrow)
	zero := 1 ^ (all|-all)>>63
	for i := range z {
		z[i] &= zero - 1
	}
}

// subtractOnce subtracts the modulus from carry·R + z unless that is below the modulus. Requires: it is
// below twice the modulus.
func (m *Modulus) subtractOnce(z []uint64, carry uint64) {
	var less [maxWords]uint64
	var borrow uint64
	for i := range z {
		less[i], borrow = bits.Sub64(z[i], m.words[i], borrow)
	}
	Choose(z, less[:len(z)], carry|(1^borrow))
}

// Mul sets z to x·y/R, which is the product of numbers in Montgomery form. x may be any number of that
// length.
func (m *Modulus) Mul(z, x, y []uint64) {
	var t [2 * maxWords]uint64
	n := len(m.words)
	for i, w := range y[:n] {
		t[n+i] = addProduct(t[i:n+i], x[:n], w)
	}
	m.montgomeryReduce(z, t[:2*n])
}

// Square is Mul(z, x, x), with every product of two words computed once.
func (m *Modulus) Square(z, x []uint64) {
	var t [2 * maxWords]uint64
	n := len(m.words)
	for i, w := range x[:n] {
		t[n+i] = addProduct(t[2*i+1:n+i], x[i+1:n], w)
	}
	var top, carry uint64
	for i, w := range x[:n] {
		hi, lo := bits.Mul64(w, w)
		even, odd := t[2*i], t[2*i+1]
		t[2*i], carry = bits.Add64(even<<1|top, lo, carry)
		t[2*i+1], carry = bits.Add64(odd<<1|even>>63, hi, carry)
		top = odd >> 63
	}
	m.montgomeryReduce(z, t[:2*n])
}

// montgomeryReduce sets z to t/R (Montgomery 1985) and overwrites t. Requires: t < m·R.
func (m *Modulus) montgomeryReduce(z, t []uint64) {
	n := len(m.words)
	var carry uint64
	for i := range n {
		over := addProduct(t[i:n+i], m.words, t[i]*m.inverse)
		t[n+i], carry = bits.Add64(t[n+i], over, carry)
	}
	copy(z, t[n:])
	m.subtractOnce(z, carry)
}

// addProduct adds x·w to z, which is as long as x, and returns the carry.
func addProduct(z, x []uint64, w uint64) (over uint64) {
	z = z[:len(x)]
	for len(x) >= 4 && len(z) >= 4 { // four at a time: half the time
		z[0], over = addWords(z[0], x[0], w, over)
		z[1], over = addWords(z[1], x[1], w, over)
		z[2], over = addWords(z[2], x[2], w, over)
		z[3], over = addWords(z[3], x[3], w, over)
		z, x = z[4:], x[4:]
	}
	for i := range x {
		z[i], over = addWords(z[i], x[i], w, over)
	}
	return over
}

// addWords returns z + x·w + over in two words.
func addWords(z, x, w, over uint64) (lo, hi uint64) {
	var carry uint64
	hi, lo = bits.Mul64(x, w)
	lo, carry = bits.Add64(lo, z, 0)
	hi, _ = bits.Add64(hi, 0, carry)
	lo, carry = bits.Add64(lo, over, 0)
	hi, _ = bits.Add64(hi, 0, carry)
	return lo, hi
}

// Reduce sets z to b mod m. b is big-endian and of any length.
func (m *Modulus) Reduce(z []uint64, b []byte) {
	size := 8 * len(m.words)
	part, whole := make([]uint64, len(m.words)), make([]byte, size)
	first := len(b)
	for first > size {
		first -= size
	}
	copy(whole[size-first:], b[:first])
	clear(z)
	for b = b[first:]; ; b = b[size:] {
		SetBytes(part, whole)
		m.ToMontgomery(part, part)
		m.FromMontgomery(part, part)
		m.Add(z, z, part)
		if len(b) == 0 {
			return
		}
		m.Mul(z, z, m.square) // z·R
		copy(whole, b)
	}
}
