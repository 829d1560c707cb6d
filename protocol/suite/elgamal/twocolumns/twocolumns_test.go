package twocolumns_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/suite/elgamal/twocolumns"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

var argument twocolumns.Prover

func TestConformance(t *testing.T) {
	shuffletest.Run(t, argument, func(n int) int { return 32 * (5*max(3, (n+1)/2) + 31) })
	for n, want := range map[int]int{2: 1472, 32: 3552, 41: 4352, 42: 4352, 52: 5152} {
		if got := twocolumns.Size(g, n); got != want {
			t.Errorf("Size(%d) = %d, want %d", n, got, want)
		}
	}
}

// TestSizes: an honest proof that is refused for the number of cards: columns
// that are full, half empty, and empty.
func TestSizes(t *testing.T) {
	k := handtest.Secret(t).Key()
	for n := 2; n <= 13; n++ {
		o := shuffletest.OpeningOf(t, rotated(n)...)
		s := shuffletest.RemaskBy(k, shuffletest.OpenCards(n), o)
		testmust.Do(t, shuffletest.VerifyAlone(argument, s, shuffletest.Prove(t, argument, s, o)), n, "cards")
	}
}

// rotated is a permutation of n.
func rotated(n int) []uint16 {
	order := make([]uint16, n)
	for i := range order {
		order[i] = uint16((i + 2*n/3) % n)
	}
	return order
}

func under(s shuffle.Statement) *transcript.Transcript {
	return transcript.New(shuffletest.SlotContext(0), twocolumns.Labelled(s))
}

// refusedBy proves a false shuffle as f likes, and fails if it is accepted, or
// refused by another part than the one.
func refusedBy(t *testing.T, part string, f twocolumns.Forger, s shuffle.Statement, o masking.Opening) {
	t.Helper()
	proof := handtest.MustHave(f.ProveUnder(under(s), s, o, rand.Reader))
	if shuffletest.VerifyAlone(argument, s, proof) == nil {
		t.Error("a false shuffle is accepted")
	}
	c := handtest.MustHave(twocolumns.ChallengesOf(under(s), proof, len(s.In)))
	failing, err := twocolumns.Failing(c, s, proof, rand.Reader)
	if err != nil || !slices.Equal(failing, []string{part}) {
		t.Errorf("refused by %v, want %s alone (%v)", failing, part, err)
	}
}

// mixed moves half of a card into the other: e'_1 = e_1 + e_2, the rest as it was.
func mixed(t *testing.T, n int) (shuffle.Statement, masking.Opening, func(powers []group.Scalar) []group.Scalar) {
	k := handtest.Secret(t).Key()
	in := shuffletest.MaskedCards(t, k, n)
	order := make([]uint16, n)
	for i := range order {
		order[i] = uint16(i)
	}
	o := shuffletest.OpeningOf(t, order...)
	s := shuffletest.RemaskBy(k, in, o)
	s.Out[0] = masking.Card{A: s.Out[0].A.Add(in[1].A), B: s.Out[0].B.Add(in[1].B)}
	return s, o, func(powers []group.Scalar) []group.Scalar { // Σ b_i·e'_i = Σ x^i·e_i, but for factors
		b := slices.Clone(powers)
		b[1] = b[1].Sub(b[0])
		return b
	}
}

// TestParts: for each part of the argument a false shuffle that the other two
// accept, so that none can be left out.
func TestParts(t *testing.T) {
	for _, n := range []int{2, 5, 6, 7, 8} {
		s, o, b := mixed(t, n)
		// The cards add up, but b is no permutation of the powers.
		refusedBy(t, "product", twocolumns.Forger{B: b}, s, o)
		// The product is put right by a vector that is no product of the columns.
		refusedBy(t, "zero", twocolumns.Forger{B: b, Balance: true}, s, o)
		// A permutation, and a card twice.
		twice := shuffletest.RemaskBy(s.Key, s.In, o)
		twice.Out[0] = shuffletest.RemaskBy(s.Key, s.In[1:], shuffletest.OpeningOf(t, 0)).Out[0]
		refusedBy(t, "combination", twocolumns.Forger{}, twice, o)
	}
}

