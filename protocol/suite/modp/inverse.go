package modp

import "math/bits"

// Inverses by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular
// inversion", TCHES 2019), in the variant that begins with δ = 1/2. Each step on f = m and g = x
// removes a bit of g, and swaps the two if that keeps them small. After (45907·b + 26313)/19929 steps
// for b bits, g is 0 (Wuille and Maxwell, "Bounds on divsteps iterations in safegcd", 2021), and f is 1
// or −1 if x has an inverse. 62 steps are combined in one matrix for all digits.

// digit is the number of bits of a digit. All digits of a number but the highest are nonnegative.
const digit, mask = 62, 1<<62 - 1

// stepMatrix is a matrix of 62 steps: (f, g) becomes (u·f + v·g, q·f + r·g) / 2^62.
type stepMatrix struct{ u, v, q, r int64 }

// Inverse sets z to 1/x in Montgomery form and returns 1. If x and m have a common divisor, it returns
// 0, and z has no meaning.
func (m *Modulus) Inverse(z, x []uint64) uint64 {
	f, g := splitDigits(m.words), splitDigits(x)
	d, e, modulus := make([]int64, len(f)), make([]int64, len(f)), splitDigits(m.words)
	e[0] = 1 // f = d·x and g = e·x, modulo m
	zeta := int64(-1)
	for left := (45907*64*len(m.words) + 26313) / 19929; left > 0; left -= digit {
		var s stepMatrix
		s, zeta = stepsOf(zeta, uint64(f[0]|f[1]<<digit), uint64(g[0]|g[1]<<digit))
		s.applyExact(f, g)
		s.applyModulo(d, e, modulus, -m.inverse)
	}
	inverse, product := make([]uint64, len(z)), make([]uint64, len(z))
	setReduced(inverse, d, modulus, f[len(f)-1]>>63)
	m.ToMontgomery(inverse, inverse)
	m.ToMontgomery(inverse, inverse) // 1/(x·R) times R²
	m.Mul(product, inverse, x)
	copy(z, inverse)
	return 1 ^ (Less(product, m.one) | Less(m.one, product))
}

// splitDigits returns x in digits, enough of them to leave room for a sign.
func splitDigits(x []uint64) []int64 {
	list := make([]int64, (64*len(x)+1)/digit+1)
	for i := range list {
		if at := digit * i; at/64 < len(x) {
			w := x[at/64] >> (at % 64)
			if at/64+1 < len(x) {
				w |= x[at/64+1] << (64 - at%64)
			}
			list[i] = int64(w & mask)
		}
	}
	return list
}

// stepsOf returns the matrix of 62 steps for the lowest bits of f and g, and the next zeta, which is
// −(δ + 1/2).
func stepsOf(zeta int64, f, g uint64) (stepMatrix, int64) {
	u, v, q, r := uint64(1), uint64(0), uint64(0), uint64(1)
	for range digit {
		swap, odd := uint64(zeta>>63), -(g & 1)
		g += ((f ^ swap) - swap) & odd
		q += ((u ^ swap) - swap) & odd
		r += ((v ^ swap) - swap) & odd
		swap &= odd
		zeta = zeta ^ int64(swap) - 1
		f += g & swap
		u += q & swap
		v += r & swap
		g, u, v = g>>1, u<<1, v<<1
	}
	return stepMatrix{int64(u), int64(v), int64(q), int64(r)}, zeta
}

// applyExact applies the steps to f and g, and drops the lowest 62 bits, which become 0.
func (s stepMatrix) applyExact(f, g []int64) {
	var a, b wideSum
	for i := range f {
		x, y := f[i], g[i]
		a.addMultiple(s.u, x)
		a.addMultiple(s.v, y)
		b.addMultiple(s.q, x)
		b.addMultiple(s.r, y)
		low, high := a.shiftDigit(), b.shiftDigit()
		if i > 0 {
			f[i-1], g[i-1] = low, high
		}
	}
	f[len(f)-1], g[len(g)-1] = int64(a.lo), int64(b.lo)
}

// applyModulo applies the steps to d and e modulo m. It adds the multiple of m that makes the lowest
// bits 0; d and e stay between −2·m and m. inverse is 1/m modulo 2^64.
func (s stepMatrix) applyModulo(d, e, m []int64, inverse uint64) {
	top := len(d) - 1
	below, beneath := d[top]>>63, e[top]>>63
	j, k := s.u&below+s.v&beneath, s.q&below+s.r&beneath
	j -= int64((inverse*uint64(s.u*d[0]+s.v*e[0]) + uint64(j)) & mask)
	k -= int64((inverse*uint64(s.q*d[0]+s.r*e[0]) + uint64(k)) & mask)
	var a, b wideSum
	for i := range d {
		x, y := d[i], e[i]
		a.addMultiple(s.u, x)
		a.addMultiple(s.v, y)
		a.addMultiple(j, m[i])
		b.addMultiple(s.q, x)
		b.addMultiple(s.r, y)
		b.addMultiple(k, m[i])
		low, high := a.shiftDigit(), b.shiftDigit()
		if i > 0 {
			d[i-1], e[i-1] = low, high
		}
	}
	d[top], e[top] = int64(a.lo), int64(b.lo)
}

// setReduced sets z to d, or to −d if sign is −1, modulo m. Requires: d is between −2·m and m.
func setReduced(z []uint64, d, m []int64, sign int64) {
	raiseAndSign(d, m, sign)
	raiseAndSign(d, m, 0)
	for i := range z {
		at := 64 * i
		z[i] = uint64(d[at/digit])>>(at%digit) | uint64(d[at/digit+1])<<(digit-at%digit)
	}
}

// raiseAndSign adds m to d if d is negative, and then negates d if sign is −1.
func raiseAndSign(d, m []int64, sign int64) {
	below, carry := d[len(d)-1]>>63, int64(0)
	for i := range d {
		carry += (d[i] + m[i]&below ^ sign) - sign
		d[i], carry = carry&mask, carry>>digit
	}
	d[len(d)-1] += carry << digit
}

// wideSum is a number of 128 bits in two's complement.
type wideSum struct{ hi, lo uint64 }

func (s *wideSum) addMultiple(x, y int64) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi, _ = bits.Add64(s.hi, hi, carry)
}

// shiftDigit removes the lowest digit and returns it.
func (s *wideSum) shiftDigit() int64 {
	low := s.lo & mask
	s.lo = s.lo>>digit | s.hi<<(64-digit)
	s.hi = uint64(int64(s.hi) >> digit)
	return int64(low)
}
