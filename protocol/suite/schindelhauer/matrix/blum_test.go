package matrix

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/transcript"
)

// size is that of moduli in these tests, in bytes.
const size = 64

func context(seat byte) transcript.Context {
	return transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "key", transcript.Seat(seat)).Slot(0)
}

var here = context(0)

// primeOfKind draws a prime of so many bits that is r modulo 4, with its two highest bits set.
func primeOfKind(t *testing.T, bits int, r int64) *big.Int {
	t.Helper()
	for {
		p := testmust.Have(rand.Prime(rand.Reader, bits))(t)
		if p.Bit(0)+2*p.Bit(1) == uint(r) && p.Bit(bits-2) == 1 {
			return p
		}
	}
}

func bytesOf(n *big.Int) []byte { return n.FillBytes(make([]byte, max(size, (n.BitLen()+7)/8))) }

func times2(list ...*big.Int) *big.Int { return multiplyAll(list) }

// TestForm is SC-2: a key that tells more than it should, or is no key of anybody's.
func TestForm(t *testing.T) {
	p, q := primeOfKind(t, 4*size, 3), primeOfKind(t, 4*size, 3)
	good := times2(p, q)
	testmust.Have(ParseModulus(bytesOf(good), size))(t, "an honest modulus")
	r := primeOfKind(t, 4*size, 1)
	third := big.NewInt(65521) // the largest prime below 2^16
	fifth := integerRoot(new(big.Int).Lsh(big.NewInt(3), 8*size-2), 5)
	for fifth.Bit(0) != 1 || fifth.Bit(1) != 0 || !fifth.ProbablyPrime(5) {
		fifth.Add(fifth, one)
	}
	whole := primeOfKind(t, 8*size, 1)
	for name, c := range map[string]struct {
		b   []byte
		why string
	}{
		"prime":          {bytesOf(whole), "a prime"},
		"square":         {bytesOf(new(big.Int).Mul(p, p)), "perfect power"},
		"fifth power":    {bytesOf(new(big.Int).Exp(fifth, big.NewInt(5), nil)), "perfect power"},
		"even":           {bytesOf(new(big.Int).Sub(good, one)), "modulo 4"},
		"3 modulo 4":     {bytesOf(times2(p, r)), "modulo 4"},
		"a bit short":    {bytesOf(new(big.Int).Rsh(good, 1)), "bits"},
		"short":          {bytesOf(good)[1:], "bytes"},
		"long":           {append([]byte{0}, bytesOf(good)...), "bytes"},
		"a small factor": {bytesOf(withFactor(t, third)), "below 2^16"},
		"nothing":        {nil, "bytes"},
		"zero":           {make([]byte, size), "bits"},
		"all ones":       {bytes.Repeat([]byte{0xff}, size), "modulo 4"},
	} {
		m, err := ParseModulus(c.b, size)
		testmust.Holdf(t, m == nil && err != nil && strings.Contains(err.Error(), c.why), "%s: %v", name, err)
	}
}

// withFactor is a number of the right form, but for a small factor.
func withFactor(t *testing.T, f *big.Int) *big.Int {
	for {
		n := times2(f, primeOfKind(t, 8*size-16, 1))
		if n.BitLen() == 8*size && n.Bit(0) == 1 && n.Bit(1) == 0 {
			return n
		}
	}
}

// forged is a secret of primes that are none of this kind, as somebody who knows them has it.
func forged(t *testing.T, p, q *big.Int) *Secret {
	t.Helper()
	if p.Cmp(q) > 0 {
		p, q = q, p
	}
	return testmust.Have(secretOf(p, q, size))(t)
}