// TestCardForNothing: a card that is exchanged with one of the cards (0, 0) at
// the places left over: it is gone, and a card that masks 0 is there instead.
func TestCardForNothing(t *testing.T) {
	k := handtest.Secret(t).Key()
	for _, n := range []int{2, 5, 7} {
		pi := make([]uint16, 2*twocolumns.Height(n))
		for i := range pi {
			pi[i] = uint16(i)
		}
		pi[0], pi[n] = pi[n], pi[0]
		o := shuffletest.OpeningOf(t, pi[:n]...)
		o.Permutation = slices.Clone(pi[:n])
		o.Permutation[0] = 0
		s := shuffletest.RemaskBy(k, shuffletest.MaskedCards(t, k, n), o)
		s.Out[0] = masking.Card{A: g.MulBase(o.Factors[0]), B: group.Mul(o.Factors[0], k.Element())}
		refusedBy(t, "combination", twocolumns.Forger{Permutation: pi}, s, o)
	}
}

// TestOpensACard: who made the mask of a card can take it off by remasking.
func TestOpensACard(t *testing.T) {
	shuffletest.OpensACard(t, argument, twocolumns.Labelled, twocolumns.VerifyUnder, func(under func() *transcript.Transcript, s shuffle.Statement, o masking.Opening) []byte {
		return handtest.MustHave(twocolumns.Forger{}.ProveUnder(under(), s, o, rand.Reader))
	})
}

// TestChallenges: a commitment that does not reach the challenges after it can be chosen last.
func TestChallenges(t *testing.T) {
	shuffletest.CheckChallenges(t, argument, func(at transcript.Context, s shuffle.Statement, proof []byte) [][]group.Scalar {
		c := handtest.MustHave(twocolumns.ChallengesOf(transcript.New(at, twocolumns.Labelled(s)), proof, len(s.In)))
		return [][]group.Scalar{{c.X}, {c.Y, c.Z}, {c.U, c.V, c.C, c.W}, {c.E}}
	}, 2, 4, 18, 24)
}

func TestBinding(t *testing.T) {
	a, b := shuffletest.BindingPair(t)
	prooftest.Binding(t, twocolumns.Labelled(a), twocolumns.Labelled(b))
}

// branch are accepted proofs with one A and one B: for one x, y and z, four
// values of (u, v, c, w), and five of e for each.
type branch struct {
	x, y, z   group.Scalar
	c, w      []group.Scalar
	u         group.Scalar // of the first
	e         []group.Scalar
	answers   [4][5]twocolumns.Answer
	twoPlaces int // 2n
}

// grow rewinds a prover as the theorem does: 2n·1·4·5 transcripts.
func grow(t *testing.T, f twocolumns.Forger, s shuffle.Statement, o masking.Opening) []branch {
	t.Helper()
	places := 2 * twocolumns.Height(len(s.In))
	v := handtest.NamedScalars(t, "challenges", 24*places)
	var grown []branch
	for i := range places {
		b := branch{x: v[24*i], y: v[24*i+1], z: v[24*i+2], e: v[24*i+3 : 24*i+8], c: v[24*i+8 : 24*i+12], w: v[24*i+12 : 24*i+16], u: v[24*i+16], twoPlaces: places}
		for j := range 4 {
			for l, e := range b.e {
				at := twocolumns.Challenges{X: b.x, Y: b.y, Z: b.z, U: v[24*i+16+j], V: v[24*i+20+j], C: b.c[j], W: b.w[j], E: e}
				proof := testmust.Have(f.ProveAt(at, s, o, handtest.NamedCoins("prover")))(t)
				testmust.Do(t, twocolumns.HoldsAt(at, s, proof, rand.Reader), "an answer is refused")
				b.answers[j][l] = testmust.Have(twocolumns.Read(proof, len(s.In)))(t)
				sameWords(t, proof, b.answers[0][0].Proof, 18)
				sameWords(t, proof, b.answers[j][0].Proof, 24)
			}
		}
		grown = append(grown, b)
		sameWords(t, b.answers[0][0].Proof, grown[0].answers[0][0].Proof, 2)
	}
	return grown
}

