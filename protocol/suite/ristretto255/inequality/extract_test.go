package inequality_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/inequality"
	"github.com/pakli/pakli/protocol/suite/ristretto255/rewind"
)

// powers returns as many powers of alpha as there are weights.
func powers(alpha group.Scalar, s inequality.Statement) []group.Scalar {
	list := []group.Scalar{group.ScalarFromUint64(1)}
	for len(list) < len(s.Excluded)-1+len(s.Cards) {
		list = append(list, list[len(list)-1].Mul(alpha))
	}
	return list
}

// TestExtract: an accepted proof by one who does not know x, or of elements that are
// not blinded by one ρ. The extractor takes 2 transcripts: one list of V and U, one
// α, one T and two answers.
func TestExtract(t *testing.T) {
	for k := 1; k <= 6; k++ {
		for n := 1; n <= 6; n++ {
			x := handtest.Secret(t)
			s := holding(t, x, n, handtest.Faces(n, n+k)...)
			v := rewind.Scalars(t, "prover", 3)
			chosen := rewind.Scalars(t, "challenges", 3)
			weights, challenges := powers(chosen[0], s), chosen[1:]
			var first inequality.Answer
			line := rewind.Slopes(t, k+n+3, func(i int) ([]byte, group.Scalar) {
				first = inequality.ProveAt(weights, challenges[i], s, x.Scalar(), handtest.Opened(x, s.Cards), v[0], v[1], v[2])
				rewind.Accepted(t, "an answer", func(b *group.Batch) { first.Equations(b, s, weights, challenges[i]) })
				return first.Bytes(), challenges[i]
			})
			holdsFor(t, fmt.Sprint(k, " cards, ", n, " faces"), s, first, line[0], line[1])
			if found := line[1].Mul(line[0].Invert()); !found.Equal(x.Scalar()) {
				t.Errorf("%d cards, %d faces: what was extracted is not the secret", k, n)
			}
		}
	}
}

// holdsFor fails the test if ρ and σ do not show the statement: V and U are the
// excluded faces and the cards, opened by σ/ρ, times ρ.
func holdsFor(t *testing.T, name string, s inequality.Statement, a inequality.Answer, rho, sigma group.Scalar) {
	t.Helper()
	x := sigma.Mul(rho.Invert())
	if !group.MulBase(x).Equal(s.Key.Element()) {
		t.Errorf("%s: σ/ρ is not the secret of the key", name)
	}
	for i, face := range s.Excluded {
		if !group.Mul(rho, face).Equal(a.V[i]) {
			t.Errorf("%s: V_%d is not ρ·m", name, i+1)
		}
	}
	for j, c := range s.Cards {
		if !group.Mul(rho, c.B.Sub(group.Mul(x, c.A))).Equal(a.U[j]) {
			t.Errorf("%s: U_%d is not ρ·M", name, j+1)
		}
	}
}

// simulate returns the proof that V, U, challenges and responses determine.
func simulate(s inequality.Statement, weights []group.Scalar, c group.Scalar, free inequality.Answer) inequality.Answer {
	a, rest := free, append(append([]*group.Element(nil), free.V[1:]...), free.U...)
	sum, sumA := s.Sums(weights)
	a.T0 = group.Mul(a.Z1, s.Key.Element()).Sub(group.MulBase(a.Z2))
	a.T1 = group.Mul(a.Z1, s.Excluded[0]).Sub(group.Mul(c, a.V[0]))
	a.T2 = group.Mul(a.Z1, sum).Sub(group.Mul(a.Z2, sumA)).Sub(group.Mul(c, group.MultiMul(weights, rest)))
	return a
}

// TestSimulate: a proof that tells more than its V and U. Given these, α, c and the
// responses are uniform in an honest proof, and determine the rest. That V and U
// themselves are as good as random is DDH (46.4): the simulator draws them.
func TestSimulate(t *testing.T) {
	for n := 1; n <= 6; n++ {
		x := handtest.Secret(t)
		s := holding(t, x, n, handtest.Faces(n, n+3)...)
		proof := handtest.Must(prove(x, s))
		weights, c, _, _, _, err := inequality.Draw(bound(s), s, proof)
		testmust.Do(t, err)
		honest := handtest.Must(inequality.Read(proof, s))
		if !bytes.Equal(simulate(s, weights, c, honest).Bytes(), proof) {
			t.Errorf("%d faces: V, U, challenges and responses do not determine an honest proof", n)
		}

		wrong := holding(t, x, n, 0, 10, 11) // the first of them is excluded
		v := rewind.Scalars(t, "simulator", 4+n+3)
		free := inequality.Answer{Z1: v[0], Z2: v[1]}
		for i, e := range v[4:] {
			if i < n {
				free.V = append(free.V, group.MulBase(e))
			} else {
				free.U = append(free.U, group.MulBase(e))
			}
		}
		forged := simulate(wrong, powers(v[2], wrong), v[3], free)
		rewind.Accepted(t, "a simulated proof", func(b *group.Batch) { forged.Equations(b, wrong, powers(v[2], wrong), v[3]) })
		if verify(wrong, forged.Bytes()) == nil {
			t.Error("a simulated proof is accepted under the challenges of the transcript")
		}
	}
}
