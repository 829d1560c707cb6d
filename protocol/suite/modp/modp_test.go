package modp

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"filippo.io/bigmod"

	"github.com/pakli/pakli/internal/testmust"
)

// pi returns ⌊2^bits·π⌋ by Machin's formula.
func pi(bits uint) *big.Int {
	const guard = 64
	arctan := func(inverse int64) *big.Int {
		term := new(big.Int).Lsh(big.NewInt(1), bits+guard)
		term.Quo(term, big.NewInt(inverse))
		sum, square := new(big.Int).Set(term), big.NewInt(inverse*inverse)
		for k := int64(3); term.Sign() > 0; k += 2 {
			term.Quo(term, square)
			part := new(big.Int).Quo(term, big.NewInt(k))
			if k%4 == 3 {
				part.Neg(part)
			}
			sum.Add(sum, part)
		}
		return sum
	}
	a, b := arctan(5), arctan(239)
	sum := a.Mul(a, big.NewInt(16))
	return sum.Sub(sum, b.Mul(b, big.NewInt(4))).Rsh(sum, guard)
}

// The modulus of somebody who chose it to know more of it: it is the one that π gives, and
// both it and half of it are prime.
func TestPrimes(t *testing.T) {
	for _, g := range []struct {
		bits  uint
		k     int64
		group func() (p, q *Modulus)
	}{{2048, 124476, Group14}, {3072, 1690314, Group15}} {
		power := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }
		inner := new(big.Int).Add(pi(g.bits-130), big.NewInt(g.k))
		want := power(g.bits)
		want.Sub(want, power(g.bits-64)).Sub(want, big.NewInt(1)).Add(want, inner.Lsh(inner, 64))
		p, q := g.group()
		for name, c := range map[string]struct {
			m    *Modulus
			want *big.Int
		}{"p": {p, want}, "q": {q, new(big.Int).Rsh(want, 1)}} {
			got := number(c.m.words)
			testmust.Holdf(t, got.Cmp(c.want) == 0 && got.ProbablyPrime(1), "%s of %d bits = %x", name, g.bits, got)
		}
		testmust.Equal(t, new(big.Int).Mod(want, big.NewInt(8)).Int64(), 7, "2 is no square modulo p of", g.bits, "bits")
	}
}

func number(x []uint64) *big.Int { return new(big.Int).SetBytes(AppendTo(nil, x)) }

// moduli are of one, some and all words, with and without a free highest bit.
func moduli() []*Modulus {
	p, q := Group15()
	odd := func(hex string) *Modulus {
		n, _ := new(big.Int).SetString(hex, 16)
		words := make([]uint64, (n.BitLen()+63)/64)
		SetBytes(words, n.FillBytes(make([]byte, 8*len(words))))
		return NewModulus(words)
	}
	return []*Modulus{p, q, odd("FFFFFFFFFFFFFFC5"), odd("800000000000000000000000000000000000000000000000000000000000001D"),
		odd("3000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"),
		odd("1000300000000000000000000000000000010003")} // 65539·(2^140 + 1)
}

// samples are numbers at the borders of what is below m, and others.
func samples(m *Modulus) [][]uint64 {
	n := m.Len()
	one, last := make([]uint64, n), make([]uint64, n)
	one[0] = 1
	m.Neg(last, one)
	list := [][]uint64{make([]uint64, n), one, last}
	draw := rand.New(rand.NewChaCha8([32]byte{'m'}))
	for range 2 {
		x, b := make([]uint64, n), make([]byte, 8*n+8)
		for i := 0; i < len(b); i += 8 {
			binary.BigEndian.PutUint64(b[i:], draw.Uint64())
		}
		m.Reduce(x, b)
		list = append(list, x)
	}
	return list
}

