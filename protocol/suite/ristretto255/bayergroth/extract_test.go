package bayergroth_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/rewind"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/transcript"
)

// tree are accepted proofs with one A: for each of N values of x one of y and z,
// and two of c.
type tree []branch

type branch struct {
	x, y, z group.Scalar
	c       []group.Scalar
	answers []bayergroth.Answer
}

// grow rewinds a prover. It fails the test if he answers with other first words
// than before, or is refused.
func grow(t *testing.T, s shuffle.Statement, prove func(bayergroth.Challenges) (bayergroth.Answer, error)) tree {
	t.Helper()
	n := len(s.In)
	v := rewind.Scalars(t, "challenges", 5*n)
	var grown tree
	for i := range n {
		b := branch{x: v[5*i], y: v[5*i+1], z: v[5*i+2], c: v[5*i+3 : 5*i+5]}
		for _, c := range b.c {
			at := bayergroth.Challenges{X: b.x, Y: b.y, Z: b.z, C: c}
			answer, err := prove(at)
			if err != nil {
				t.Fatal(err)
			}
			rewind.Accepted(t, "an answer", func(batch *group.Batch) { answer.Equations(batch, at, s) })
			b.answers = append(b.answers, answer)
		}
		sameWords(t, b.answers[0], b.answers[1])
		grown = append(grown, b)
		if !grown[0].answers[0].A.Equal(b.answers[0].A) {
			t.Fatal("A depends on x")
		}
	}
	return grown
}

func sameWords(t *testing.T, a, b bayergroth.Answer) {
	t.Helper()
	a.Product, a.Partial, a.F, a.R, a.S, a.RF, a.TauF = b.Product, b.Partial, b.F, b.R, b.S, b.RF, b.TauF
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Fatal("first words depend on c")
	}
}

// opened are the vectors that two answers show to be committed to, and the factor
// in the combination of cards: f = c·b + a, ã = c·d + d', τ_f = τ − c·factor.
func (b branch) opened(t *testing.T) (powers, d []group.Scalar, factor group.Scalar) {
	t.Helper()
	line := func(of func(bayergroth.Answer) []group.Scalar) []group.Scalar {
		return rewind.Polynomials(t, b.c, [][]group.Scalar{of(b.answers[0]), of(b.answers[1])})[1]
	}
	powers = line(func(a bayergroth.Answer) []group.Scalar { return a.F })
	d = line(func(a bayergroth.Answer) []group.Scalar { return a.Product })
	tau := line(func(a bayergroth.Answer) []group.Scalar { return []group.Scalar{a.TauF} })
	return powers, d, tau[0].Neg()
}

// permutation returns π, which A opens to: d_i = y·π(i) + b_i − z.
func (b branch) permutation(t *testing.T) []uint16 {
	t.Helper()
	powers, d, _ := b.opened(t)
	var pi []uint16
	for i := range d {
		pi = append(pi, rewind.Number(t, d[i].Sub(powers[i]).Add(b.z).Mul(b.y.Invert()), len(d)+1)-1)
	}
	return pi
}

// extract computes a witness from a tree of 2·N proofs: π from any branch, and ρ
// from all, since Σ_i ρ_i·x^π(i) is known for N values of x.
func extract(t *testing.T, grown tree) masking.Opening {
	t.Helper()
	var matrix [][]group.Scalar
	var factors []group.Scalar
	pi := grown[0].permutation(t)
	for _, b := range grown {
		if other := b.permutation(t); !slices.Equal(other, pi) {
			t.Fatalf("A opens to %v and to %v", pi, other)
		}
		powers, _, factor := b.opened(t)
		matrix, factors = append(matrix, powers), append(factors, factor)
	}
	return masking.Opening{Permutation: pi, Factors: rewind.Solve(t, matrix, factors)}
}