// TestForgedKeys is SC-3: of every modulus that is no product of two primes that are 3 modulo 4
// the owner, who knows all factors, finds no roots of some challenge. He answers as well as anybody
// can: where there are no roots, with those that he would have.
func TestForgedKeys(t *testing.T) {
	kind := func(bits int, r int64) *big.Int { return primeOfKind(t, bits, r) }
	half := 4 * size
	three := func() *Secret { // three primes, of which the owner takes two for one
		for {
			p, q, r := kind(half, 3), kind(half/2, 3), kind(half/2, 1)
			if n := times2(p, q, r); n.BitLen() == 8*size && n.Bit(1) == 0 {
				return forged(t, p, times2(q, r))
			}
		}
	}
	squared := func() *Secret { // p²·q
		for {
			p, q := kind(half/2, 3), kind(half, 1)
			if n := times2(p, p, q); n.BitLen() == 8*size {
				if s, err := secretOf(times2(p, p), q, size); err == nil {
					return s
				}
				if s, err := secretOf(q, times2(p, p), size); err == nil {
					return s
				}
			}
		}
	}
	for name, make := range map[string]func() *Secret{
		"two primes that are 1 modulo 4": func() *Secret { return forged(t, kind(half, 1), kind(half, 1)) },
		"three primes":                   three,
		"a square and a prime":           squared,
	} {
		s := make()
		testmust.Do(t, testmust.ErrorOf(ParseModulus(s.Key().Bytes(), size)), name, "it is found by its form, and the proof is not tried")
		b := testmust.Have(ProveOwnership(here, s, rand.Reader))(t)
		testmust.FailBy(t, VerifyOwnership(here, Ownership{s.Key()}, b), proof.ErrWrong, name)
	}
}

// TestOwnership: an honest proof that is refused, one that is worth something elsewhere or
// for another key, and one a field of which is free.
func TestOwnership(t *testing.T) {
	s := testmust.Have(NewSecret(size, rand.Reader))(t)
	other := testmust.Have(NewSecret(size, rand.Reader))(t)
	st := Ownership{s.Key()}
	b := testmust.Have(ProveOwnership(here, s, rand.Reader))(t)
	testmust.Equal(t, len(b), OwnershipSize(size), "bytes")
	testmust.Do(t, VerifyOwnership(here, st, b), "honest")
	testmust.Hold(t, VerifyOwnership(context(1), st, b) != nil && VerifyOwnership(here, Ownership{other.Key()}, b) != nil,
		"accepted at another seat or for another key")
	for _, at := range []int{0, size, 2 * size, (1 + rounds) * size, 2 * rounds * size, len(b) - 2*rounds/8, len(b) - 1} {
		changed := bytes.Clone(b)
		changed[at] ^= 1
		testmust.Fail(t, VerifyOwnership(here, st, changed), "accepted with byte", at, "changed")
	}
	// The other root, up to its sign, is another number: who has both knows the factors.
	x := wordsOf(b[size : 2*size])
	s.Key().Ring().Neg(x, x)
	testmust.Fail(t, VerifyOwnership(here, st, slices.Concat(b[:size], modp.AppendTo(nil, x), b[2*size:])), "a root has two spellings")
	// w of Jacobi symbol 1 would let a product of two primes of another kind pass.
	square := new(big.Int).SetBytes(b[:size])
	square.Mul(square, square).Mod(square, s.Key().n)
	err := VerifyOwnership(here, st, append(bytesOf(square), b[size:]...))
	testmust.Holdf(t, err != nil && !errors.Is(err, proof.ErrWrong), "w that is a square: %v", err)
}

func TestOwnershipIsBound(t *testing.T) {
	one := testmust.Have(NewSecret(size, rand.Reader))(t)
	two := testmust.Have(NewSecret(size, rand.Reader))(t)
	prooftest.Binding(t, Ownership{one.Key()}, Ownership{two.Key()})
}