// A carry that is lost, and a result that is not below the modulus: against math/big.
func TestArithmetic(t *testing.T) {
	for _, m := range moduli() {
		mod := number(m.words)
		r := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), uint(64*m.Len())), mod)
		z := make([]uint64, m.Len())
		check := func(name string, want *big.Int) {
			t.Helper()
			if number(z).Cmp(want.Mod(want, mod)) != 0 {
				t.Errorf("%d words: %s is %x, must be %x", m.Len(), name, number(z), want)
			}
		}
		for _, x := range samples(m) {
			a := number(x)
			m.Neg(z, x)
			check("−x", new(big.Int).Neg(a))
			m.Square(z, x)
			check("x²/R", new(big.Int).Mul(new(big.Int).Mul(a, a), r))
			m.FromMontgomery(z, x)
			check("x/R", new(big.Int).Mul(a, r))
			m.ToMontgomery(z, x)
			m.FromMontgomery(z, z)
			check("x", a)
			for _, y := range samples(m) {
				b := number(y)
				m.Add(z, x, y)
				check("x + y", new(big.Int).Add(a, b))
				m.Mul(z, x, y)
				check("x·y/R", new(big.Int).Mul(new(big.Int).Mul(a, b), r))
				if (Less(x, y) == 1) != (a.Cmp(b) < 0) {
					t.Errorf("%x < %x: %d", x, y, Less(x, y))
				}
			}
		}
		testmust.Hold(t, m.IsBelow(m.words) == 0 && m.IsBelow(samples(m)[2]) == 1, "the modulus is below itself, or its last number is not")
	}
}

// Own code that another library, which others have read, does not agree with: modulo numbers of the sizes
// that suites have, single powers both ways.
func TestAgainstLibrary(t *testing.T) {
	two, _ := Group14()
	three, _ := Group15()
	odd := func(n int) *Modulus { // of n words, as the factors of a modulus of residues are
		words := slices.Clone(three.words[:n])
		words[0] |= 1
		return NewModulus(words)
	}
	for _, m := range []*Modulus{odd(16), odd(24), two, three} {
		library := testmust.Have(bigmod.NewModulus(m.Bytes()))(t)
		z, list := make([]uint64, m.Len()), samples(m)
		nat := func(x []uint64) *bigmod.Nat {
			return testmust.Have(bigmod.NewNat().SetBytes(AppendTo(nil, x), library))(t)
		}
		check := func(name string, want *bigmod.Nat) {
			t.Helper()
			testmust.Hold(t, bytes.Equal(AppendTo(nil, z), want.Bytes(library)), m.Len(), "words", name, "is another")
		}
		for i, x := range list {
			y := list[(i+1)%len(list)]
			m.ToMontgomery(z, x)
			m.Mul(z, z, y)
			check("x·y", nat(x).Mul(nat(y), library))
			m.Add(z, x, y)
			check("x + y", nat(x).Add(nat(y), library))
			entered := make([]uint64, m.Len())
			m.ToMontgomery(entered, x)
			if i < 3 && m == three {
				continue // its powers take long
			}
			power := bigmod.NewNat().Exp(nat(x), AppendTo(nil, y), library)
			for name, exp := range map[string]func(){
				"x^y": func() { m.Exp(z, entered, y) }, "x^y by own windows": func() { m.MultiExp(z, [][]uint64{entered}, [][]uint64{y}, 64*m.Len()) },
				"x^y by a comb": func() { m.NewComb(entered).Exp(z, y) }, "x^y of public numbers": func() { m.VartimeMultiExp(z, [][]uint64{entered}, [][]uint64{y}) },
			} {
				exp()
				m.FromMontgomery(z, z)
				check(name, power)
			}
			if want, ok := bigmod.NewNat().InverseVarTime(nat(x), library); (m.Inverse(z, entered) == 1) != ok {
				t.Errorf("%d words: whether number %d has an inverse", m.Len(), i)
			} else if ok {
				m.FromMontgomery(z, z)
				check("1/x", want)
			}
		}
	}
}

// Numbers of any length that are reduced, the largest first: a bias, or what is left over.
func TestReduce(t *testing.T) {
	for _, m := range moduli() {
		z := make([]uint64, m.Len())
		for _, length := range []int{0, 1, 8, 8*m.Len() - 1, 8 * m.Len(), 8*m.Len() + 16, 20*m.Len() + 3} {
			b := bytes.Repeat([]byte{0xff}, length)
			m.Reduce(z, b)
			if want := new(big.Int).SetBytes(b); number(z).Cmp(want.Mod(want, number(m.words))) != 0 {
				t.Errorf("%d words: %d bytes give %x, must give %x", m.Len(), length, number(z), want)
			}
		}
	}
}

