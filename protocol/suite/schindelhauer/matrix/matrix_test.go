package matrix_test

import (
	"bytes"
	"crypto/rand"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"math/big"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
)

const (
	size  = 32 // of moduli, in bytes
	width = 2
)

// masked is a card under the joint key of three seats, and their secrets.
func masked(t testing.TB, f card.Face) (matrix.Card, *matrix.Key, []*matrix.Secret) {
	t.Helper()
	var keys []*matrix.Key
	var secrets []*matrix.Secret
	for range 3 {
		s := testmust.Have(matrix.NewSecret(size, rand.Reader))(t)
		secrets, keys = append(secrets, s), append(keys, matrix.NewKey(s.Key()))
	}
	joint := testmust.Have(matrix.Joint(keys))(t)
	o := testmust.Have(matrix.Any.DrawOpening(joint, width, 1, rand.Reader))(t)
	pile := matrix.NewPile(joint, []matrix.Card{matrix.Open(f, width)})
	return pile.Cards(pile.Remask(o))[0], joint, secrets
}

// TestParse is SC-4: a number in two spellings, one that is no unit, a row of another seat, a row
// too many or too few.
func TestParse(t *testing.T) {
	c, joint, secrets := masked(t, 2)
	good := c.Bytes()
	again, err := matrix.ParseCard(good, joint, width)
	testmust.Requiref(t, err == nil && bytes.Equal(again.Bytes(), good), "honest: %v", err)
	put := func(at int, n []byte) []byte {
		b := bytes.Clone(good)
		copy(b[at*size:], n)
		return b
	}
	first := joint.Moduli()[0].Bytes()
	above := new(big.Int).SetBytes(first)
	above.Add(above, new(big.Int).SetBytes(good[:size]))
	var p []byte
	for _, s := range secrets {
		if bytes.Equal(s.Key().Bytes(), first) {
			p = append(make([]byte, size/2), s.Bytes()[:size/2]...)
		}
	}
	for name, b := range map[string][]byte{
		"zero": put(0, make([]byte, size)), "the modulus": put(0, first), "no unit": put(0, p), "ones": put(3, bytes.Repeat([]byte{0xff}, size)),
		"a row too many": append(bytes.Clone(good), good[:width*size]...), "a row too few": good[width*size:], "a byte less": good[1:], "nothing": nil,
		"row 3 of 3":        append([]byte{3}, good[:width*size]...),
		"two rows":          append(append([]byte{0}, good[:width*size]...), append([]byte{1}, good[width*size:2*width*size]...)...),
		"an open card":      {1},
		"a hand in another": append([]byte{2}, bytes.Repeat([]byte{0xff}, width*size)...),
	} {
		testmust.Fail(t, testmust.ErrorOf(matrix.ParseCard(b, joint, width)), name, "accepted")
	}
	if above.BitLen() <= 8*size {
		testmust.Fail(t, testmust.ErrorOf(matrix.ParseCard(put(0, above.FillBytes(make([]byte, size))), joint, width)), "a number and its modulus: accepted")
	}
}

// Rows that are exchanged are numbers modulo another's key: they stand for another card.
func TestRowsExchanged(t *testing.T) {
	c, joint, _ := masked(t, 1)
	row := width * size
	b := c.Bytes()
	swapped, err := matrix.ParseCard(append(append(bytes.Clone(b[row:2*row]), b[:row]...), b[2*row:]...), joint, width)
	testmust.Hold(t, err != nil || !bytes.Equal(swapped.Bytes(), b), "rows have two orders")
}

// Keys that share a prime: who has both factors them.
func TestJoint(t *testing.T) {
	p, q, r := big.NewInt(0), big.NewInt(0), big.NewInt(0)
	for _, n := range []*big.Int{p, q, r} {
		for n.Bit(0) != 1 || n.Bit(1) != 1 || n.Bit(4*size-2) != 1 {
			prime := testmust.Have(rand.Prime(rand.Reader, 4*size))(t)
			n.Set(prime)
		}
	}
	key := func(a, b *big.Int) *matrix.Key {
		m := testmust.Have(matrix.ParseModulus(new(big.Int).Mul(a, b).FillBytes(make([]byte, size)), size))(t)
		return matrix.NewKey(m)
	}
	one, two := key(p, q), key(q, r)
	testmust.Fail(t, matrix.CheckCoprime(one, two), "two keys that share a prime are apart")
	for name, keys := range map[string][]*matrix.Key{"shared": {one, two}, "twice": {one, one}, "none": nil} {
		testmust.Fail(t, testmust.ErrorOf(matrix.Joint(keys)), name, "joined")
	}
}

// Tokens of a row that is not there, or of bits beyond the columns.
func TestParseToken(t *testing.T) {
	_, joint, _ := masked(t, 0)
	for _, b := range [][]byte{nil, {0}, {3, 0}, {0, 4}, {255, 255}, {0, 0, 0}} {
		testmust.Fail(t, testmust.ErrorOf(matrix.ParseToken(b, joint, width)), b, "is read")
	}
	k, err := matrix.ParseToken([]byte{2, 3}, joint, width)
	testmust.Holdf(t, err == nil && bytes.Equal(k.Bytes(), []byte{2, 3}), "%v, %v", k, err)
}

// A permutation that is not put together as it is shown, and bits that get lost on the way.
func TestAfter(t *testing.T) {
	_, joint, _ := masked(t, 0)
	var in []matrix.Card
	for f := range card.Face(4) {
		in = append(in, matrix.Open(f, width))
	}
	first := testmust.Have(matrix.Any.DrawOpening(joint, width, 4, rand.Reader))(t)
	next := testmust.Have(matrix.Any.DrawOpening(joint, width, 4, rand.Reader))(t)
	before := matrix.NewPile(joint, in)
	out := before.Cards(before.Remask(first))
	after := matrix.NewPile(joint, out)
	want := encode(after.Cards(after.Remask(next))...)
	got := before.Cards(before.VartimeRemask(first.ComposeWith(next, joint, width)))
	testmust.Hold(t, bytes.Equal(encode(got...), want), "first and then next is another thing than both at once")
	bits := matrix.UnpackBits(matrix.PackBits(first.Bits, 3, width), 4, 3, width)
	for i := range bits {
		for e, b := range bits[i] {
			testmust.Requiref(t, b == first.Bits[i][e], "bit %d of card %d", e, i)
		}
	}
	for n := 1; n < 6; n++ {
		for at := range n {
			for i, from := range matrix.Rotation(at, n) {
				testmust.Equal(t, int(from), (at+i)%n, "cut of", n, "at", at, "place", i)
			}
		}
	}
}

// A seat whose modulus has a small prime makes others fail: a number that they draw for a card, or its
// factor, is no unit.
func TestDrawUnits(t *testing.T) {
	key := matrix.NewKey(prooftest.SmallFactorModulus(t, size, matrix.ParseModulus))
	units := matrix.NewUnits(key, width)
	units.AddOpening(testmust.Have(matrix.Any.DrawUnits(key, width, 1, prooftest.MultipleSource(size)))(t))
	testmust.Do(t, units.CheckUnits())
	units.AddOpening(testmust.Have(matrix.Any.DrawOpening(key, width, 1, prooftest.MultipleSource(size)))(t))
	testmust.Hold(t, units.CheckUnits() != nil, "a multiple of a factor of the modulus is coprime to it")
}

// encode returns the bytes of cards, one after another.
func encode(cards ...matrix.Card) (b []byte) {
	for _, c := range cards {
		b = append(b, c.Bytes()...)
	}
	return b
}
