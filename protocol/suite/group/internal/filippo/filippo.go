// Package filippo is the second engine of package group, linked with the build
// tag filippo: github.com/gtank/ristretto255 on filippo.io/edwards25519, with
// a bucket multiplication of its own. It shares no code for elements with the
// first engine. Both give the same bytes for everything.
//
// Operations take constant time in scalars and choices; those with Vartime in
// their name are for public values only.
package filippo

import (
	"crypto/subtle"
	"math/bits"

	"filippo.io/edwards25519"
	"github.com/gtank/ristretto255"
)

// Point is an element of ristretto255. A receiver is set, and may also be an argument. The zero value
// is not an element.
type Point struct{ e ristretto255.Element }

var identity, generator = ristretto255.NewIdentityElement(), ristretto255.NewGeneratorElement()

// SetIdentity sets p = 0.
func (p *Point) SetIdentity() { p.e.Set(identity) }

// SetGenerator sets p = G.
func (p *Point) SetGenerator() { p.e.Set(generator) }

// Decode sets p to the element of a canonical encoding, and reports whether the encoding is one.
func (p *Point) Decode(encoding *[32]byte) bool {
	_, err := p.e.SetCanonicalBytes(encoding[:])
	return err == nil
}

// Encode returns the canonical encoding.
func (p *Point) Encode() [32]byte { return [32]byte(p.e.Bytes()) }

// SetUniform sets p to the element derived from uniform bytes.
func (p *Point) SetUniform(b *[64]byte) { mustSucceed(p.e.SetUniformBytes(b[:])) }

// Equal returns 1 if p = q and 0 if not.
func (p *Point) Equal(q *Point) int { return p.e.Equal(&q.e) }

// Add sets p = a + b.
func (p *Point) Add(a, b *Point) { p.e.Add(&a.e, &b.e) }

// Subtract sets p = a − b.
func (p *Point) Subtract(a, b *Point) { p.e.Subtract(&a.e, &b.e) }

// Choose sets p = list[i], and reads the encodings of all of list whatever i is: the library has no
// constant-time selection of elements.
func (p *Point) Choose(list []*Point, encoding func(int) *[32]byte, i int) {
	var chosen [32]byte
	for j := range list {
		subtle.ConstantTimeCopy(subtle.ConstantTimeEq(int32(i), int32(j)), chosen[:], encoding(j)[:])
	}
	mustSucceed(p.e.SetCanonicalBytes(chosen[:]))
}

// Multiply sets p = s·q.
func (p *Point) Multiply(s *edwards25519.Scalar, q *Point) { p.e.ScalarMult(convertScalar(s), &q.e) }

// MultiplyBase sets p = s·G.
func (p *Point) MultiplyBase(s *edwards25519.Scalar) { p.e.ScalarBaseMult(convertScalar(s)) }

// MultiMultiply sets p = Σ s_i·q_i.
func (p *Point) MultiMultiply(s []*edwards25519.Scalar, q []*Point) {
	list := make([]*ristretto255.Scalar, len(s))
	for i := range s {
		list[i] = convertScalar(s[i])
	}
	p.e.MultiScalarMult(list, elementPointers(q))
}

// VartimeMultiMultiply is MultiMultiply for public values.
func (p *Point) VartimeMultiMultiply(s []*edwards25519.Scalar, q []*Point) {
	if len(s) >= minBuckets {
		p.vartimeBuckets(s, q)
		return
	}
	list := make([]*ristretto255.Scalar, len(s))
	for i := range s {
		list[i] = convertScalar(s[i])
	}
	p.e.VarTimeMultiScalarMult(list, elementPointers(q))
}

// SmallMultiMultiply sets p = Σ numbers[i]·q_i. It does not need the bound: where only encodings can be
// selected, deciding without a branch whether to keep an addition costs more than a whole
// multiplication.
func (p *Point) SmallMultiMultiply(numbers []uint16, _ uint16, q []*Point) {
	list := make([]*ristretto255.Scalar, len(numbers))
	for i, n := range numbers {
		list[i] = new(ristretto255.Scalar)
		mustSucceed(list[i].SetCanonicalBytes(append([]byte{byte(n), byte(n >> 8)}, make([]byte, 30)...)))
	}
	p.e.MultiScalarMult(list, elementPointers(q))
}

