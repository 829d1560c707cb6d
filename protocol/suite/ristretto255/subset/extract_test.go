package subset_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/rewind"
	"github.com/pakli/pakli/protocol/suite/ristretto255/subset"
)

// words puts the parts of a proof in another order: all elements, and then all responses.
func words(a subset.Answer) []byte {
	const elements = 8 * group.ElementSize // of the shuffle argument
	first := slices.Concat(masking.Encode(a.Fillers...), a.Sum.Bytes(), group.Encode(a.T1, a.T2), a.Argument[:elements])
	return a.Z.AppendTo(append(first, a.Argument[elements:]...))
}

// rewound asks a prover of a statement, with an order and fillers of its cards, for two answers.
// It returns the first and what both show.
func rewound(t *testing.T, x *masking.Secret, s subset.Statement, order []uint16, fillers []masking.Card) (first subset.Answer, line []group.Scalar) {
	t.Helper()
	line = rewind.Slopes(t, 2*len(fillers)+4+8, func(number int) ([]byte, group.Scalar) {
		a := handtest.Must(subset.ProveAgain(uint64(number), at(), s, x.Scalar(), order, fillers, rewind.Coins("prover")))
		rewind.Accepted(t, "an answer", func(b *group.Batch) {
			testmust.Do(t, a.VerifyAgain(uint64(number), at(), s, b))
		})
		first = a
		return words(a), a.C
	})
	return first, line
}

// ordered is an order of the set that the hand is the beginning of, and fillers for the rest.
func ordered(t *testing.T, x *masking.Secret, s subset.Statement) ([]uint16, []masking.Card) {
	t.Helper()
	order, ok, err := subset.Order(s, handtest.Opened(x, s.Cards), rewind.Coins("order"))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	fillers := handtest.Must(subset.Fill(s, order, rewind.Coins("fillers")))
	return order, fillers
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

// extract computes x, π and the factor of E* = Σ b_i·C_i + Enc(τ') from what two answers show.
func extract(t *testing.T, s subset.Statement, a subset.Answer, line []group.Scalar) (x group.Scalar, pi []uint16, tau group.Scalar) {
	t.Helper()
	n := len(s.Faces)
	d, b := line[:n], line[2*n-2:3*n-2]
	y, z := challengesYZ(s, a)
	for i := range d {
		pi = append(pi, rewind.Number(t, d[i].Sub(b[i]).Add(z).Mul(y.Invert()), n+1)-1)
		if !b[i].Equal(a.Powers[pi[i]]) {
			t.Errorf("b_%d is not the power of the place that A opens to", i+1)
		}
	}
	return line[3*n+2], pi, line[3*n+1]
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
				order, fillers := ordered(t, x, s)
				first, line := rewound(t, x, s, order, fillers)
				found, pi, _ := extract(t, s, first, line)
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
	order, fillers := ordered(t, x, s)
	first, line := rewound(t, x, s, order, fillers)
	_, pi, tau := extract(t, s, first, line)
	sum := masking.Card{A: group.MulBase(tau), B: group.Mul(tau, s.Key.Element())}
	for i, c := range append(slices.Clone(s.Cards), fillers...) {
		b := first.Powers[pi[i]]
		sum = masking.Card{A: sum.A.Add(group.Mul(b, c.A)), B: sum.B.Add(group.Mul(b, c.B))}
	}
	if !sum.Equal(first.Sum) {
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