// A window that is read wrong, at the ends of exponents and between their words.
func TestPowers(t *testing.T) {
	all := moduli()
	for i := range testmust.ChosenIndexes(t, len(all), 2*len(all)-2) { // all but one, by chance
		m := all[i]
		mod, z := number(m.words), make([]uint64, m.Len())
		leave := func() *big.Int {
			m.FromMontgomery(z, z)
			return number(z)
		}
		list := samples(m)
		for i, e := range list {
			x, y := list[3], list[4]
			enteredX, enteredY := make([]uint64, m.Len()), make([]uint64, m.Len())
			m.ToMontgomery(enteredX, x)
			m.ToMontgomery(enteredY, y)
			want := new(big.Int).Exp(number(x), number(e), mod)
			m.Exp(z, enteredX, e)
			testmust.Equal(t, leave().Cmp(want), 0, m.Len(), "words: power", i)
			m.NewComb(enteredX).Exp(z, e)
			testmust.Equal(t, leave().Cmp(want), 0, m.Len(), "words: power by a comb", i)
			m.MultiExp(z, [][]uint64{enteredX, enteredY, enteredX}, [][]uint64{{3 << 12}, {0xffff}, {1}}, 16)
			few := new(big.Int).Exp(number(y), big.NewInt(0xffff), mod)
			few.Mul(few, new(big.Int).Exp(number(x), big.NewInt(3<<12+1), mod))
			testmust.Equal(t, leave().Cmp(few.Mod(few, mod)), 0, m.Len(), "words: product of powers of few bits")
			m.MultiExp(z, [][]uint64{enteredX, enteredY}, [][]uint64{e, list[len(list)-1]}, 64*m.Len())
			few.Mul(want, new(big.Int).Exp(number(y), number(list[len(list)-1]), mod))
			testmust.Equal(t, leave().Cmp(few.Mod(few, mod)), 0, m.Len(), "words: product of secret powers", i)
			short := make([]uint64, m.Len())
			copy(short, e[:min(2, len(e))])
			m.VartimeMultiExp(z, [][]uint64{enteredX, enteredY, enteredX}, [][]uint64{e, short, list[1]})
			want.Mul(want, new(big.Int).Exp(number(y), number(short), mod)).Mul(want, number(x))
			testmust.Equal(t, leave().Cmp(want.Mod(want, mod)), 0, m.Len(), "words: product of powers", i)
		}
	}
}

// An inverse whose last steps are left out, or that comes out negative or too large; one of a number
// that has none.
func TestInverse(t *testing.T) {
	for _, m := range moduli() {
		z := make([]uint64, m.Len())
		small := func(n uint64) []uint64 { return append([]uint64{n}, make([]uint64, m.Len()-1)...) }
		for _, x := range append(samples(m), small(2), small(3), small(65539)) {
			has := m.Inverse(z, x)
			if coprime := new(big.Int).GCD(nil, nil, number(x), number(m.words)).Cmp(big.NewInt(1)) == 0; coprime != (has == 1) {
				t.Errorf("%d words: %x has an inverse: %d", m.Len(), number(x), has)
			}
			if has == 0 {
				continue
			}
			testmust.Hold(t, m.IsBelow(z) != 0, m.Len(), "words: 1/", number(x), "is", number(z))
			if m.Mul(z, z, x); number(z).Cmp(number(m.one)) != 0 {
				t.Errorf("%d words: x·(1/x) = %x for %x", m.Len(), number(z), number(x))
			}
		}
	}
}

func BenchmarkMul(b *testing.B) {
	benchmark(b, func(m *Modulus, z, x []uint64) { m.Mul(z, x, m.square) })
}

func BenchmarkSquare(b *testing.B) { benchmark(b, (*Modulus).Square) }

func BenchmarkExp(b *testing.B) {
	benchmark(b, func(m *Modulus, z, x []uint64) { m.Exp(z, x, x) })
}

func BenchmarkComb(b *testing.B) {
	m, _ := Group15()
	comb := m.NewComb(m.square)
	benchmark(b, func(m *Modulus, z, x []uint64) { comb.Exp(z, x) })
}

// math/big, which is not for secrets, for comparison.
func BenchmarkBig(b *testing.B) {
	benchmark(b, func(m *Modulus, z, x []uint64) { new(big.Int).Exp(number(x), number(x), number(m.words)) })
}

func benchmark(b *testing.B, f func(m *Modulus, z, x []uint64)) {
	m, _ := Group15()
	z, x := make([]uint64, m.Len()), samples(m)[3]
	b.ReportAllocs()
	for b.Loop() {
		f(m, z, x)
	}
}
