package filippo_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"filippo.io/edwards25519"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/group/internal/filippo"
	"github.com/pakli/pakli/protocol/suite/group/internal/voi"
)

// both is one element in both engines.
type both struct {
	v *voi.Point
	f *filippo.Point
}

func newBoth() both { return both{new(voi.Point), new(filippo.Point)} }

// encoding returns the encoding in both engines, and fails if they differ.
func (b both) encoding(t testing.TB, what string) [32]byte {
	t.Helper()
	v, f := b.v.Encode(), b.f.Encode()
	testmust.Equal(t, v, f, what)
	return v
}

func apart(list []both) (v []*voi.Point, f []*filippo.Point) {
	for _, b := range list {
		v, f = append(v, b.v), append(f, b.f)
	}
	return v, f
}

type source struct{ *rand.ChaCha8 }

func newSource(name string) source {
	var seed [32]byte
	copy(seed[:], name)
	return source{rand.NewChaCha8(seed)}
}

func (s source) uniform() (b [64]byte) {
	s.Read(b[:])
	return b
}

// point is random, and sometimes an edge: 0, G, or a multiple of it.
func (s source) point(t testing.TB) both {
	p := newBoth()
	switch s.Uint64() % 8 {
	case 0:
		p.v.SetIdentity()
		p.f.SetIdentity()
	case 1:
		p.v.SetGenerator()
		p.f.SetGenerator()
	case 2:
		e := s.scalar(t)
		p.v.MultiplyBase(e)
		p.f.MultiplyBase(e)
	default:
		u := s.uniform()
		p.v.SetUniform(&u)
		p.f.SetUniform(&u)
	}
	return p
}

// scalar is random, and sometimes an edge: 0, 1, ℓ−1, 128 bits, or one whose
// digits carry all the way.
func (s source) scalar(t testing.TB) *edwards25519.Scalar {
	t.Helper()
	u := s.uniform()
	r := testmust.Have(new(edwards25519.Scalar).SetUniformBytes(u[:]))(t)
	var b [32]byte
	switch s.Uint64() % 8 {
	case 0:
	case 1:
		b[0] = 1
	case 2:
		b[0] = 1
		return mustScalar(t, b).Negate(mustScalar(t, b))
	case 3:
		copy(b[:16], u[:])
	case 4:
		for i := range 31 {
			b[i] = 0xff
		}
	default:
		return r
	}
	return mustScalar(t, b)
}

func mustScalar(t testing.TB, b [32]byte) *edwards25519.Scalar {
	t.Helper()
	return testmust.Have(new(edwards25519.Scalar).SetCanonicalBytes(b[:]))(t)
}

// TestOperations: an operation in which the engines differ, or one that goes
// wrong when its receiver is an argument.
func TestOperations(t *testing.T) {
	s := newSource("operations")
	for i := range 300 {
		p, q, e := s.point(t), s.point(t), s.scalar(t)
		for name, op := range map[string]func(r both){
			"add":      func(r both) { r.v.Add(p.v, q.v); r.f.Add(p.f, q.f) },
			"double":   func(r both) { r.v.Add(p.v, p.v); r.f.Add(p.f, p.f) },
			"subtract": func(r both) { r.v.Subtract(p.v, q.v); r.f.Subtract(p.f, q.f) },
			"multiply": func(r both) { r.v.Multiply(e, p.v); r.f.Multiply(e, p.f) },
			"base":     func(r both) { r.v.MultiplyBase(e); r.f.MultiplyBase(e) },
			"table":    func(r both) { voi.NewTable(p.v).Multiply(r.v, e); filippo.NewTable(p.f).Multiply(r.f, e) },
		} {
			r := newBoth()
			op(r)
			want := r.encoding(t, name)
			if again := newBoth(); !again.v.Decode(&want) || !again.f.Decode(&want) || again.v.Equal(r.v)&again.f.Equal(r.f) != 1 {
				t.Errorf("%s: encoding %x is refused or is another element", name, want)
			}
		}
		testmust.Equal(t, p.v.Equal(q.v), p.f.Equal(q.f), "case", i, "equal")
		sum := newBoth()
		sum.v.Add(p.v, q.v)
		p.v.Add(p.v, q.v)
		p.f.Add(p.f, q.f)
		testmust.Equal(t, p.encoding(t, "add in place"), sum.v.Encode(), "case", i, "add in place differs")
	}
}

