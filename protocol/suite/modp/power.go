package modp

import (
	"crypto/subtle"
	"math/bits"

	"filippo.io/bigmod"
)

// width is the number of bits in a window of a secret exponent, and narrow that for short exponents.
// The table of a base has 2^width numbers.
const width, narrow = 5, 2

// Exp sets z to x^e in Montgomery form, for any e of that length.
func (m *Modulus) Exp(z, x, e []uint64) {
	if m.library == nil {
		m.MultiExp(z, [][]uint64{x}, [][]uint64{e}, 64*len(e))
		return
	}
	m.FromMontgomery(z, x)
	base, _ := bigmod.NewNat().SetBytes(AppendTo(nil, z), m.library) // the library accepts numbers below the modulus
	SetBytes(z, bigmod.NewNat().Exp(base, AppendTo(nil, e), m.library).Bytes(m.library))
	m.ToMontgomery(z, z)
}

// MultiExp sets z to the product of all x^e in Montgomery form, for exponents of length bits. It uses
// one chain of squarings for all (Straus 1964) and windows of a fixed width, for each of which it reads
// the whole table.
func (m *Modulus) MultiExp(z []uint64, x, e [][]uint64, length int) {
	wide, top := width, 0
	if length <= 16 {
		wide = narrow
	}
	for top+wide < length {
		top += wide
	}
	n, tables := len(m.words), make([][]uint64, len(x))
	for i := range x {
		tables[i] = m.tableOf(x[i], 1<<wide)
	}
	power, factor := make([]uint64, n), make([]uint64, n)
	copy(power, m.one)
	for at := top; at >= 0; at -= wide {
		for range wide {
			m.Square(power, power)
		}
		for i, table := range tables {
			selectEntry(factor, table, exponentWindow(e[i], at, wide))
			m.Mul(power, power, factor)
		}
	}
	copy(z, power)
}

// tableOf returns the first size powers of x.
func (m *Modulus) tableOf(x []uint64, size int) []uint64 {
	n := len(m.words)
	table := make([]uint64, n*size)
	copy(table, m.one)
	for k := n; k < len(table); k += n {
		m.Mul(table[k:k+n], table[k-n:k], x)
	}
	return table
}

// exponentWindow returns wide bits of e, from bit at on.
func exponentWindow(e []uint64, at, wide int) uint64 {
	w := e[at/64] >> (at % 64)
	if at%64 > 64-wide && at/64+1 < len(e) {
		w |= e[at/64+1] << (64 - at%64)
	}
	return w & (1<<wide - 1)
}

// VartimeMultiExp sets z to the product of all x^e in Montgomery form, for public numbers, with one
// chain of squarings for all (Straus 1964) and odd powers of each x.
func (m *Modulus) VartimeMultiExp(z []uint64, x, e [][]uint64) {
	n, top := len(m.words), 0
	all := make([]windowRun, len(x))
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

// windowRun is an exponent as Σ digits[i]·2^i with digits that are 0 or odd, and the powers 1, 3, 5, …
// of its base.
type windowRun struct {
	digits []uint8
	powers [][]uint64
}

func (m *Modulus) runOf(x, e []uint64) windowRun {
	length := bitLen(e)
	wide := 6
	switch { // fewest multiplications: 2^(wide−1) for the powers, then length/(wide + 1)
	case length == 1:
		wide = 1
	case length <= 300:
		wide = 4
	}
	r := windowRun{make([]uint8, length), make([][]uint64, 1<<(wide-1))}
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

// teeth is the number of parts into which a comb cuts an exponent, and blocks the number of parts of
// each tooth.
const teeth, blocks = 6, 8

// Comb is a table for powers of one number (Lim and Lee 1994): for each block b the products of
// x^(2^(depth·(blocks·j + b))) over every set of j < teeth.
type Comb struct {
	m      *Modulus
	depth  int // of a block, in bits
	tables [blocks][]uint64
}

// NewComb returns the comb of x, which is in Montgomery form.
func (m *Modulus) NewComb(x []uint64) *Comb {
	n := len(m.words)
	c := &Comb{m: m, depth: (64*n + teeth*blocks - 1) / (teeth * blocks)}
	power := append([]uint64(nil), x...)
	for i := range teeth * blocks {
		j, table := i/blocks, &c.tables[i%blocks]
		if j == 0 {
			*table = make([]uint64, n<<teeth)
			copy(*table, m.one)
		}
		for k := range 1 << j {
			m.Mul((*table)[n*(k+1<<j):][:n], (*table)[n*k:n*k+n], power)
		}
		for range c.depth {
			m.Square(power, power)
		}
	}
	return c
}

// Exp sets z to x^e in Montgomery form. It reads a whole table for each factor.
func (c *Comb) Exp(z, e []uint64) {
	n := len(c.m.words)
	power, factor := make([]uint64, n), make([]uint64, n)
	copy(power, c.m.one)
	for at := c.depth - 1; at >= 0; at-- {
		c.m.Square(power, power)
		for b, table := range c.tables {
			selectEntry(factor, table, c.teethAt(e, c.depth*b+at))
			c.m.Mul(power, power, factor)
		}
	}
	copy(z, power)
}

// teethAt returns the set of teeth whose bit at a place is set in e.
func (c *Comb) teethAt(e []uint64, at int) (set uint64) {
	for j := range teeth {
		if i := at + j*c.depth*blocks; i < 64*len(e) {
			set |= e[i/64] >> (i % 64) & 1 << j
		}
	}
	return set
}

// selectEntry sets z to the number at a place of a table, and reads the whole table, whose size is a
// multiple of four.
func selectEntry(z, table []uint64, place uint64) {
	n := len(z)
	clear(z)
	mask := func(k uint64) uint64 { return -uint64(subtle.ConstantTimeEq(int32(place), int32(k))) }
	for k := uint64(0); len(table) > 0; k += 4 {
		m0, m1, m2, m3 := mask(k), mask(k+1), mask(k+2), mask(k+3)
		a, b, c, d := table[:n], table[n:2*n], table[2*n:3*n], table[3*n:4*n]
		for i := range z {
			z[i] |= m0&a[i] | m1&b[i] | m2&c[i] | m3&d[i] // four at a time: half the time
		}
		table = table[4*n:]
	}
}
