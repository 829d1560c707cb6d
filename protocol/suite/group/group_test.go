package group_test

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"math/big"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/group"
)

// g is the group of the tests in this file.
var g = group.Ristretto255()

// order is ℓ, computed and not copied.
var order = new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 252), decimal("27742317777372353535851937790883648493"))

func decimal(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return n
}

func little(n *big.Int) []byte {
	b := n.FillBytes(make([]byte, 32))
	slices.Reverse(b)
	return b
}

func integer(s group.Scalar) *big.Int {
	b := s.Bytes()
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

func random(t testing.TB) group.Scalar {
	t.Helper()
	return randomOf(t, g)
}

func randomOf(t testing.TB, g *group.Group) group.Scalar {
	t.Helper()
	return testmust.Have(g.RandomScalar(rand.Reader))(t)
}

func point(i int) group.Element { return g.HashToElement("test", []byte{byte(i), byte(i >> 8)}) }

// TestRFC9496: another group than the standard's, or an encoding that is not
// the canonical one.
func TestRFC9496(t *testing.T) {
	file := testmust.Have(os.Open("testdata/rfc9496.txt"))(t)
	defer file.Close()
	multiple, count := g.Identity(), map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		count[words[0]]++
		value := testmust.Have(hex.DecodeString(words[1]))(t)
		switch words[0] {
		case "multiple":
			checkMultiple(t, multiple, value, uint64(count["multiple"]-1))
			multiple = multiple.Add(g.Generator())
		case "invalid":
			_, err := g.ParseElement(value)
			testmust.Holdf(t, err != nil, "%x is accepted", value)
		case "uniform":
			got := hex.EncodeToString(group.ElementFromUniform([64]byte(value)).Bytes())
			testmust.Holdf(t, got == words[2], "element of %x: got %s, want %s", value, got, words[2])
		default:
			t.Fatalf("unknown line %q", words[0])
		}
	}
	testmust.Holdf(t, count["multiple"] == 16 && count["invalid"] == 29 && count["uniform"] == 11, "vectors read: %v", count)
}

func checkMultiple(t *testing.T, e group.Element, want []byte, n uint64) {
	t.Helper()
	parsed := testmust.Have(g.ParseElement(want))(t, "multiple", n)
	s := g.ScalarFromUint64(n)
	for _, got := range []group.Element{e, parsed, g.MulBase(s), group.Mul(s, g.Generator())} {
		testmust.Holdf(t, bytes.Equal(got.Bytes(), want) && got.Equal(parsed), "multiple %d: got %x, want %x", n, got.Bytes(), want)
	}
	_, err := g.ParseNonIdentity(want)
	testmust.Holdf(t, (err != nil) == (n == 0), "multiple %d as an element that is not the identity: %v", n, err)
}

// TestParseLengths: a decoder that takes a prefix, or panics.
func TestParseLengths(t *testing.T) {
	valid := g.Generator().Bytes()
	for _, n := range []int{0, 1, 31, 33, 64} {
		b := make([]byte, n)
		copy(b, valid)
		testmust.Fail(t, testmust.ErrorOf(g.ParseElement(b)), "element of", n, "bytes is accepted")
		testmust.Fail(t, testmust.ErrorOf(g.ParseScalar(make([]byte, n))), "scalar of", n, "bytes is accepted")
	}
}

// TestParseScalar: a scalar with two encodings, by which a proof could be
// changed without its maker.
func TestParseScalar(t *testing.T) {
	one := big.NewInt(1)
	for _, n := range []*big.Int{new(big.Int), one, new(big.Int).Sub(order, one)} {
		s, err := g.ParseScalar(little(n))
		if err != nil || integer(s).Cmp(n) != 0 {
			t.Errorf("%v: got %v, %v", n, integer(s), err)
		}
	}
	top := new(big.Int).Lsh(one, 255)
	for _, n := range []*big.Int{order, new(big.Int).Add(order, one), new(big.Int).Sub(top, one), top, new(big.Int).Sub(new(big.Int).Lsh(one, 256), one)} {
		testmust.Fail(t, testmust.ErrorOf(g.ParseScalar(little(n))), n, "is accepted as a scalar")
	}
}

// TestScalarArithmetic compares with math/big.
func TestScalarArithmetic(t *testing.T) {
	mod := func(n *big.Int) *big.Int { return n.Mod(n, order) }
	minusOne := g.ScalarFromUint64(1).Neg()
	scalars := []group.Scalar{{}, g.ScalarFromUint64(1), g.ScalarFromUint64(1<<64 - 1), minusOne, random(t), random(t)}
	for _, a := range scalars {
		for _, b := range scalars {
			x, y := integer(a), integer(b)
			for name, pair := range map[string][2]*big.Int{
				"add": {integer(a.Add(b)), mod(new(big.Int).Add(x, y))},
				"sub": {integer(a.Sub(b)), mod(new(big.Int).Sub(x, y))},
				"mul": {integer(a.Mul(b)), mod(new(big.Int).Mul(x, y))},
				"neg": {integer(a.Neg()), mod(new(big.Int).Neg(x))},
				"a":   {integer(group.SelectScalar(1, a, b)), x},
				"b":   {integer(group.SelectScalar(0, a, b)), y},
			} {
				testmust.Equal(t, pair[0].Cmp(pair[1]), 0, name, "of", x, "and", y)
			}
			testmust.Equal(t, a.Equal(b), x.Cmp(y) == 0, x, "=", y)
		}
		if !a.IsZero() && !a.Mul(a.Invert()).Equal(g.ScalarFromUint64(1)) {
			t.Errorf("%v·1/%v is not 1", integer(a), integer(a))
		}
	}
	testmust.Hold(t, (group.Scalar{}).IsZero() && !minusOne.IsZero(), "IsZero")
	wide := [64]byte(bytes.Repeat([]byte{0xff}, 64))
	want := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 512), big.NewInt(1))
	got := integer(g.ScalarFromUniform(wide))
	testmust.Holdf(t, got.Cmp(mod(want)) == 0, "reduction of 2^512 − 1: got %v, want %v", got, want)
}

