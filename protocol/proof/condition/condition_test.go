package condition_test

import (
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/group/grouptest"
	"github.com/pakli/pakli/protocol/masking"
	"github.com/pakli/pakli/protocol/proof/condition"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/transcript"
)

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "play", 0).Slot(0)

func secret(t testing.TB) *masking.Secret {
	t.Helper()
	x, err := masking.NewSecret(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func deck(t testing.TB, name string, n int) *masking.Deck {
	t.Helper()
	faces := make([]string, n)
	for i := range faces {
		faces[i] = fmt.Sprint("face ", i)
	}
	d, err := card.NewDeck(name, faces)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := masking.NewDeck(d)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// holding is a statement over cards of these faces, held by x.
func holding(t testing.TB, x *masking.Secret, d *masking.Deck, set card.Set, min, max int, faces ...card.Face) condition.Statement {
	t.Helper()
	s := condition.Statement{Key: x.Key(), Deck: d, Set: set, Min: min, Max: max}
	for _, f := range faces {
		c, _, err := masking.Mask(x.Key(), d.Element(f), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		s.Cards = append(s.Cards, c)
	}
	return s
}

// TestFalseClaim: a prover who says that cards are in the set that are not, and
// runs the honest algorithm.
func TestFalseClaim(t *testing.T) {
	x, d := secret(t), deck(t, "test", 8)
	for _, s := range []condition.Statement{
		holding(t, x, d, card.SetOf(0), 1, 1, 1),
		holding(t, x, d, card.SetOf(0, 1), 1, 2, 2, 3),
		holding(t, x, d, card.SetOf(0, 1), 2, 2, 0, 3), // one of two
		holding(t, x, d, card.SetOf(0), 0, 0, 0),
		holding(t, x, d, card.SetOf(0, 1, 2), 0, 1, 0, 1, 5),
		holding(t, x, d, card.SetOf(0, 1, 2), 1, 2, 0, 1, 2),
	} {
		proof, err := condition.Claim(transcript.New(here, s), s, x.Scalar(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if len(proof) != s.Size() {
			t.Fatalf("the attack is built wrong: %d bytes, want %d", len(proof), s.Size())
		}
		if condition.Verify(here, s, proof) == nil {
			t.Errorf("%d..%d of %d cards: false claim is accepted", s.Min, s.Max, len(s.Cards))
		}
	}
	// The claim is accepted where it is true, so the attack is built right.
	s := holding(t, x, d, card.SetOf(4, 5), 1, 2, 4, 7)
	proof, err := condition.Claim(transcript.New(here, s), s, x.Scalar(), rand.Reader)
	if err != nil || condition.Verify(here, s, proof) != nil {
		t.Errorf("true claim is refused: %v", err)
	}
}

// TestForeignCard: a card under another key, whose face is right for its own
// holder.
func TestForeignCard(t *testing.T) {
	x, y, d := secret(t), secret(t), deck(t, "test", 8)
	s := holding(t, y, d, card.SetOf(3), 1, 1, 3)
	s.Key = x.Key()
	for _, witness := range []group.Scalar{x.Scalar(), y.Scalar()} {
		proof, err := condition.Claim(transcript.New(here, s), s, witness, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if condition.Verify(here, s, proof) == nil {
			t.Error("condition on another seat's card is accepted")
		}
	}
}

// cardless is the statement as a weak transform would hash it.
type cardless struct{ condition.Statement }

func (cardless) AppendTo(*transcript.Binder) {}

// TestCardAfterChallenge: if the cards are left out of the hash, a forger
// computes one for a challenge drawn before: B = M + (z·A − T2)/c.
func TestCardAfterChallenge(t *testing.T) {
	x, d := secret(t), deck(t, "test", 8)
	s := holding(t, x, d, card.SetOf(2), 1, 1, 6)
	w := secret(t).Scalar()
	t1, t2 := group.MulBase(w), group.HashToElement("anything")
	c := condition.Draw(transcript.New(here, cardless{s}), s, []*group.Element{t1, t2})
	z := w.Add(c.Mul(x.Scalar()))
	a := s.Cards[0].A
	b := d.Element(2).Add(group.Mul(c.Invert(), group.Mul(z, a).Sub(t2)))
	s.Cards = []masking.Card{{A: a, B: b}}
	if x.Unmask(s.Cards[0]).Equal(d.Element(2)) {
		t.Fatal("the attack is built wrong: the claim is true")
	}
	proof := z.AppendTo(c.Bytes())
	if err := condition.VerifyUnder(transcript.New(here, cardless{s}), s, proof); err != nil {
		t.Fatalf("the attack is built wrong: it fails under the weak transcript: %v", err)
	}
	if condition.Verify(here, s, proof) == nil {
		t.Error("card chosen after the challenge is accepted")
	}
}

// TestCommitmentsBound: a commitment that does not reach the challenge can be
// chosen after it.
func TestCommitmentsBound(t *testing.T) {
	s := holding(t, secret(t), deck(t, "test", 8), card.SetOf(2, 3), 1, 1, 6)
	draw := func(c []*group.Element) group.Scalar {
		return condition.Draw(transcript.New(here, s), s, c)
	}
	g := group.Generator()
	honest := draw([]*group.Element{g, g, g, g})
	for i := range 4 {
		changed := []*group.Element{g, g, g, g}
		changed[i] = group.HashToElement("other")
		if draw(changed).Equal(honest) {
			t.Errorf("commitment %d does not reach the challenge", i)
		}
	}
}

// TestNothingMarksATrueBranch: a true branch keeps the challenge 0 that it has
// while commitments are made, or has the response of a simulated one, or the
// positions of the true cards show in the challenges of the cards.
func TestNothingMarksATrueBranch(t *testing.T) {
	x, d := secret(t), deck(t, "test", 8)
	for _, faces := range [][]card.Face{{0, 5, 6}, {5, 0, 6}, {5, 6, 1}, {0, 1, 2}} {
		s := holding(t, x, d, card.SetOf(0, 1, 2), 1, 3, faces...)
		proof, err := condition.Prove(here, s, x.Scalar(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{string(make([]byte, 32)): true}
		for i := 0; i < len(proof); i += 32 {
			if seen[string(proof[i:i+32])] {
				t.Errorf("faces %v: scalar %d is zero or repeated", faces, i/32)
			}
			seen[string(proof[i:i+32])] = true
		}
	}
}

// TestSize: 32·(k − t + 1 + k·(2|F| − 1)) bytes for each bound that says
// anything.
func TestSize(t *testing.T) {
	x, d := secret(t), deck(t, "test", 8)
	for _, c := range []struct {
		s       condition.Statement
		scalars int
	}{
		{holding(t, x, d, card.SetOf(0), 1, 1, 0), 2},
		{holding(t, x, d, card.SetOf(0, 1, 2), 1, 9, 0, 5, 6, 7), 4 - 1 + 1 + 4*5},
		{holding(t, x, d, card.SetOf(0, 1, 2), 0, 0, 5, 6, 7), 1 + 3*9},
		{holding(t, x, d, card.SetOf(0, 1, 2), 2, 2, 0, 1, 7), (3 - 2 + 1 + 3*5) + (3 - 1 + 1 + 3*9)},
		{holding(t, x, d, card.SetOf(0, 1, 2), 0, 4, 5), 0},
	} {
		proof, err := condition.Prove(here, c.s, x.Scalar(), rand.Reader)
		if err != nil || len(proof) != 32*c.scalars || c.s.Size() != len(proof) {
			t.Errorf("%d..%d of %d: %d bytes, Size %d, want %d (%v)", c.s.Min, c.s.Max, len(c.s.Cards), len(proof), c.s.Size(), 32*c.scalars, err)
		}
		if err := condition.Verify(here, c.s, proof); err != nil {
			t.Error(err)
		}
	}
}

// TestInterpolate: a polynomial that misses its own points, or is of a higher
// degree than they fix.
func TestInterpolate(t *testing.T) {
	coefficients, err := group.RandomScalars(rand.Reader, 4)
	if err != nil {
		t.Fatal(err)
	}
	at := func(j uint64) group.Scalar { // Horner's rule
		var v group.Scalar
		for i := len(coefficients) - 1; i >= 0; i-- {
			v = v.Mul(group.ScalarFromUint64(j)).Add(coefficients[i])
		}
		return v
	}
	for _, places := range [][]uint64{{0, 1, 2, 3}, {0, 4, 2, 7}, {0, 9, 8, 7}, {3, 0, 5, 1}} {
		var nodes, values []group.Scalar
		for _, j := range places {
			nodes, values = append(nodes, group.ScalarFromUint64(j)), append(values, at(j))
		}
		for j, got := range condition.Interpolate(nodes, values, 9) {
			if !got.Equal(at(uint64(j))) {
				t.Errorf("nodes %v: wrong at %d", places, j)
			}
		}
	}
}

func TestBinding(t *testing.T) {
	a := holding(t, secret(t), deck(t, "a", 8), card.Set{1, 2, 3, 4}, 1, 2, 0, 1)
	b := holding(t, secret(t), deck(t, "b", 8), card.Set{5, 6, 7, 8}, 3, 4, 0, 1)
	prooftest.Binding(t, a, b)
}

// BenchmarkCondition: "none of nine in a set of five of 42", "one card in a set
// of twenty", "at least one of nine in a set of three".
func BenchmarkCondition(b *testing.B) {
	x, d := secret(b), deck(b, "bench", 42)
	var five, twenty, three card.Set
	for f := range card.Face(20) {
		twenty = twenty.With(f)
		if f < 5 {
			five = five.With(f)
		}
		if f < 3 {
			three = three.With(f)
		}
	}
	hand := []card.Face{30, 31, 32, 33, 34, 35, 36, 37, 38}
	for _, c := range []struct {
		name string
		s    condition.Statement
	}{
		{"none of 9 in 5", holding(b, x, d, five, 0, 0, hand...)},
		{"1 in 20", holding(b, x, d, twenty, 1, 1, 7)},
		{"at least 1 of 9 in 3", holding(b, x, d, three, 1, 9, append([]card.Face{2}, hand[1:]...)...)},
	} {
		proof, err := condition.Prove(here, c.s, x.Scalar(), rand.Reader)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/prove", func(b *testing.B) {
			grouptest.Measure(b, 1, func() {
				if _, err := condition.Prove(here, c.s, x.Scalar(), rand.Reader); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(float64(len(proof)), "bytes")
		})
		b.Run(c.name+"/verify", func(b *testing.B) {
			grouptest.Measure(b, 1, func() {
				if err := condition.Verify(here, c.s, proof); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