// TestSums: around every size at which the method or the width of the windows
// changes, with equal points, opposite points and repeated scalars.
func TestSums(t *testing.T) {
	s := newSource("sums")
	sizes := []int{0, 1, 2, 3, 40, 150, 255, 256, 257, 300, 511, 512, 1100}
	if testing.Short() {
		sizes = sizes[:9]
	}
	for _, n := range sizes {
		list, scalars, numbers := make([]both, n), make([]*edwards25519.Scalar, n), make([]uint16, n)
		for i := range list {
			list[i], scalars[i], numbers[i] = s.point(t), s.scalar(t), uint16(s.Uint64())>>(i%12)
			if i%5 == 4 {
				list[i], scalars[i] = list[i-1], new(edwards25519.Scalar).Negate(scalars[i-1])
			}
		}
		v, f := apart(list)
		sum, vartime, small := newBoth(), newBoth(), newBoth()
		sum.v.MultiMultiply(scalars, v)
		sum.f.MultiMultiply(scalars, f)
		vartime.v.VartimeMultiMultiply(scalars, v)
		vartime.f.VartimeMultiMultiply(scalars, f)
		testmust.Equal(t, sum.encoding(t, fmt.Sprint("sum of ", n)), vartime.encoding(t, fmt.Sprint("variable-time sum of ", n)), "sums of", n, "differ")
		small.v.SmallMultiMultiply(numbers, 65535, v)
		small.f.SmallMultiMultiply(numbers, 65535, f)
		small.encoding(t, fmt.Sprint("small sum of ", n))
		for i := range min(n, 3) {
			at := newBoth()
			at.v.Choose(v, nil, i)
			at.f.Choose(f, func(j int) *[32]byte { e := v[j].Encode(); return &e }, i)
			testmust.Equal(t, at.encoding(t, "choose"), v[i].Encode(), "choose", i, "of", n, "another point")
		}
	}
}

// FuzzEngines: bytes that one engine takes for an element and the other does
// not, or a scalar and an element whose product differs.
func FuzzEngines(f *testing.F) {
	g := new(voi.Point)
	g.SetGenerator()
	e := g.Encode()
	f.Add(e[:], e[:])
	f.Add(make([]byte, 32), make([]byte, 32))
	f.Add([]byte(strings.Repeat("\xff", 32)), e[:])
	text := testmust.Have(os.ReadFile("../../testdata/rfc9496.txt"))(f)
	for line := range strings.Lines(string(text)) { // package group has what they must be
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			value := testmust.Have(hex.DecodeString(words[1]))(f)
			f.Add(value[:32], value)
		}
	}
	f.Fuzz(func(t *testing.T, encoding, uniform []byte) {
		if len(encoding) != 32 {
			return
		}
		p, b := newBoth(), [32]byte(encoding)
		v, f := p.v.Decode(&b), p.f.Decode(&b)
		testmust.Requiref(t, v == f, "%x is accepted: %v and %v", b, v, f)
		var wide [64]byte
		copy(wide[:], uniform)
		s, _ := new(edwards25519.Scalar).SetUniformBytes(wide[:])
		if !v {
			p.v.SetUniform(&wide)
			p.f.SetUniform(&wide)
		} else if p.encoding(t, "decoded") != b {
			t.Errorf("%x is not what it encodes as", b)
		}
		product := newBoth()
		product.v.Multiply(s, p.v)
		product.f.Multiply(s, p.f)
		product.encoding(t, "product")
	})
}
