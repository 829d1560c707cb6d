package subset_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/rewind"
	"github.com/pakli/pakli/protocol/suite/ristretto255/subset"
)

// TestExtract: an accepted proof by one who does not know x, or whose cards are not those of the set in some
// order. The extractor takes 2 transcripts with the same first words. Of the shuffle in it π and b are extracted
// as in package bayergroth, whose equations these are.
func TestExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for k := 1; k <= n; k++ {
			x := handtest.Secret(t)
			s := holding(t, x, n, handtest.Faces(n-k, n)...)
			order, ok, err := subset.Order(s, handtest.Opened(x, s.Cards), rewind.Coins("order"))
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			fillers := handtest.Must(subset.Fill(s, order, rewind.Coins("fillers")))
			var words [2][]byte
			var c, z []group.Scalar
			for i := range words {
				a := handtest.Must(subset.ProveAgain(uint64(i), at(), s, x.Scalar(), order, fillers, rewind.Coins("prover")))
				rewind.Accepted(t, "an answer", func(b *group.Batch) { testmust.Do(t, a.VerifyAgain(uint64(i), at(), s, b)) })
				words[i] = slices.Concat(masking.Encode(append(a.Fillers, a.Sum)...), group.Encode(a.T1, a.T2), a.Argument[:8*group.ElementSize])
				c, z = append(c, a.C), append(z, a.Z)
			}
			if !bytes.Equal(words[0], words[1]) {
				t.Fatal("first words depend on the last challenge")
			}
			found := rewind.Polynomial(t, c, z)[1]
			if !found.Equal(x.Scalar()) {
				t.Errorf("%d in %d: what was extracted is not the secret", k, n)
			}
			for i, card := range append(slices.Clone(s.Cards), fillers...) {
				if !card.B.Sub(group.Mul(found, card.A)).Equal(s.Faces[order[i]]) {
					t.Errorf("%d in %d: card %d has not face %d of the set", k, n, i, order[i])
				}
			}
		}
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
