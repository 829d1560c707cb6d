package filippo

import (
	"math/bits"

	"filippo.io/edwards25519"
	"github.com/gtank/ristretto255"
)

// minBuckets is the number of terms from which buckets are faster than the
// library's interleaved multiplication.
const minBuckets = 256

// vartimeBuckets sets p = Σ s_i·q_i by the bucket method (Pippenger, 1976; in
// this form Bernstein, Doumen, Lange, Oosterwijk, Indocrypt 2012): with
// s_i = Σ_k d_ik·2^(w·k) in signed digits |d_ik| ≤ 2^(w−1), the sum
// Σ_i d_ik·q_i is Σ_b b·(Σ_{d_ik=b} q_i − Σ_{d_ik=−b} q_i).
func (p *Point) vartimeBuckets(s []*edwards25519.Scalar, q []*Point) {
	w := window(len(s))
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
		weigh(&column, buckets)
		sum.Add(&sum, &column)
	}
	p.e.Set(&sum)
}

// weigh sets sum = Σ (b+1)·buckets[b] with two additions for each bucket.
func weigh(sum *ristretto255.Element, buckets []ristretto255.Element) {
	var suffix ristretto255.Element
	suffix.Set(identity)
	sum.Set(identity)
	for b := len(buckets) - 1; b >= 0; b-- {
		suffix.Add(&suffix, &buckets[b])
		sum.Add(sum, &suffix)
	}
}

// window returns the width that about balances n additions of a column with
// the 2^w of weighing it.
func window(n int) int { return max(4, bits.Len(uint(n))-2) }

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
