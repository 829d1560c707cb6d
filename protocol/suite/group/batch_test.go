package group_test

import (
	"crypto/rand"
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/group"
)

// zeros is a random source that is broken, and that everybody knows.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// dry is a random source that has run out.
type dry struct{}

var errDry = errors.New("no randomness left")

func (dry) Read([]byte) (int, error) { return 0, errDry }

// equation is s·P − Q = 0 with Q = s·P + wrong.
func equation(t testing.TB, i int, wrong group.Element) []group.Term {
	s, p := random(t), point(i)
	return []group.Term{{S: s, P: p}, group.Minus(group.Mul(s, p).Add(wrong))}
}

func blamed(err error) (uint64, bool) {
	var wrong *group.EquationError
	if errors.As(err, &wrong) {
		return wrong.Labels[0], true
	}
	return 0, false
}

// TestBatchNamesTheWrong: for every place of one or two wrong equations, and
// several equations under one label.
func TestBatchNamesTheWrong(t *testing.T) {
	base := g.Generator()
	for n := 1; n <= 9; n++ {
		for first := range n {
			for _, second := range []int{first, n - 1} {
				var b group.Batch
				for i := range n {
					b.Label(uint64(10 + i))
					for j := range 1 + i%3 {
						wrong := g.Identity()
						if (i == first || i == second) && j == i%3 {
							wrong = base
						}
						b.Add(equation(t, 3*i+j, wrong)...)
					}
				}
				want := slices.Compact([]uint64{uint64(10 + first), uint64(10 + second)})
				got, ok := errors.AsType[*group.EquationError](b.Check(rand.Reader))
				testmust.Holdf(t, ok && slices.Equal(got.Labels, want), "%d labels, %d wrong: blames %v", n, want, got)
				err := b.Check(rand.Reader)
				testmust.Holdf(t, err == nil && b.Len() == 0, "batch is not emptied: %v", err)
			}
		}
	}
}

// TestKnownWeights: who knows the weights makes two wrong equations whose
// errors cancel: w_1·(w_2·E) + w_2·(−w_1·E) = 0.
func TestKnownWeights(t *testing.T) {
	known := []group.Scalar{random(t), random(t)}
	e := g.HashToElement("error")
	wrong := func(w []group.Scalar) *group.Batch {
		b := new(group.Batch)
		b.Label(1)
		b.Add(equation(t, 1, group.Mul(w[1], e))...)
		b.Label(2)
		b.Add(equation(t, 2, group.Mul(w[0].Neg(), e))...)
		return b
	}
	testmust.Require(t, group.HoldsWith(wrong(known), known), "the attack is built wrong: it fails under weights that are known")
	got, ok := blamed(wrong(known).Check(rand.Reader))
	testmust.Holdf(t, ok && got == 1, "two errors that cancel under known weights: blames %d (%v)", got, ok)
	// Even a random source that everybody knows gives weights that depend on the
	// equations: the errors made for one batch's weights change them.
	before := wrong(known)
	weights := testmust.Have(group.Weights(before, zeros{}))(t)
	got, ok = blamed(wrong(weights).Check(zeros{}))
	testmust.Holdf(t, ok && got == 1, "two errors that cancel under a broken random source: blames %d (%v)", got, ok)
}

// TestReusedWeights: a batch that is checked twice with the same weights tells
// a forger who saw the verdict what they were.
func TestReusedWeights(t *testing.T) {
	var b group.Batch
	for i := range 40 {
		b.Add(equation(t, i, g.Identity())...)
	}
	seen := map[string]bool{}
	for range 2 {
		weights := testmust.Have(group.Weights(&b, rand.Reader))(t)
		for i, w := range weights {
			encoded := w.Bytes()
			testmust.Holdf(t, !seen[string(encoded)], "weight %d was drawn before", i)
			seen[string(encoded)] = true
		}
	}
	// 128 bits: of 80 weights, one or more has each of the highest bits, and none
	// has a higher one.
	var union [32]byte
	for w := range seen {
		for i := range union {
			union[i] |= w[i]
		}
	}
	for i, u := range union {
		testmust.Holdf(t, (i >= 16 || u == 0xff) && (i < 16 || u == 0), "byte %d of all weights together is %02x", i, u)
	}
}

// TestWeightsDependOnAll: a part of an equation that does not reach the weights
// could be fitted to them.
func TestWeightsDependOnAll(t *testing.T) {
	s := random(t)
	draw := func(equations ...[]group.Term) string {
		var b group.Batch
		for _, e := range equations {
			b.Add(e...)
		}
		weights := testmust.Have(group.Weights(&b, zeros{}))(t)
		return string(weights[0].Bytes())
	}
	p, q := group.Term{S: s, P: point(1)}, group.Term{S: s, P: point(2)}
	seen := map[string]bool{}
	for i, w := range []string{
		draw([]group.Term{p, q}), draw([]group.Term{q, p}), draw([]group.Term{p}), draw([]group.Term{p}, []group.Term{q}),
		draw([]group.Term{p}, []group.Term{q}, nil), draw([]group.Term{p, {S: s.Neg(), P: q.P}}), draw([]group.Term{p, q}, []group.Term{p}),
	} {
		testmust.Holdf(t, !seen[w], "batch %d has the weights of another", i)
		seen[w] = true
	}
}

// TestCannotCheck: a broken random source is reported as such, and is no
// verdict on anybody.
func TestCannotCheck(t *testing.T) {
	var b group.Batch
	b.Add(equation(t, 1, g.Generator())...)
	err := b.Check(dry{})
	_, ok := blamed(err)
	testmust.Holdf(t, !ok && errors.Is(err, errDry), "got %v, want %v", err, errDry)
}

// TestMerging: equal elements are multiplied once, whether they are one value
// or two of one encoding; different ones never merge.
func TestMerging(t *testing.T) {
	var b group.Batch
	again := testmust.Have(g.ParseElement(point(1).Bytes()))(t)
	s := random(t)
	b.Add(group.Term{S: s, P: point(1)}, group.Term{S: s.Neg(), P: again})
	b.Add(group.Term{S: s, P: point(2)}, group.Term{S: s.Neg(), P: g.Identity().Add(point(2))})
	testmust.Equal(t, group.Merged(&b), 2, "elements")
	testmust.Do(t, b.Check(rand.Reader))
}

// TestEmptyEquation: 0 = 0 holds, alone and between others.
func TestEmptyEquation(t *testing.T) {
	var b group.Batch
	b.Add()
	b.Add(equation(t, 1, g.Identity())...)
	b.Add()
	testmust.Do(t, b.Check(rand.Reader))
}

// counted counts the reads of a random source: one for each multiplication.
type counted int

func (c *counted) Read(b []byte) (int, error) { *c++; return rand.Read(b) }

// TestManyWrong: a batch in which everything is wrong is searched one by one,
// each time from the beginning, and stops whoever checks it.
func TestManyWrong(t *testing.T) {
	const n = 64
	var b group.Batch
	for i := range n {
		b.Label(uint64(i))
		b.Add(equation(t, i, g.Generator())...)
	}
	var checks counted
	got, ok := errors.AsType[*group.EquationError](b.Check(&checks))
	testmust.Requiref(t, ok && len(got.Labels) == n, "%d labels, all wrong: blames %v", n, got)
	testmust.Hold(t, checks <= 2*n, checks, "checks for", n, "labels, want at most two for each")
}