// TestExtract: an accepted proof by one who knows no shuffle. The extractor takes
// 2·N transcripts: N values of x, one of (y, z) and two of c.
func TestExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			k := handtest.Secret(t).Key()
			for _, in := range [][]masking.Card{shuffletest.Open(n), shuffletest.Masked(t, k, n)} {
				order, err := masking.Permutation(n, rewind.Coins(fmt.Sprint("order", n)))
				if err != nil {
					t.Fatal(err)
				}
				o := shuffletest.Opening(t, order...)
				s := shuffletest.By(k, in, o)
				grown := grow(t, s, func(c bayergroth.Challenges) (bayergroth.Answer, error) {
					return bayergroth.ProveAt(c, s, o, rewind.Coins("prover"))
				})
				if 2*len(grown) != 2*n {
					t.Fatalf("a tree of %d proofs", 2*len(grown))
				}
				found := extract(t, grown)
				if !slices.Equal(found.Permutation, o.Permutation) || !slices.EqualFunc(found.Factors, o.Factors, group.Scalar.Equal) {
					t.Errorf("extracted %v, want %v", found, o)
				}
			}
		})
	}
}

// TestProduct: d_i that two answers open, and whose product is not P. The polynomial
// q_N(c) = c^(N−1)·b̃_N is of degree N, its leading coefficient is Π d_i, and
// b̃_N = c·P: N + 1 answers with one (x, y, z) would show Π d_i = P, and if it is not,
// at most N values of c have an answer. So the tree above is all that the witness
// needs, and N/ℓ is what it leaves to chance.
func TestProduct(t *testing.T) {
	const n = 4
	k := handtest.Secret(t).Key()
	o := shuffletest.Opening(t, 2, 0, 3, 1)
	s := shuffletest.By(k, shuffletest.Masked(t, k, n), o)
	v := rewind.Scalars(t, "challenges", 3+n+1)
	challenges := v[3:]
	var values []group.Scalar
	var answers [][]group.Scalar
	for _, c := range challenges {
		at := bayergroth.Challenges{X: v[0], Y: v[1], Z: v[2], C: c}
		answer, err := bayergroth.ProveAt(at, s, o, rewind.Coins("prover"))
		if err != nil {
			t.Fatal(err)
		}
		q := answer.Products(at)[n-1]
		for range n - 1 {
			q = q.Mul(c)
		}
		values, answers = append(values, q), append(answers, answer.Product)
	}
	d := rewind.Polynomials(t, challenges[:2], answers[:2])[1]
	product := group.ScalarFromUint64(1)
	for _, factor := range d {
		product = product.Mul(factor)
	}
	q := rewind.Polynomial(t, challenges, values)
	if !q[n].Equal(product) {
		t.Error("the leading coefficient is not the product")
	}
	for i, c := range q[:n] {
		if !c.IsZero() {
			t.Errorf("q_N has a coefficient at c^%d", i)
		}
	}
}

// sumOf returns Σ x^i·e_i.
func sumOf(c bayergroth.Challenges, s shuffle.Statement) masking.Card {
	var powers []group.Scalar
	for x := c.X; len(powers) < len(s.In); x = x.Mul(c.X) {
		powers = append(powers, x)
	}
	return shuffle.Statement{Key: s.Key, Out: s.In}.Combine(powers, group.Scalar{})
}