// TestRoots: arithmetic modulo the factors, put together wrong: against math/big.
func TestRoots(t *testing.T) {
	s := testmust.Have(NewSecret(size, rand.Reader))(t)
	m := s.Key()
	for range 20 {
		u := make([]uint64, m.Words())
		testmust.Do(t, m.DrawNumber(u, rand.Reader))
		n := new(big.Int).SetBytes(modp.AppendTo(nil, u))
		square := bytesOf(new(big.Int).Mod(new(big.Int).Mul(n, n), m.n))
		testmust.Equal(t, s.NoSquare(wordsOf(square)), 0, "a square is no square")
		negative := wordsOf(square)
		m.NegateIf(negative, 1)
		testmust.Equal(t, s.NoSquare(negative), 1, "minus a square is no square")
		v := new(big.Int).SetBytes(modp.AppendTo(nil, s.InverseRoot(wordsOf(square))))
		v.Mul(v, v).Mul(v, new(big.Int).SetBytes(square)).Mod(v, m.n)
		testmust.Equal(t, v.Cmp(one), 0, "v²·u is", v)
		inverse := slices.Clone(u)
		m.Inverse(inverse)
		product := new(big.Int).SetBytes(modp.AppendTo(nil, inverse))
		testmust.Equal(t, product.Mul(product, n).Mod(product, m.n).Cmp(one), 0, "a number times its inverse")
		m.FoldSign(u)
		k := new(big.Int).SetBytes(modp.AppendTo(nil, u))
		testmust.Hold(t, k.Lsh(k, 1).Cmp(m.n) <= 0, "the smaller of two is the larger")
	}
}

// TestCommon: keys that share a prime and are not found, or are taken for sharing one with a third.
func TestCommon(t *testing.T) {
	prime := func() *big.Int { return primeOfKind(t, 4*size, 3) }
	modulus := func(p, q *big.Int) *Modulus {
		n := times2(p, q)
		return newModulus(bytesOf(n), n)
	}
	p, q, r, s := prime(), prime(), prime(), prime()
	apart := func() *Modulus { return modulus(prime(), prime()) }
	chain := []*Modulus{apart(), modulus(p, q), apart(), modulus(q, r), modulus(s, prime()), modulus(r, prime()), modulus(prime(), s)}
	for _, c := range []struct {
		list []*Modulus
		want [][]int
	}{
		{nil, nil}, {chain[:1], nil}, {chain[:3], nil}, {chain, [][]int{{1, 3, 5}, {4, 6}}},
		{[]*Modulus{chain[0], chain[2], chain[0]}, [][]int{{0, 2}}},
	} {
		got := SharedFactorGroups(c.list)
		testmust.Holdf(t, reflect.DeepEqual(got, c.want), "%d moduli: %v, want %v", len(c.list), got, c.want)
	}
}

//go:generate go test -run TestChallengeIsNoUnit -update .

// owner knows the factors of a modulus of 32 bytes, 65,539 and a prime.
type owner struct {
	factors [2]*big.Int
	key     *Modulus
}

func smallOwner(t *testing.T) *owner {
	p, q := big.NewInt(65_539), new(big.Int).Lsh(big.NewInt(3), 238)
	for q.Add(q, big.NewInt(3)); !q.ProbablyPrime(20) || new(big.Int).ModInverse(p, new(big.Int).Sub(q, one)) == nil; {
		q.Add(q, big.NewInt(4))
	}
	return &owner{[2]*big.Int{p, q}, testmust.Have(ParseModulus(multiplyAll([]*big.Int{p, q}).FillBytes(make([]byte, 32)), 32))(t)}
}

// power is x^e modulo m, of which the exponent is given for each factor.
func (o *owner) power(x *big.Int, exponent func(p *big.Int) *big.Int) *big.Int {
	sum := new(big.Int)
	for i, p := range o.factors {
		other := o.factors[1-i]
		e := new(big.Int).Exp(x, exponent(p), p)
		e.Mul(e, other).Mul(e, new(big.Int).ModInverse(other, p))
		sum.Add(sum, e)
	}
	return sum.Mod(sum, o.key.n)
}

