package group_test

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
)

var sink any

func BenchmarkMul(b *testing.B) {
	s, _ := group.RandomScalar(rand.Reader)
	p := group.HashToElement("bench")
	for b.Loop() {
		sink = group.Mul(s, p)
	}
}

func BenchmarkMulBase(b *testing.B) {
	s, _ := group.RandomScalar(rand.Reader)
	for b.Loop() {
		sink = group.MulBase(s)
	}
}

func BenchmarkTable(b *testing.B) {
	s, _ := group.RandomScalar(rand.Reader)
	p := group.HashToElement("bench")
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			sink = group.NewTable(p)
		}
	})
	b.Run("mul", func(b *testing.B) {
		t := group.NewTable(p)
		for b.Loop() {
			sink = t.Mul(s)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	p := group.HashToElement("bench")
	q := group.Identity()
	for b.Loop() {
		sink = p.Add(q).Bytes()
	}
}

func BenchmarkParse(b *testing.B) {
	e := group.HashToElement("bench").Bytes()
	for b.Loop() {
		sink, _ = group.ParseElement(e)
	}
}

func BenchmarkScalar(b *testing.B) {
	s, _ := group.RandomScalar(rand.Reader)
	t, _ := group.RandomScalar(rand.Reader)
	b.Run("mul", func(b *testing.B) {
		for b.Loop() {
			s = s.Mul(t)
		}
	})
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			s = s.Add(t)
		}
	})
	b.Run("invert", func(b *testing.B) {
		for b.Loop() {
			s = s.Invert()
		}
	})
	sink = s
}

func BenchmarkElementAt(b *testing.B) {
	ps := make([]*group.Element, 42)
	for i := range ps {
		ps[i] = group.HashToElement("bench", []byte{byte(i)})
	}
	for b.Loop() {
		sink = group.ElementAt(ps, 7)
	}
}
