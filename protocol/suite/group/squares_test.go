package group_test

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/modp"
)

// squares is the group of the tests in this file.
var squares = group.Squares3072()

// p and q are the prime and the order of the group.
var p, q = func() (*big.Int, *big.Int) {
	first, second := modp.Group15()
	return new(big.Int).SetBytes(first.Bytes()), new(big.Int).SetBytes(second.Bytes())
}()

// class is the encoding of the class of a number.
func class(n *big.Int) []byte {
	y := new(big.Int).Mod(n, p)
	if y.Cmp(q) > 0 {
		y.Sub(p, y)
	}
	return y.FillBytes(make([]byte, squares.ElementSize))
}

func number(e group.Element) *big.Int { return new(big.Int).SetBytes(e.Bytes()) }

// exponent is a scalar as a number.
func exponent(s group.Scalar) *big.Int {
	b := s.Bytes()
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// An operation that is wrong for some class, or some scalar: all against math/big.
func TestSquares(t *testing.T) {
	e, f := squares.HashToElement("a"), squares.HashToElement("b")
	one := squares.ScalarFromUint64(1)
	for _, s := range []group.Scalar{{}, one, one.Neg(), squares.ScalarFromUint64(2).Invert(), randomOf(t, squares)} {
		power := new(big.Int).Exp(number(e), exponent(s), p)
		for name, got := range map[string]group.Element{
			"Mul": group.Mul(s, e), "Table": group.NewTable(e).Mul(s),
			"VartimeMultiMul": squares.VartimeMultiMul([]group.Scalar{s}, []group.Element{e}),
		} {
			testmust.Hold(t, bytes.Equal(got.Bytes(), class(power)), name, "by", s.Bytes(), "is wrong")
		}
		want := class(new(big.Int).Exp(big.NewInt(2), exponent(s), p))
		testmust.Holdf(t, bytes.Equal(squares.MulBase(s).Bytes(), want), "MulBase by %x is wrong", s.Bytes())
		u := randomOf(t, squares)
		for name, c := range map[string]struct {
			got  group.Scalar
			want *big.Int
		}{
			"Add": {s.Add(u), new(big.Int).Add(exponent(s), exponent(u))},
			"Sub": {s.Sub(u), new(big.Int).Sub(exponent(s), exponent(u))},
			"Mul": {s.Mul(u), new(big.Int).Mul(exponent(s), exponent(u))},
			"Neg": {s.Neg(), new(big.Int).Neg(exponent(s))},
		} {
			testmust.Equal(t, exponent(c.got).Cmp(c.want.Mod(c.want, q)), 0, name, "of", s.Bytes(), "is wrong")
		}
		testmust.Holdf(t, s.IsZero() || s.Mul(s.Invert()).Equal(one), "%x · 1/%x ≠ 1", s.Bytes(), s.Bytes())
	}
	want := class(new(big.Int).Mul(number(e), number(f)))
	testmust.Hold(t, bytes.Equal(e.Add(f).Bytes(), want), "Add is wrong")
	some := []group.Scalar{randomOf(t, squares), {}, one.Neg()}
	testmust.Hold(t, squares.MultiMul(some, []group.Element{e, f, e}).Equal(group.Mul(some[0], e).Sub(e)), "MultiMul is wrong")
	testmust.Hold(t, squares.SmallMultiMul([]uint16{257, 0, 3}, 257, []group.Element{e, f, f}).Equal(squares.MultiMul([]group.Scalar{squares.ScalarFromUint64(257), squares.ScalarFromUint64(3)}, []group.Element{e, f})),
		"SmallMultiMul is wrong")
	at := group.ScalarsAt(some, []uint16{2, 0, 0, 1})
	testmust.Hold(t, at[0].Equal(some[2]) && at[1].Equal(some[0]) && at[2].Equal(some[0]) && at[3].Equal(some[1]), "ScalarsAt takes other scalars")
	testmust.Hold(t, group.SelectScalar(1, some[0], some[2]).Equal(some[0]) && group.SelectScalar(0, some[0], some[2]).Equal(some[2]),
		"SelectScalar takes the other scalar")
	testmust.Hold(t, e.Add(f).Sub(f).Equal(e) && !e.Equal(f), "Sub is wrong")
	for i, want := range []group.Element{e, f} {
		testmust.Holdf(t, group.ElementAt([]group.Element{e, f}, i).Equal(want), "ElementAt(%d) is another", i)
	}
}

// Elements or scalars of two groups that come to some result, and the zero value of a scalar that is not the 0 of
// each.
func TestTwoGroups(t *testing.T) {
	other := group.Squares2048()
	for name, mixed := range map[string]func(){
		"elements":                func() { squares.Generator().Add(g.Generator()) },
		"elements the other way":  func() { g.Generator().Equal(squares.Generator()) },
		"elements of two primes":  func() { squares.Generator().Equal(other.Generator()) },
		"a sum":                   func() { other.MultiMul([]group.Scalar{other.One()}, []group.Element{squares.Generator()}) },
		"scalars":                 func() { squares.One().Add(g.One()) },
		"scalars of two primes":   func() { squares.One().Mul(other.One()) },
		"a multiple":              func() { g.MulBase(squares.One()) },
		"a multiple by the curve": func() { squares.MulBase(g.One()) },
	} {
		func() {
			defer func() { testmust.Hold(t, recover() != nil, name, "of two groups") }()
			mixed()
		}()
	}
	for _, of := range []*group.Group{g, squares} {
		zero := of.One().Sub(of.One())
		testmust.Hold(t, zero.Equal(group.Scalar{}) && of.One().Mul(group.Scalar{}).Equal(zero) && (group.Scalar{}).Add(of.One()).Equal(of.One()) && of.MulBase(group.Scalar{}).IsIdentity(),
			"the zero value of a scalar is not 0")
		for _, s := range []group.Scalar{{}, zero} {
			var b group.Batch
			b.Add(group.Term{S: s, P: of.Generator()})
			testmust.Do(t, b.Check(rand.Reader))
		}
	}
}

// Randomness that is cut off, or not reduced as it is specified.
func TestRandomScalarOfSquares(t *testing.T) {
	wide := make([]byte, squares.ScalarSize+16)
	testmust.Have(io.ReadFull(mathrand.NewChaCha8([32]byte{'r'}), wide))(t)
	s := testmust.Have(squares.RandomScalar(bytes.NewReader(wide)))(t)
	slices.Reverse(wide)
	want := new(big.Int).SetBytes(wide)
	testmust.Hold(t, exponent(s).Cmp(want.Mod(want, q)) == 0, "a scalar is not its bytes modulo q")
	testmust.FailBy(t, testmust.ErrorOf(squares.RandomScalar(bytes.NewReader(wide[1:]))), io.ErrUnexpectedEOF, "a scalar of too few bytes")
}

// The token multiplied by −1. With numbers modulo p for elements it is another token, of
// which half of all challenges accept the proof of the true one. Here it is the same token.
func TestSignedToken(t *testing.T) {
	a, x, w := squares.HashToElement("card"), randomOf(t, squares), randomOf(t, squares)
	number := func(e *big.Int, s group.Scalar) *big.Int { return new(big.Int).Exp(e, exponent(s), p) }
	plain := new(big.Int).SetBytes(a.Bytes())
	token := number(plain, x)
	signed := new(big.Int).Sub(p, token)
	passed := 0
	for c := range uint64(16) {
		challenge := squares.ScalarFromUint64(c)
		z := new(big.Int).Add(exponent(w), new(big.Int).Mul(exponent(challenge), exponent(x)))
		right := number(signed, challenge)
		if right.Mul(right, number(plain, w)).Mod(right, p).Cmp(new(big.Int).Exp(plain, z, p)) == 0 {
			passed++
		}
	}
	testmust.Equal(t, passed, 8, "the attack is built wrong: challenges of 16 that it passes")
	testmust.Hold(t, bytes.Equal(class(signed), class(token)) && bytes.Equal(class(token), group.Mul(x, a).Bytes()), "a card has two tokens")
}

// A lock that keeps a symbol: who knows two cards, one a square and one not, tells a masked
// one by its own. With numbers and odd exponents he always wins.
func TestResiduosity(t *testing.T) {
	cards := map[int]group.Element{}
	for i := byte(0); len(cards) < 2; i++ {
		e := squares.HashToElement("residuosity", []byte{i})
		cards[big.Jacobi(number(e), p)] = e
	}
	const trials = 200
	draw := mathrand.New(mathrand.NewChaCha8([32]byte{'l'}))
	plain, classes := 0, 0
	for i := range trials {
		symbol := 1 - 2*(i%2)
		e := draw.Uint64() | 1
		var b [64]byte
		binary.LittleEndian.PutUint64(b[:], e)
		masked := squares.VartimeMultiMul([]group.Scalar{squares.ScalarFromUniform(b)}, []group.Element{cards[symbol]})
		if big.Jacobi(number(masked), p) == symbol {
			classes++
		}
		if big.Jacobi(new(big.Int).Exp(number(cards[symbol]), new(big.Int).SetUint64(e), p), p) == symbol {
			plain++
		}
	}
	testmust.Equal(t, plain, trials, "the attack is built wrong: cards that it tells")
	if classes < 50 || classes > 150 { // more than seven deviations from half
		t.Errorf("%d of %d masked cards are told by their symbol", classes, trials)
	}
}

// The leak of 1979 at this prime: of the integers 2 … 53 some have a symbol that no odd
// power changes, and 2·3 = 6 under every lock. Cards that are hashed have no such relation.
func TestSmallNumbers(t *testing.T) {
	told := 0
	for m := int64(2); m <= 53; m++ {
		if big.Jacobi(big.NewInt(m), p) > 0 {
			told++
		}
	}
	testmust.Equal(t, told, 33, "cards of 52 that the leak at this prime tells from the others")
	small := func(n int64) group.Element { return testmust.Have(squares.ParseElement(class(big.NewInt(n))))(t) }
	s := randomOf(t, squares)
	testmust.Hold(t, group.Mul(s, small(2)).Add(group.Mul(s, small(3))).Equal(group.Mul(s, small(6))), "the attack is built wrong: 2·3 ≠ 6")
	hashed, kept, lock := map[string]bool{}, 0, []group.Scalar{squares.ScalarFromUint64(mathrand.Uint64())}
	var deck []group.Element
	for i := range byte(52) {
		deck = append(deck, squares.HashToElement("deck", []byte{i}))
		hashed[string(deck[i].Bytes())] = true
		if big.Jacobi(number(deck[i]), p) == big.Jacobi(number(squares.VartimeMultiMul(lock, deck[i:])), p) {
			kept++
		}
	}
	if kept < 6 || kept > 46 { // more than five deviations from half
		t.Errorf("under a lock %d of 52 cards have the symbol that they had", kept)
	}
	for i := range deck {
		for j := range i + 1 {
			testmust.Holdf(t, !hashed[string(deck[i].Add(deck[j]).Bytes())], "card %d times card %d is a card", i, j)
		}
	}
}