// sameWords fails the test if two proofs differ in their first elements. Those of
// the zero argument follow u and v and are not among them, but for equal ones.
func sameWords(t *testing.T, a, b []byte, elements int) {
	t.Helper()
	if !bytes.Equal(a[:32*elements], b[:32*elements]) {
		t.Fatalf("one of the first %d elements depends on a later challenge", elements)
	}
}

// powers returns b, and the factor in the combination of cards, from four values
// of w: f = a + w·b_1 + w²·b_2, and τ̃ has −factor at w².
func (b branch) powers(t *testing.T) (powers []group.Scalar, factor group.Scalar) {
	t.Helper()
	var f [][]group.Scalar
	var tau []group.Scalar
	for _, answers := range b.answers {
		f, tau = append(f, answers[0].F), append(tau, answers[0].Tau)
	}
	coefficients := handtest.Polynomials(t, b.w, f)
	for _, c := range coefficients[3] {
		if !c.IsZero() {
			t.Fatal("f has degree 3 in w")
		}
	}
	return append(coefficients[1], coefficients[2]...), handtest.PolynomialThrough(t, b.w, tau)[2].Neg()
}

// columns returns d and p from five values of e: ḡ = α + e·d_2 − e²·1,
// h̄ = β + e·u·p + e²·u·d_1.
func (b branch) columns(t *testing.T) (d, p []group.Scalar) {
	t.Helper()
	var listG, listH [][]group.Scalar
	for _, a := range b.answers[0] {
		listG, listH = append(listG, a.G), append(listH, a.H)
	}
	gs, hs := handtest.Polynomials(t, b.e, listG), handtest.Polynomials(t, b.e, listH)
	minusOne := g.One().Neg()
	for l := range gs[2] {
		if !gs[2][l].Equal(minusOne) {
			t.Fatal("ḡ has another coefficient than −1 at e²")
		}
	}
	zero := make([]group.Scalar, len(gs[1]))
	scale := func(v []group.Scalar) []group.Scalar { return group.ScaleAndAdd(b.u.Invert(), v, zero) }
	return append(scale(hs[2]), gs[1]...), scale(hs[1])
}

// product returns p from two values of c: ã = c·p + d'.
func (b branch) product(t *testing.T) []group.Scalar {
	t.Helper()
	return handtest.Polynomials(t, b.c[:2], [][]group.Scalar{b.answers[0][0].Product, b.answers[1][0].Product})[1]
}

// permutation returns π of all 2n places: d_i = y·π(i) + b_i − z.
func (b branch) permutation(t *testing.T) []uint16 {
	t.Helper()
	powers, _ := b.powers(t)
	d, p := b.columns(t)
	if !slices.EqualFunc(p, b.product(t), group.Scalar.Equal) {
		t.Fatal("H opens to two vectors")
	}
	for l := range p {
		if !p[l].Equal(d[l].Mul(d[len(p)+l])) {
			t.Fatal("H does not open to the product of the columns")
		}
	}
	var pi []uint16
	for i := range d {
		pi = append(pi, handtest.SmallNumber(t, d[i].Sub(powers[i]).Add(b.z).Mul(b.y.Invert()), b.twoPlaces))
	}
	return pi
}

// extract computes a witness for 2n cards.
func extract(t *testing.T, grown []branch) masking.Opening {
	t.Helper()
	var matrix [][]group.Scalar
	var factors []group.Scalar
	pi := grown[0].permutation(t)
	for _, b := range grown {
		if other := b.permutation(t); !slices.Equal(other, pi) {
			t.Fatalf("A opens to %v and to %v", pi, other)
		}
		powers, factor := b.powers(t)
		matrix, factors = append(matrix, powers), append(factors, factor)
	}
	return masking.Opening{Permutation: pi, Factors: handtest.SolveLinear(t, matrix, factors)}
}

// shorten leads a witness for 2n cards around the places left over (41.3).
func shorten(all masking.Opening, cards int) masking.Opening {
	var o masking.Opening
	for i := range cards {
		place, factor := all.Permutation[i], all.Factors[i]
		for int(place) >= cards {
			place, factor = all.Permutation[place], factor.Add(all.Factors[place])
		}
		o.Permutation, o.Factors = append(o.Permutation, place), append(o.Factors, factor)
	}
	return o
}