// Table stands for the multiples of one point. The library has tables only for the generator.
type Table struct{ q ristretto255.Element }

// NewTable returns the table of q.
func NewTable(q *Point) *Table { return &Table{q.e} }

// Multiply sets p = s·q for the table's q.
func (t *Table) Multiply(p *Point, s *edwards25519.Scalar) { p.e.ScalarMult(convertScalar(s), &t.q) }

func convertScalar(s *edwards25519.Scalar) *ristretto255.Scalar {
	r := new(ristretto255.Scalar)
	mustSucceed(r.SetCanonicalBytes(s.Bytes()))
	return r
}

func elementPointers(list []*Point) []*ristretto255.Element {
	pointers := make([]*ristretto255.Element, len(list))
	for i, q := range list {
		pointers[i] = &q.e
	}
	return pointers
}

// mustSucceed is for calls that fail only on wrong lengths or unreduced bytes, which the callers
// exclude.
func mustSucceed(_ any, err error) {
	if err != nil {
		panic("group: internal: " + err.Error())
	}
}

// minBuckets is the number of terms from which buckets are faster than the library's interleaved
// multiplication.
const minBuckets = 256

// vartimeBuckets sets p = Σ s_i·q_i by the bucket method (Pippenger, 1976; in
// this form Bernstein, Doumen, Lange, Oosterwijk, Indocrypt 2012): with
// s_i = Σ_k d_ik·2^(w·k) in signed digits |d_ik| ≤ 2^(w−1), the sum
// Σ_i d_ik·q_i is Σ_b b·(Σ_{d_ik=b} q_i − Σ_{d_ik=−b} q_i).
func (p *Point) vartimeBuckets(s []*edwards25519.Scalar, q []*Point) {
	w := windowWidth(len(s))
	digits := make([][]int, len(s))
	for i := range s {
		digits[i] = signedDigits(s[i].Bytes(), w)
	}
	buckets := make([]ristretto255.Element, 1<<(w-1))
	var sum, column ristretto255.Element
	sum.Set(identity)
	for k := len(digits[0]) - 1; k >= 0; k-- {
		for range w {
			sum.Add(&sum, &sum)
		}
		for b := range buckets {
			buckets[b].Set(identity)
		}
		for i := range q {
			switch d := digits[i][k]; {
			case d > 0:
				buckets[d-1].Add(&buckets[d-1], &q[i].e)
			case d < 0:
				buckets[-d-1].Subtract(&buckets[-d-1], &q[i].e)
			}
		}
		weighBuckets(&column, buckets)
		sum.Add(&sum, &column)
	}
	p.e.Set(&sum)
}

// weighBuckets sets sum = Σ (b+1)·buckets[b], with two additions for each bucket.
func weighBuckets(sum *ristretto255.Element, buckets []ristretto255.Element) {
	var suffix ristretto255.Element
	suffix.Set(identity)
	sum.Set(identity)
	for b := len(buckets) - 1; b >= 0; b-- {
		suffix.Add(&suffix, &buckets[b])
		sum.Add(sum, &suffix)
	}
}

// windowWidth returns the width that roughly balances the n additions of a column with the 2^w of
// weighing it.
func windowWidth(n int) int { return max(4, bits.Len(uint(n))-2) }

// signedDigits writes 32 little-endian bytes below 2^253 in digits
// −2^(w−1) < d ≤ 2^(w−1), the lowest first.
func signedDigits(s []byte, w int) []int {
	digits := make([]int, 253/w+1)
	carry := 0
	for k := range digits {
		d := carry
		for j := range w {
			if bit := k*w + j; bit < 256 {
				d += int(s[bit/8]>>(bit%8)&1) << j
			}
		}
		carry = 0
		if d > 1<<(w-1) {
			d, carry = d-1<<w, 1
		}
		digits[k] = d
	}
	return digits
}