// TestSelection: a constant-time selection that finds the neighbour.
func TestSelection(t *testing.T) {
	scalars := []group.Scalar{random(t), random(t), random(t)}
	places := []uint16{2, 0, 1, 1, 2}
	for i, s := range group.ScalarsAt(scalars, places) {
		testmust.Hold(t, s.Equal(scalars[places[i]]), "scalar at", places[i], "is another")
	}
	elements := []group.Element{point(0), point(1), point(2)}
	for i, want := range elements {
		testmust.Hold(t, group.ElementAt(elements, i).Equal(want), "element at", i, "is another")
		for j, e := range elements {
			got := want.EqualMask(e)
			testmust.Holdf(t, (got == 1) == (i == j) && got&^1 == 0, "EqualMask of %d and %d is %d", i, j, got)
		}
	}
}

// TestMultiplications: the fast ways against s·p by double and add.
func TestMultiplications(t *testing.T) {
	for _, n := range []int{0, 1, 2, 17, 200} {
		scalars, elements, numbers := make([]group.Scalar, n), make([]group.Element, n), make([]uint16, n)
		want, wantSmall := g.Identity(), g.Identity()
		for i := range n {
			scalars[i], elements[i], numbers[i] = random(t), point(i), uint16(7*i)%53
			want = want.Add(slowMul(scalars[i], elements[i]))
			wantSmall = wantSmall.Add(slowMul(g.ScalarFromUint64(uint64(numbers[i])), elements[i]))
		}
		for name, got := range map[string]group.Element{
			"MultiMul":        g.MultiMul(scalars, elements),
			"VartimeMultiMul": g.VartimeMultiMul(scalars, elements),
		} {
			testmust.Hold(t, got.Equal(want), name, "of", n, "differs")
		}
		testmust.Hold(t, g.SmallMultiMul(numbers, 53, elements).Equal(wantSmall), "SmallMultiMul of", n, "differs")
	}
	for _, s := range []group.Scalar{{}, g.ScalarFromUint64(1), g.ScalarFromUint64(1).Neg(), random(t)} {
		p := point(9)
		want := slowMul(s, p)
		if !group.Mul(s, p).Equal(want) || !group.NewTable(p).Mul(s).Equal(want) {
			t.Errorf("%v·p differs", integer(s))
		}
	}
}

func slowMul(s group.Scalar, p group.Element) group.Element {
	n, sum := integer(s), g.Identity()
	for i := n.BitLen() - 1; i >= 0; i-- {
		sum = sum.Add(sum)
		if n.Bit(i) == 1 {
			sum = sum.Add(p)
		}
	}
	return sum
}

// TestEncodingIsShared: an element that goroutines encode at once for the first
// time, or one whose encoding a caller can change.
func TestEncodingIsShared(t *testing.T) {
	e := point(1).Add(point(2))
	want := point(1).Add(point(2)).Bytes()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			b := e.Bytes()
			testmust.Hold(t, bytes.Equal(b, want), "encodings differ")
			clear(b)
		})
	}
	wait.Wait()
	testmust.Hold(t, bytes.Equal(e.Bytes(), want) && bytes.Equal(e.AppendTo([]byte{1})[1:], want), "a caller changed the encoding")
	parsed := testmust.Have(g.ParseElement(want))(t)
	clear(want)
	testmust.Hold(t, parsed.Equal(e) && bytes.Equal(parsed.Bytes(), e.Bytes()), "a caller changed the encoding of a parsed element")
}

// TestHashToElement: two inputs that run together, or a domain that is not
// bound.
func TestHashToElement(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range []group.Element{
		g.HashToElement("a"), g.HashToElement("a", nil), g.HashToElement("a", []byte("b")),
		g.HashToElement("ab"), g.HashToElement("a", []byte("b"), nil), g.HashToElement("a", nil, []byte("b")),
		g.HashToElement("", []byte("ab")), g.HashToElement("a", []byte("bc")), g.HashToElement("a", []byte("b"), []byte("c")),
	} {
		testmust.Holdf(t, !seen[string(e.Bytes())], "two inputs have the element %x", e.Bytes())
		seen[string(e.Bytes())] = true
	}
}

// TestParser: bytes left over, bytes missing, an identity, or a fault that is
// forgotten.
func TestParser(t *testing.T) {
	e, s := g.Generator().Bytes(), g.ScalarFromUint64(5).Bytes()
	honest := slices.Concat(e, s, s, s)
	read := func(b []byte) error {
		p := g.NewParser(b)
		p.Element()
		p.Scalar()
		p.Scalars(2)
		return p.Close()
	}
	testmust.Do(t, read(honest))
	for name, b := range map[string][]byte{
		"nothing":           nil,
		"too short":         honest[:127],
		"too long":          append(slices.Clone(honest), 0),
		"identity":          slices.Concat(make([]byte, 32), s, s, s),
		"no element":        slices.Concat(bytes.Repeat([]byte{0xff}, 32), s, s, s),
		"no scalar":         slices.Concat(e, little(order), s, s),
		"no scalar in list": slices.Concat(e, s, s, little(order)),
	} {
		testmust.Fail(t, read(b), name, "accepted")
	}
	for _, n := range []int{-1, 5, 1 << 60} {
		p := g.NewParser(honest)
		got := p.Scalars(n)
		testmust.Holdf(t, len(got) == 0 && p.Close() != nil, "%d scalars from %d bytes", n, len(honest))
	}
}