// TestExtract: an accepted proof by one who knows no shuffle. The extractor takes
// 40·n transcripts for 2n places, those of the machine-checked theorem: 2n values
// of x, one of (y, z), 2m = 4 of (u, v, c, w) and 2m + 1 = 5 of e.
func TestExtract(t *testing.T) {
	for _, n := range []int{2, 4, 5, 6} { // with four places left over, two, one, and none
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s, o := shuffletest.HonestShuffle(t, n)
			grown := grow(t, twocolumns.Forger{}, s, o)
			if got := len(grown) * 4 * 5; got != 40*twocolumns.Height(n) {
				t.Fatalf("a tree of %d proofs", got)
			}
			all := extract(t, grown)
			shuffletest.ExpectExtracted(t, shorten(all, n), o)
			for i := n; i < len(all.Permutation); i++ {
				if int(all.Permutation[i]) != i || !all.Factors[i].IsZero() {
					t.Errorf("the honest prover moves place %d, which is left over", i)
				}
			}
		})
	}
}

// TestExtractAroundPlacesLeftOver: a prover who goes over a place left over, which
// he can if a card masks 0: what he proves is a shuffle all the same, and the
// extractor finds it.
func TestExtractAroundPlacesLeftOver(t *testing.T) {
	const n = 5
	k := handtest.Secret(t).Key()
	kappa := handtest.NamedScalars(t, "mask of 0", 1)[0]
	in := shuffletest.MaskedCards(t, k, n)
	in[3] = masking.Card{A: g.MulBase(kappa), B: group.Mul(kappa, k.Element())}
	all := shuffletest.OpeningOf(t, 1, 5, 2, 0, 4, 3) // e'_1 from place 5, which is left over, and that from e_3
	all.Factors[5] = kappa.Neg()
	want := shorten(all, n)
	s := shuffletest.RemaskBy(k, in, want)
	found := shorten(extract(t, grow(t, twocolumns.Forger{Permutation: all.Permutation}, s, all)), n)
	shuffletest.ExpectExtracted(t, found, masking.Opening{Permutation: []uint16{1, 3, 2, 0, 4}, Factors: want.Factors})
	if again := shuffletest.RemaskBy(k, in, found); !slices.EqualFunc(again.Out, s.Out, masking.Card.Equal) {
		t.Error("what was extracted is no witness")
	}
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof the
// responses and the elements that the simulator is given are uniform; they and the
// challenges determine the rest.
func TestSimulate(t *testing.T) {
	for n := 2; n <= 7; n++ {
		k := handtest.Secret(t).Key()
		o := shuffletest.OpeningOf(t, rotated(n)...)
		s := shuffletest.RemaskBy(k, shuffletest.MaskedCards(t, k, n), o)
		proof := shuffletest.Prove(t, argument, s, o)
		c := handtest.MustHave(twocolumns.ChallengesOf(transcript.New(shuffletest.SlotContext(0), twocolumns.Labelled(s)), proof, n))
		if again := twocolumns.Simulate(c, s, slices.Clone(proof)); !bytes.Equal(again, proof) {
			t.Errorf("%d cards: an honest proof is not determined", n)
		}
		forgeFalse(t, s)
	}
}

// forgeFalse simulates a proof that one card is there twice.
func forgeFalse(t *testing.T, s shuffle.Statement) {
	t.Helper()
	n := len(s.In)
	s = shuffletest.DoubledCard(t, s)
	v := handtest.NamedScalars(t, "simulator", 8+twocolumns.Size(g, n)/32)
	c := twocolumns.Challenges{X: v[0], Y: v[1], Z: v[2], U: v[3], V: v[4], C: v[5], W: v[6], E: v[7]}
	var random []byte
	for i, s := range v[8:] {
		if i < 24 {
			random = g.MulBase(s).AppendTo(random)
		} else {
			random = s.AppendTo(random)
		}
	}
	forged := twocolumns.Simulate(c, s, random)
	testmust.Do(t, twocolumns.HoldsAt(c, s, forged, rand.Reader), "a simulated proof is refused")
	if shuffletest.VerifyAlone(argument, s, forged) == nil {
		t.Error("a simulated proof is accepted under the challenges of the transcript")
	}
}
