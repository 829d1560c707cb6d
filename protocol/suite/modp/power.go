package modp

import (
	"crypto/subtle"
	"math/bits"
)

// width is that of a window of a secret exponent, in bits. The table has 12 KiB at 3072 bits.
const width = 5

// Exp sets z to x^e in Montgomery form, for any e of that length: by windows of a fixed
// width, each of which reads the whole table.
func (m *Modulus) Exp(z, x, e []uint64) {
	n := len(m.words)
	table := make([]uint64, n<<width)
	copy(table, m.one)
	for k := n; k < len(table); k += n {
		m.Mul(table[k:k+n], table[k-n:k], x)
	}
	power, factor := make([]uint64, n), make([]uint64, n)
	copy(power, m.one)
	for at := (64*n - 1) / width * width; at >= 0; at -= width {
		for range width {
			m.Square(power, power)
		}
		m.choose(factor, table, window(e, at))
		m.Mul(power, power, factor)
	}
	copy(z, power)
}

// window returns the bits of e from at on.
func window(e []uint64, at int) uint64 {
	w := e[at/64] >> (at % 64)
	if at%64 > 64-width && at/64+1 < len(e) {
		w |= e[at/64+1] << (64 - at%64)
	}
	return w & (1<<width - 1)
}

// Inverse sets z to 1/x in Montgomery form, by Fermat. Requires: m is prime.
func (m *Modulus) Inverse(z, x []uint64) {
	e := make([]uint64, len(m.words))
	two := make([]uint64, len(m.words))
	two[0] = 2
	m.Neg(e, two) // m − 2
	m.Exp(z, x, e)
}

// VartimeMultiExp sets z to the product of all x^e in Montgomery form, for public numbers:
// with one chain of squarings for all (Straus 1964), and odd powers of each x.
func (m *Modulus) VartimeMultiExp(z []uint64, x, e [][]uint64) {
	n, top := len(m.words), 0
	all := make([]run, len(x))
	for i := range x {
		all[i] = m.runOf(x[i], e[i])
		top = max(top, len(all[i].digits))
	}
	power := make([]uint64, n)
	copy(power, m.one)
	for at := top - 1; at >= 0; at-- {
		m.Square(power, power)
		for _, r := range all {
			if at < len(r.digits) && r.digits[at] != 0 {
				m.Mul(power, power, r.powers[int(r.digits[at])/2])
			}
		}
	}
	copy(z, power)
}

// run is an exponent as Σ digits[i]·2^i with digits 0 or odd, and the powers of its base by
// 1, 3, 5, ….
type run struct {
	digits []uint8
	powers [][]uint64
}

func (m *Modulus) runOf(x, e []uint64) run {
	length := bitLen(e)
	wide := 6
	switch { // fewest multiplications: 2^(wide−1) for the powers, length/(wide + 1) with them
	case length == 1:
		wide = 1
	case length <= 300:
		wide = 4
	}
	r := run{make([]uint8, length), make([][]uint64, 1<<(wide-1))}
	r.powers[0] = x
	square := make([]uint64, len(x))
	m.Square(square, x)
	for k := 1; k < len(r.powers); k++ {
		r.powers[k] = make([]uint64, len(x))
		m.Mul(r.powers[k], r.powers[k-1], square)
	}
	for at := 0; at < length; {
		if e[at/64]>>(at%64)&1 == 0 {
			at++
			continue
		}
		for k := range min(wide, length-at) {
			r.digits[at] |= uint8(e[(at+k)/64]>>((at+k)%64)&1) << k
		}
		at += wide
	}
	return r
}

func bitLen(e []uint64) int {
	for i := len(e) - 1; i >= 0; i-- {
		if e[i] != 0 {
			return 64*i + bits.Len64(e[i])
		}
	}
	return 0
}

// teeth is into how many parts a comb cuts an exponent.
const teeth = 6

// Comb is a table for powers of one number (Lim and Lee 1994): the products of x^(2^(s·j))
// over every set of j < teeth, where s is its spacing.
type Comb struct {
	m       *Modulus
	spacing int
	table   []uint64
}

// NewComb returns the comb of x, which is in Montgomery form.
func (m *Modulus) NewComb(x []uint64) *Comb {
	n := len(m.words)
	c := &Comb{m, (64*n + teeth - 1) / teeth, make([]uint64, n<<teeth)}
	copy(c.table, m.one)
	power := append([]uint64(nil), x...)
	for j := range teeth {
		for k := range 1 << j {
			m.Mul(c.table[n*(k+1<<j):][:n], c.table[n*k:n*k+n], power)
		}
		for range c.spacing {
			m.Square(power, power)
		}
	}
	return c
}

// Exp sets z to x^e in Montgomery form, and reads the whole table for each factor.
func (c *Comb) Exp(z, e []uint64) {
	n := len(c.m.words)
	power, factor := make([]uint64, n), make([]uint64, n)
	copy(power, c.m.one)
	for at := c.spacing - 1; at >= 0; at-- {
		c.m.Square(power, power)
		var set uint64
		for j := range teeth {
			if i := at + j*c.spacing; i < 64*n {
				set |= e[i/64] >> (i % 64) & 1 << j
			}
		}
		c.m.choose(factor, c.table, set)
		c.m.Mul(power, power, factor)
	}
	copy(z, power)
}

// choose sets z to the number at a place of a table, all of which it reads.
func (m *Modulus) choose(z, table []uint64, place uint64) {
	for n, k := len(m.words), int32(0); len(table) > 0; k++ {
		Choose(z, table[:n], uint64(subtle.ConstantTimeEq(int32(place), k)))
		table = table[n:]
	}
}
