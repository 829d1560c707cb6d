package subset_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/rewind"
	"github.com/pakli/pakli/protocol/suite/ristretto255/subset"
)

// argument are the responses of the shuffle argument that an extractor needs: ã, f
// and τ_f.
type argument struct {
	product, f []group.Scalar
	tau        group.Scalar
}

func read(t *testing.T, bytes []byte, n int) argument {
	t.Helper()
	p := group.NewParser(bytes[32*8:])
	a := argument{product: p.Scalars(n)}
	p.Scalars(n - 2)
	a.f = p.Scalars(n)
	a.tau = p.Scalars(4)[3]
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return a
}

// challengesYZ draws y and z as the argument does.
func challengesYZ(s subset.Statement, a subset.Answer) (y, z group.Scalar) {
	tr := at()
	tr.Part(s)
	tr.Append("fillers", masking.Encode(a.Fillers...))
	tr.Append("A", a.Argument[:32])
	tr.Challenge("x")
	tr.Append("B", a.Argument[32:64])
	return group.ScalarFromUniform(tr.Challenge("y")), group.ScalarFromUniform(tr.Challenge("z"))
}

// extract computes x, π and the factor of E* = Σ b_i·C_i + Enc(τ') from two answers.
func extract(t *testing.T, s subset.Statement, answers []subset.Answer) (x group.Scalar, pi []uint16, tau group.Scalar) {
	t.Helper()
	n := len(s.Faces)
	var c []group.Scalar
	var values [][]group.Scalar
	for _, a := range answers {
		responses := read(t, a.Argument, n)
		c = append(c, a.C)
		values = append(values, slices.Concat(responses.product, responses.f, []group.Scalar{responses.tau, a.Z}))
	}
	line := rewind.Polynomials(t, c, values)[1]
	d, b := line[:n], line[n:2*n]
	y, z := challengesYZ(s, answers[0])
	for i := range d {
		pi = append(pi, rewind.Number(t, d[i].Sub(b[i]).Add(z).Mul(y.Invert()), n+1)-1)
		if !b[i].Equal(answers[0].Powers[pi[i]]) {
			t.Errorf("b_%d is not the power of the place that A opens to", i+1)
		}
	}
	return line[2*n+1], pi, line[2*n]
}

// TestExtract: an accepted proof by one who does not know x, or whose cards are not
// those of the set in some order. The extractor takes 2 transcripts: π is what A opens
// to, and no factor of a card is needed, so that one χ is enough.
func TestExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for k := 1; k <= n; k++ {
			t.Run(fmt.Sprint(k, " in ", n), func(t *testing.T) {
				x := handtest.Secret(t)
				s := holding(t, x, n, handtest.Faces(n-k, n)...)
				order, ok, err := subset.Order(s, handtest.Opened(x, s.Cards), rewind.Coins("order"))
				if err != nil || !ok {
					t.Fatal(ok, err)
				}
				fillers, err := subset.Fill(s, order, rewind.Coins("fillers"))
				if err != nil {
					t.Fatal(err)
				}
				var answers []subset.Answer
				for number := range uint64(2) {
					a, err := subset.ProveAgain(number, at(), s, x.Scalar(), order, fillers, rewind.Coins("prover"))
					if err != nil {
						t.Fatal(err)
					}
					rewind.Accepted(t, "an answer", func(b *group.Batch) {
						if err := a.VerifyAgain(number, at(), s, b); err != nil {
							t.Fatal(err)
						}
					})
					answers = append(answers, a)
				}
				first, second := answers[0], answers[1]
				if !bytes.Equal(first.Argument[:32*8], second.Argument[:32*8]) || !first.T1.Equal(second.T1) || first.C.Equal(second.C) {
					t.Fatal("first words depend on c")
				}
				found, pi, _ := extract(t, s, answers)
				if !found.Equal(x.Scalar()) || !slices.Equal(pi, order) {
					t.Errorf("extracted the secret: %v; the order %v, want %v", found.Equal(x.Scalar()), pi, order)
				}
				for i, c := range append(slices.Clone(s.Cards), fillers...) {
					if !c.B.Sub(group.Mul(found, c.A)).Equal(s.Faces[pi[i]]) {
						t.Errorf("card %d has not face %d of the set", i, pi[i])
					}
				}
			})
		}
	}
}

// TestSumIsOpened: E* is what the extracted factor says, so that opening it opens
// Σ b_i·M_i.
func TestSumIsOpened(t *testing.T) {
	const n = 4
	x := handtest.Secret(t)
	s := holding(t, x, n, 3, 1)
	order, _, err := subset.Order(s, handtest.Opened(x, s.Cards), rewind.Coins("order"))
	if err != nil {
		t.Fatal(err)
	}
	fillers, err := subset.Fill(s, order, rewind.Coins("fillers"))
	if err != nil {
		t.Fatal(err)
	}
	var answers []subset.Answer
	for number := range uint64(2) {
		a, err := subset.ProveAgain(number, at(), s, x.Scalar(), order, fillers, rewind.Coins("prover"))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	_, pi, tau := extract(t, s, answers)
	sum := masking.Card{A: group.MulBase(tau), B: group.Mul(tau, s.Key.Element())}
	for i, c := range append(slices.Clone(s.Cards), fillers...) {
		b := answers[0].Powers[pi[i]]
		sum = masking.Card{A: sum.A.Add(group.Mul(b, c.A)), B: sum.B.Add(group.Mul(b, c.B))}
	}
	if !sum.Equal(answers[0].Sum) {
		t.Error("E* is not Σ b_i·C_i + Enc(τ')")
	}
}

// TestSimulate: an opening of E* that tells more than that it is one. E_A, c and z are
// uniform in an honest proof, and determine the rest with χ. The argument beside it is
// simulated in package bayergroth (TestSimulateSum), and fillers are hidden by DDH.
func TestSimulate(t *testing.T) {
	for n := 2; n <= 6; n++ {
		x := handtest.Secret(t)
		s := holding(t, x, n, 20) // is not in the set
		v := rewind.Scalars(t, "simulator", 3+n)
		e, c, z, powers := v[0], v[1], v[2], v[3:]
		sum := masking.Card{A: group.MulBase(e), B: group.Mul(e, s.Key.Element()).Add(group.MultiMul(powers, s.Faces))}
		t1 := group.MulBase(z).Sub(group.Mul(c, s.Key.Element()))
		t2 := group.Mul(z, sum.A).Sub(group.Mul(c.Mul(e), s.Key.Element()))
		rewind.Accepted(t, "a simulated opening", func(b *group.Batch) { subset.Opens(s, b, powers, c, sum, t1, t2, z) })
		rewind.Refused(t, "the opening of another sum", func(b *group.Batch) {
			other := masking.Card{A: sum.A, B: sum.B.Add(group.Generator())}
			subset.Opens(s, b, powers, c, other, t1, t2, z)
		})
	}
}
