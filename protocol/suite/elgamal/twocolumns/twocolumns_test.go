package twocolumns

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

var argument Prover

func TestConformance(t *testing.T) {
	handtest.RunArgument(t, argument, func(n int) int { return 32 * (5*max(3, (n+1)/2) + 31) })
	for n, want := range map[int]int{2: 1472, 32: 3552, 41: 4352, 42: 4352, 52: 5152} {
		got := Size(g, n)
		testmust.Holdf(t, got == want, "Size(%d) = %d, want %d", n, got, want)
	}
}

// TestSizes: an honest proof that is refused for the number of cards: columns
// that are full, half empty, and empty.
func TestSizes(t *testing.T) {
	k := handtest.Secret(t).Key()
	for n := 2; n <= 13; n++ {
		o := handtest.OpeningOf(t, rotated(n)...)
		s := handtest.RemaskBy(k, handtest.OpenCards(n), o)
		testmust.Do(t, handtest.VerifyAlone(argument, s, handtest.ProveShuffle(t, argument, s, o)), n, "cards")
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

func under(s masking.ShuffleStatement) *transcript.Transcript {
	return transcript.New(handtest.SlotContext(0), s.WithLabel(label))
}

// refusedBy proves a false shuffle as f likes, and fails if it is accepted, or
// refused by another part than the one.
func refusedBy(t *testing.T, part string, f forger, s masking.ShuffleStatement, o masking.Opening) {
	t.Helper()
	proof := f.prove(s, o, rand.Reader, drawAll(under(s)))
	testmust.Fail(t, handtest.VerifyAlone(argument, s, proof), "a false shuffle is accepted")
	q, m := challengesOf(t, handtest.SlotContext(0), s, proof)
	handtest.ExpectFailing(t, part, map[string]func(*group.Batch){
		"product":     func(b *group.Batch) { m.checkProduct(b, q) },
		"zero":        func(b *group.Batch) { m.checkZero(b, q) },
		"combination": func(b *group.Batch) { m.checkCombination(b, q, s) },
	})
}

// mixed moves half of a card into the other: e'_1 = e_1 + e_2, the rest as it was.
func mixed(t *testing.T, n int) (masking.ShuffleStatement, masking.Opening, func(powers []group.Scalar) []group.Scalar) {
	k := handtest.Secret(t).Key()
	in := handtest.MaskedCards(t, k, n)
	order := make([]uint16, n)
	for i := range order {
		order[i] = uint16(i)
	}
	o := handtest.OpeningOf(t, order...)
	s := handtest.RemaskBy(k, in, o)
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
		refusedBy(t, "product", forger{b: b}, s, o)
		// The product is put right by a vector that is no product of the columns.
		refusedBy(t, "zero", forger{b: b, balance: true}, s, o)
		// A permutation, and a card twice.
		twice := handtest.RemaskBy(s.Key, s.In, o)
		twice.Out[0] = handtest.RemaskBy(s.Key, s.In[1:], handtest.OpeningOf(t, 0)).Out[0]
		refusedBy(t, "combination", forger{}, twice, o)
	}
}

// TestCardForNothing: a card that is exchanged with one of the cards (0, 0) at
// the places left over: it is gone, and a card that masks 0 is there instead.
func TestCardForNothing(t *testing.T) {
	k := handtest.Secret(t).Key()
	for _, n := range []int{2, 5, 7} {
		pi := make([]uint16, 2*columnHeight(n))
		for i := range pi {
			pi[i] = uint16(i)
		}
		pi[0], pi[n] = pi[n], pi[0]
		o := handtest.OpeningOf(t, pi[:n]...)
		o.Permutation = slices.Clone(pi[:n])
		o.Permutation[0] = 0
		s := handtest.RemaskBy(k, handtest.MaskedCards(t, k, n), o)
		s.Out[0] = masking.Card{A: g.MulBase(o.Factors[0]), B: group.Mul(o.Factors[0], k.Element())}
		refusedBy(t, "combination", forger{permutation: pi}, s, o)
	}
}

// TestOpensACard: who made the mask of a card can take it off by remasking.
func TestOpensACard(t *testing.T) {
	handtest.OpensACard(t, argument, label, verify, func(t *transcript.Transcript, s masking.ShuffleStatement, o masking.Opening, coins io.Reader) ([]byte, error) {
		return forger{}.prove(s, o, coins, drawAll(t)), nil
	})
}

// TestChallenges: a commitment that does not reach the challenges after it can be chosen last.
func TestChallenges(t *testing.T) {
	handtest.CheckChallenges(t, argument, func(at transcript.Context, s masking.ShuffleStatement, proof []byte) [][]group.Scalar {
		q, _ := challengesOf(t, at, s, proof)
		return [][]group.Scalar{{q.x}, {q.y, q.z}, {q.u, q.v, q.c, q.w}, {q.e}}
	}, 2, 4, 18, 24)
}

// challengesOf reads a proof and draws its challenges.
func challengesOf(t testing.TB, at transcript.Context, s masking.ShuffleStatement, proof []byte) (q challenges, m *message) {
	t.Helper()
	m = handtest.MustHave(parseMessage(g, proof, len(s.In)))
	tr := transcript.New(at, s.WithLabel(label))
	q.drawX(tr, m)
	q.drawYZ(tr, m)
	q.drawUVCW(tr, m)
	q.drawE(tr, m)
	return q, m
}

// forger is the honest prover but for what he is told.
type forger struct {
	permutation []uint16                                   // π of all 2n places, if not that of the opening
	b           func(powers []group.Scalar) []group.Scalar // b of all 2n places, if not x^π(i)
	balance     bool                                       // scales p, which is then no Hadamard product, so that Π p_l = P
}

// drawAll draws the challenges of a prover from t, and giveAll gives him these. Equal coins give equal
// nonces: it is how a prover is rewound.
func drawAll(t *transcript.Transcript) func(func(*challenges, *transcript.Transcript, *message), *challenges, *message) {
	return func(draw func(*challenges, *transcript.Transcript, *message), q *challenges, m *message) {
		draw(q, t, m)
	}
}

func giveAll(c challenges) func(func(*challenges, *transcript.Transcript, *message), *challenges, *message) {
	return func(_ func(*challenges, *transcript.Transcript, *message), q *challenges, _ *message) { *q = c }
}

// prove proves s as the forger likes, whose challenges ask gives.
func (f forger) prove(s masking.ShuffleStatement, o masking.Opening, coins io.Reader, ask func(func(*challenges, *transcript.Transcript, *message), *challenges, *message)) []byte {
	k := handtest.MustHave(drawNonces(g, coins, columnHeight(len(s.In))))
	p := newProver(s, o, k)
	if f.permutation != nil {
		p.pi = f.permutation
	}
	var q challenges
	p.commitPermutation()
	ask((*challenges).drawX, &q, &p.m)
	p.commitPowers(q)
	if f.b != nil {
		p.b = f.b(group.Powers(g.One(), q.x, 2*p.n))
		p.m.B = [2]group.Element{masking.CommitVector(g, p.b[:p.n], k.s[0]), masking.CommitVector(g, p.b[p.n:], k.s[1])}
	}
	ask((*challenges).drawYZ, &q, &p.m)
	p.multiplyColumns(q)
	if f.balance {
		p.balance(q)
	}
	p.commitProduct()
	p.commitCombination()
	ask((*challenges).drawUVCW, &q, &p.m)
	p.commitZero(q)
	ask((*challenges).drawE, &q, &p.m)
	p.answerChallenge(q)
	return p.m.proofBytes()
}

// balance scales p_1 so that Π p_l = P.
func (p *prover) balance(q challenges) {
	want := challenges{x: q.x, y: q.y, z: q.z, c: g.One()}
	full := (&message{H: g.Generator(), a: make([]group.Scalar, p.n)}).partialProducts(want)
	factor := full[len(full)-1].Mul(p.q[p.n-1].Invert())
	p.p[0] = p.p[0].Mul(factor)
	for l := range p.q {
		p.q[l] = p.q[l].Mul(factor)
	}
}

// answer is a proof with its parts.
type answer struct {
	proof []byte
	*message
}

// branch are accepted proofs with one A and one B: for one x, y and z, four
// values of (u, v, c, w), and five of e for each.
type branch struct {
	x, y, z   group.Scalar
	c, w      []group.Scalar
	u         group.Scalar // of the first
	e         []group.Scalar
	answers   [4][5]answer
	twoPlaces int // 2n
}

// grow rewinds a prover as the theorem does: 2n·1·4·5 transcripts.
func grow(t *testing.T, f forger, s masking.ShuffleStatement, o masking.Opening) []branch {
	t.Helper()
	places := 2 * columnHeight(len(s.In))
	v := handtest.NamedScalars(t, "challenges", 24*places)
	var grown []branch
	for i := range places {
		b := branch{x: v[24*i], y: v[24*i+1], z: v[24*i+2], e: v[24*i+3 : 24*i+8], c: v[24*i+8 : 24*i+12], w: v[24*i+12 : 24*i+16], u: v[24*i+16], twoPlaces: places}
		for j := range 4 {
			for l, e := range b.e {
				q := challenges{b.x, b.y, b.z, v[24*i+16+j], v[24*i+20+j], b.c[j], b.w[j], e}
				proof := f.prove(s, o, handtest.NamedCoins("prover"), giveAll(q))
				m := testmust.Have(parseMessage(g, proof, len(s.In)))(t)
				handtest.ExpectAccepted(t, "an answer", func(b *group.Batch) { m.addEquations(b, q, s) })
				b.answers[j][l] = answer{proof, m}
				sameWords(t, proof, b.answers[0][0].proof, 18)
				sameWords(t, proof, b.answers[j][0].proof, 24)
			}
		}
		grown = append(grown, b)
		sameWords(t, b.answers[0][0].proof, grown[0].answers[0][0].proof, 2)
	}
	return grown
}

// sameWords fails the test if two proofs differ in their first elements. Those of
// the zero argument follow u and v and are not among them, but for equal ones.
func sameWords(t *testing.T, a, b []byte, elements int) {
	t.Helper()
	testmust.Requiref(t, bytes.Equal(a[:32*elements], b[:32*elements]), "one of the first %d elements depends on a later challenge", elements)
}

// powers returns b, and the factor in the combination of cards, from four values
// of w: f = a + w·b_1 + w²·b_2, and τ̃ has −factor at w².
func (b branch) powers(t *testing.T) (powers []group.Scalar, factor group.Scalar) {
	t.Helper()
	var f [][]group.Scalar
	var tau []group.Scalar
	for _, answers := range b.answers {
		f, tau = append(f, answers[0].f), append(tau, answers[0].tau)
	}
	coefficients := handtest.Polynomials(t, b.w, f)
	for _, c := range coefficients[3] {
		testmust.Require(t, c.IsZero(), "f has degree 3 in w")
	}
	return append(coefficients[1], coefficients[2]...), handtest.PolynomialThrough(t, b.w, tau)[2].Neg()
}

// columns returns d and p from five values of e: ḡ = α + e·d_2 − e²·1,
// h̄ = β + e·u·p + e²·u·d_1.
func (b branch) columns(t *testing.T) (d, p []group.Scalar) {
	t.Helper()
	var listG, listH [][]group.Scalar
	for _, a := range b.answers[0] {
		listG, listH = append(listG, a.g), append(listH, a.h)
	}
	gs, hs := handtest.Polynomials(t, b.e, listG), handtest.Polynomials(t, b.e, listH)
	minusOne := g.One().Neg()
	for l := range gs[2] {
		testmust.Require(t, gs[2][l].Equal(minusOne), "ḡ has another coefficient than −1 at e²")
	}
	zero := make([]group.Scalar, len(gs[1]))
	scale := func(v []group.Scalar) []group.Scalar { return group.ScaleAndAdd(b.u.Invert(), v, zero) }
	return append(scale(hs[2]), gs[1]...), scale(hs[1])
}

// product returns p from two values of c: ã = c·p + d'.
func (b branch) product(t *testing.T) []group.Scalar {
	t.Helper()
	return handtest.Polynomials(t, b.c[:2], [][]group.Scalar{b.answers[0][0].a, b.answers[1][0].a})[1]
}

// permutation returns π of all 2n places: d_i = y·π(i) + b_i − z.
func (b branch) permutation(t *testing.T) []uint16 {
	t.Helper()
	powers, _ := b.powers(t)
	d, p := b.columns(t)
	testmust.Require(t, slices.EqualFunc(p, b.product(t), group.Scalar.Equal), "H opens to two vectors")
	for l := range p {
		testmust.Require(t, p[l].Equal(d[l].Mul(d[len(p)+l])), "H does not open to the product of the columns")
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
		other := b.permutation(t)
		testmust.Requiref(t, slices.Equal(other, pi), "A opens to %v and to %v", pi, other)
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
	sizes := []int{2, 4, 5, 6} // with four places left over, two, one, and none
	for i := range testmust.ChosenIndexes(t, len(sizes), 4) {
		n := sizes[i]
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s, o := handtest.HonestShuffle(t, n)
			grown := grow(t, forger{}, s, o)
			got := len(grown) * 4 * 5
			testmust.Requiref(t, got == 40*columnHeight(n), "a tree of %d proofs", got)
			all := extract(t, grown)
			handtest.ExpectExtracted(t, shorten(all, n), o)
			for i := n; i < len(all.Permutation); i++ {
				testmust.Holdf(t, int(all.Permutation[i]) == i && all.Factors[i].IsZero(), "the honest prover moves place %d, which is left over", i)
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
	in := handtest.MaskedCards(t, k, n)
	in[3] = masking.Card{A: g.MulBase(kappa), B: group.Mul(kappa, k.Element())}
	all := handtest.OpeningOf(t, 1, 5, 2, 0, 4, 3) // e'_1 from place 5, which is left over, and that from e_3
	all.Factors[5] = kappa.Neg()
	want := shorten(all, n)
	s := handtest.RemaskBy(k, in, want)
	found := shorten(extract(t, grow(t, forger{permutation: all.Permutation}, s, all)), n)
	handtest.ExpectExtracted(t, found, masking.Opening{Permutation: []uint16{1, 3, 2, 0, 4}, Factors: want.Factors})
	again := handtest.RemaskBy(k, in, found)
	testmust.Hold(t, slices.EqualFunc(again.Out, s.Out, masking.Card.Equal), "what was extracted is no witness")
}

// simulate replaces the elements C_d, C_δ, C_0, C_β0, E_0, Z_α, Z_β and Z_0 of a
// proof by those that the rest of it determines by equations (6) to (13) under given
// challenges. It knows no witness.
func (m *message) simulate(q challenges, s masking.ShuffleStatement) {
	sides := leftSides(m, q, s)
	for i, determined := range []*group.Element{&m.Cd, &m.Cdelta, &m.Zalpha, &m.Zbeta, &m.Z[0], &m.C0, &m.Cbeta[0], &m.E[0].A, &m.E[0].B} {
		*determined = (*determined).Sub(sides[i])
	}
}

// leftSides returns the left sides of (6) to (13), in the order in which they are
// checked. Each has an element with coefficient 1 that is in no other.
func leftSides(m *message, q challenges, s masking.ShuffleStatement) []group.Element {
	generators := masking.Generators(g)
	com := func(a []group.Scalar, r group.Scalar) group.Element {
		return g.MultiMul(append([]group.Scalar{r}, a...), generators[:len(a)+1])
	}
	at := func(x group.Scalar, elements ...group.Element) group.Element { // Σ x^k·elements_k
		sum := g.Identity()
		for k := len(elements) - 1; k >= 0; k-- {
			sum = group.Mul(x, sum).Add(elements[k])
		}
		return sum
	}
	n := len(m.a)
	constant := func(v group.Scalar) group.Element {
		list := make([]group.Scalar, n)
		for l := range list {
			list[l] = v
		}
		return com(list, group.Scalar{})
	}
	d := func(k int) group.Element {
		return group.Mul(q.y, m.A[k]).Add(m.B[k]).Sub(constant(q.z))
	}
	full, steps := m.partialProducts(q), make([]group.Scalar, n-1)
	for l := range steps {
		steps[l] = q.c.Mul(full[l+1]).Sub(full[l].Mul(m.a[l+1]))
	}
	before := masking.ShuffleStatement{Key: s.Key, Out: s.In}.CombineCards(group.Powers(g.One(), q.x, len(s.In)), group.Scalar{})
	weights := make([]group.Scalar, len(s.Out))
	for i := range weights {
		weights[i] = m.f[i%n]
		if i < n {
			weights[i] = weights[i].Mul(q.w)
		}
	}
	after := s.CombineCards(weights, m.tau)
	none := g.Identity()
	return []group.Element{
		at(q.c, m.Cd, m.H).Sub(com(m.a, m.ra)),
		at(q.c, m.Cdelta, m.CDelta).Sub(com(steps, m.sb)),
		at(q.e, m.Zalpha, d(1), constant(g.One().Neg())).Sub(com(m.g, m.rg)),
		at(q.e, m.Zbeta, group.Mul(q.u, m.H), group.Mul(q.u, d(0))).Sub(com(m.h, m.sh)),
		at(q.e, m.Z[0], m.Z[1], m.Z[2], none, m.Z[3]).Sub(com([]group.Scalar{starProduct(m.g, m.h, q.v)}, m.t)),
		at(q.w, m.C0, m.B[0], m.B[1]).Sub(com(m.f, m.rf)),
		at(q.w, m.Cbeta[0], m.Cbeta[1], none, m.Cbeta[2]).Sub(com([]group.Scalar{m.beta}, m.sigma)),
		at(q.w, m.E[0].A, m.E[1].A, before.A, m.E[2].A).Sub(after.A),
		at(q.w, m.E[0].B, m.E[1].B, before.B, m.E[2].B).Sub(after.B).Sub(g.MulBase(m.beta)),
	}
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof the
// responses and the elements that the simulator is given are uniform; they and the
// challenges determine the rest.
func TestSimulate(t *testing.T) {
	for n := 2; n <= 7; n++ {
		k := handtest.Secret(t).Key()
		o := handtest.OpeningOf(t, rotated(n)...)
		s := handtest.RemaskBy(k, handtest.MaskedCards(t, k, n), o)
		proof := handtest.ProveShuffle(t, argument, s, o)
		q, m := challengesOf(t, handtest.SlotContext(0), s, proof)
		m.simulate(q, s)
		testmust.Holdf(t, bytes.Equal(m.proofBytes(), proof), "%d cards: an honest proof is not determined", n)
		forgeFalse(t, s)
	}
}

// forgeFalse simulates a proof that one card is there twice.
func forgeFalse(t *testing.T, s masking.ShuffleStatement) {
	t.Helper()
	n := len(s.In)
	s = handtest.DoubledCard(t, s)
	v := handtest.NamedScalars(t, "simulator", 8+Size(g, n)/32)
	q := challenges{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]}
	var random []byte
	for i, s := range v[8:] {
		if i < 24 {
			random = g.MulBase(s).AppendTo(random)
		} else {
			random = s.AppendTo(random)
		}
	}
	forged := testmust.Have(parseMessage(g, random, n))(t)
	forged.simulate(q, s)
	handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { forged.addEquations(b, q, s) })
	testmust.Fail(t, handtest.VerifyAlone(argument, s, forged.proofBytes()), "a simulated proof is accepted under the challenges of the transcript")
}