// proof answers challenges, also of multiples of a factor, which have roots too.
func (o *owner) proof(w []uint64, challenges [][]uint64) []byte {
	fourth := func(p *big.Int) *big.Int {
		e := new(big.Int).Rsh(new(big.Int).Add(p, one), 2)
		return e.Mul(e, e)
	}
	inverse := func(p *big.Int) *big.Int { return new(big.Int).ModInverse(o.key.n, new(big.Int).Sub(p, one)) }
	number := func(z []uint64) *big.Int { return new(big.Int).SetBytes(modp.AppendTo(nil, z)) }
	msg := message{w: w, a: make([]byte, rounds/8), b: make([]byte, rounds/8)}
	for l, y := range challenges {
		for choice := range 4 {
			u := number(y)
			if choice&1 == 1 {
				u.Neg(u)
			}
			if choice&2 == 2 {
				u.Mul(u, number(w))
			}
			x := wordsOf(o.power(u.Mod(u, o.key.n), fourth).FillBytes(make([]byte, 32)))
			if o.key.FoldSign(x); o.key.isFourthRoot(x, uint64(choice&1), uint64(choice>>1), w, y) {
				msg.x = append(msg.x, x)
				msg.a[l/8] |= byte(choice & 1 << (l % 8))
				msg.b[l/8] |= byte(choice >> 1 << (l % 8))
				break
			}
		}
		msg.z = append(msg.z, wordsOf(o.power(number(y), inverse).FillBytes(make([]byte, 32))))
	}
	return msg.proofBytes()
}

// TestChallengeIsNoUnit: who has a small prime draws w until the prime divides a challenge, and a round says
// nothing modulo it. With all of them units a proof is good, as the key is: what is drawn under it must be
// looked at by who draws.
func TestChallengeIsNoUnit(t *testing.T) {
	o := smallOwner(t)
	place := transcript.Bind("schindelhauer-test/v1", "blum", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "key", 0).Slot(0)
	divided := func(challenges [][]uint64) bool {
		for _, y := range challenges {
			if !o.key.IsUnit(y) {
				return true
			}
		}
		return false
	}
	found := map[bool][]byte{}
	for n := int64(2); len(found) < 2; n++ {
		if big.Jacobi(big.NewInt(n), o.key.n) != -1 {
			continue
		}
		w := wordsOf(big.NewInt(n).FillBytes(make([]byte, 32)))
		ys := drawChallenges(transcript.New(place, Ownership{o.key}), o.key, w)
		if no := divided(ys); found[no] == nil {
			found[no] = o.proof(w, ys)
		}
	}
	testmust.Do(t, VerifyOwnership(place, Ownership{o.key}, found[false]))
	err := VerifyOwnership(place, Ownership{o.key}, found[true])
	testmust.Holdf(t, err != nil && !errors.Is(err, proof.ErrWrong), "a challenge that a factor divides: %v", err)
	var lines bytes.Buffer
	for _, v := range []struct {
		name, comment, expect string
		no                    bool
	}{
		{"small-prime", "65,539 divides the modulus, which is well formed", "success", false},
		{"small-prime-no-unit", "65,539 divides a challenge, and its roots", "malformed", true},
	} {
		testmust.Do(t, json.NewEncoder(&lines).Encode(vector{
			v.name, v.comment, v.expect, map[bool]string{true: "P1-ownership"}[v.no], "schindelhauer-test/v1", "blum", zero32, zero32, zero32, zero32, "key", "two", []string{"a", "b"},
			"ownership", hex.EncodeToString(o.key.Bytes()), hex.EncodeToString(found[v.no]),
		}))
	}
	testmust.Same(t, filepath.Join("..", "..", "..", "..", "docs", "spec", "vectors", "proof", "schindelhauer-test-keys-v1.jsonl"), lines.Bytes())
}

var zero32 = hex.EncodeToString(make([]byte, 32))

// vector is a line of docs/spec/vectors/proof.
type vector struct {
	Name     string   `json:"name"`
	Comment  string   `json:"comment"`
	Expect   string   `json:"expect"`
	Check    string   `json:"check,omitempty"`
	Suite    string   `json:"suite"`
	Rules    string   `json:"rules"`
	Table    string   `json:"table"`
	Deck     string   `json:"deck"`
	Keys     string   `json:"keys"`
	Parent   string   `json:"parent"`
	Kind     string   `json:"kind"`
	DeckName string   `json:"deckName"`
	Faces    []string `json:"faces"`
	Relation string   `json:"relation"`
	Key      string   `json:"key"`
	Proof    string   `json:"proof"`
}