// simulate returns the proof that challenges, responses, A, B and C_Δ determine,
// with sum in place of Σ x^i·e_i.
func simulate(c bayergroth.Challenges, s shuffle.Statement, sum masking.Card, free bayergroth.Answer) bayergroth.Answer {
	a, g, n := free, shuffle.Generators(), len(s.Out)
	times := func(e *group.Element) *group.Element { return group.Mul(c.C, e) }
	com := func(v []group.Scalar, r group.Scalar) *group.Element {
		return group.MultiMul(append([]group.Scalar{r}, v...), g[:len(v)+1])
	}
	minusZ := slices.Repeat([]group.Scalar{c.Z.Neg()}, n)
	d := group.Mul(c.Y, a.A).Add(a.B).Add(com(minusZ, group.Scalar{}))
	full, opening := a.Products(c), make([]group.Scalar, n-1)
	for i := range opening {
		opening[i] = c.C.Mul(full[i+1]).Sub(full[i].Mul(a.Product[i+1]))
	}
	a.Cd = com(a.Product, a.R).Sub(times(d))
	a.Cdelta = com(opening, a.S).Sub(times(a.CDelta))
	a.C0 = com(a.F, a.RF).Sub(times(a.B))
	after := s.Combine(a.F, a.TauF)
	a.E = masking.Card{A: after.A.Sub(times(sum.A)), B: after.B.Sub(times(sum.B))}
	return a
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof
// responses, A, B and C_Δ are uniform; they and the challenges determine the rest.
func TestSimulate(t *testing.T) {
	for n := 2; n <= 6; n++ {
		s, o := shuffletest.Shuffled(t, n)
		proof := shuffletest.Prove(t, bayergroth.Prover{}, s, o)
		c, err := bayergroth.ChallengesOf(transcript.New(shuffletest.At(0), bayergroth.Labelled(s)), proof, n)
		if err != nil {
			t.Fatal(err)
		}
		honest, err := bayergroth.Read(proof, n)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(simulate(c, s, sumOf(c, s), honest).Bytes(), proof) {
			t.Errorf("%d cards: challenges, responses, A, B and C_Δ do not determine an honest proof", n)
		}
		forgeFalse(t, s)
	}
}

// forgeFalse simulates a proof that one card is there twice.
func forgeFalse(t *testing.T, s shuffle.Statement) {
	t.Helper()
	n := len(s.In)
	s = shuffletest.Twice(t, s)
	c, free := random(t, n)
	forged := simulate(c, s, sumOf(c, s), free)
	rewind.Accepted(t, "a simulated proof", func(b *group.Batch) { forged.Equations(b, c, s) })
	if check(s, forged.Bytes()) == nil {
		t.Error("a simulated proof is accepted under the challenges of the transcript")
	}
}

// random returns what a simulator draws.
func random(t *testing.T, n int) (bayergroth.Challenges, bayergroth.Answer) {
	t.Helper()
	v := rewind.Scalars(t, "simulator", 9+3*n)
	return bayergroth.Challenges{X: v[0], Y: v[1], Z: v[2], C: v[3]}, bayergroth.Answer{
		A: group.MulBase(v[4]), B: group.MulBase(v[5]), CDelta: group.MulBase(v[6]),
		R: v[7], S: v[8], RF: v[9], TauF: v[10],
		Product: v[11 : 11+n], F: v[11+n : 11+2*n], Partial: v[11+2*n:],
	}
}

// TestSimulateSum: the same for the argument with a hidden sum, of which subsets are
// proved; the sum masks what the simulator likes.
func TestSimulateSum(t *testing.T) {
	for n := 2; n <= 6; n++ {
		k := handtest.Secret(t).Key()
		cards, sum := shuffletest.Masked(t, k, n), shuffletest.Masked(t, k, 1+n)[n]
		c, free := random(t, n)
		s := shuffle.Statement{Key: k, Out: cards}
		forged := simulate(c, s, sum, free)
		rewind.Accepted(t, "a simulated proof", func(b *group.Batch) { forged.EquationsOfSum(b, c, s, sum) })
		tr := transcript.New(shuffletest.At(0), bayergroth.Labelled(shuffle.Statement{Key: k, In: cards, Out: cards}))
		var b group.Batch
		if _, _, err := bayergroth.VerifySum(tr, k, cards, sum, forged.Bytes(), &b, func() {}); err != nil || b.Check(rand.Reader) == nil {
			t.Errorf("a simulated proof is accepted under the challenges of the transcript (%v)", err)
		}
	}
}
