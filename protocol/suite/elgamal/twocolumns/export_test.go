package twocolumns

import (
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// testGroup is the group of the tests.
var testGroup = group.Ristretto255()

// VerifyUnder verifies under a transcript of the caller's.
var VerifyUnder = verify

// Height returns n.
var Height = columnHeight

// Labelled gives a statement this argument's label.
func Labelled(s shuffle.Statement) transcript.Statement { return labelledStatement{s} }

// Challenges are all challenges of a proof.
type Challenges struct{ X, Y, Z, U, V, C, W, E group.Scalar }

func (c Challenges) own() challenges { return challenges{c.X, c.Y, c.Z, c.U, c.V, c.C, c.W, c.E} }

// ChallengesOf draws the challenges that a proof has under t.
func ChallengesOf(t *transcript.Transcript, proof []byte, cards int) (Challenges, error) {
	m, err := parseMessage(testGroup, proof, cards)
	if err != nil {
		return Challenges{}, err
	}
	var q challenges
	q.drawX(t, m)
	q.drawYZ(t, m)
	q.drawUVCW(t, m)
	q.drawE(t, m)
	return Challenges{q.x, q.y, q.z, q.u, q.v, q.c, q.w, q.e}, nil
}

// Forger is the honest prover but for what he is told.
type Forger struct {
	Permutation []uint16                                   // π of all 2n places, if not that of the opening
	B           func(powers []group.Scalar) []group.Scalar // b of all 2n places, if not x^π(i)
	Balance     bool                                       // scales p, which is then no Hadamard product, so that Π p_l = P
}

// ProveUnder proves s under t as the forger likes.
func (f Forger) ProveUnder(t *transcript.Transcript, s shuffle.Statement, o masking.Opening, rand io.Reader) ([]byte, error) {
	k, err := drawNonces(testGroup, rand, columnHeight(len(s.In)))
	if err != nil {
		return nil, err
	}
	return f.prove(s, o, k, func(draw func(*challenges, *transcript.Transcript, *message), q *challenges, m *message) {
		draw(q, t, m)
	}), nil
}

// ProveAt proves s as the forger likes, who is given the challenges. Equal
// coins give equal nonces: it is how a prover is rewound.
func (f Forger) ProveAt(c Challenges, s shuffle.Statement, o masking.Opening, coins io.Reader) ([]byte, error) {
	k, err := drawNonces(testGroup, coins, columnHeight(len(s.In)))
	if err != nil {
		return nil, err
	}
	return f.prove(s, o, k, func(_ func(*challenges, *transcript.Transcript, *message), q *challenges, _ *message) { *q = c.own() }), nil
}

func (f Forger) prove(s shuffle.Statement, o masking.Opening, k *nonces, ask func(func(*challenges, *transcript.Transcript, *message), *challenges, *message)) []byte {
	p := newProver(s, o, k)
	if f.Permutation != nil {
		p.pi = f.Permutation
	}
	var q challenges
	p.commitPermutation()
	ask((*challenges).drawX, &q, &p.m)
	p.commitPowers(q)
	if f.B != nil {
		p.b = f.B(group.Powers(testGroup.One(), q.x, 2*p.n))
		p.m.B = [2]group.Element{shuffle.CommitVector(testGroup, p.b[:p.n], k.s[0]), shuffle.CommitVector(testGroup, p.b[p.n:], k.s[1])}
	}
	ask((*challenges).drawYZ, &q, &p.m)
	p.multiplyColumns(q)
	if f.Balance {
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
	want := challenges{x: q.x, y: q.y, z: q.z, c: testGroup.One()}
	full := (&message{H: testGroup.Generator(), a: make([]group.Scalar, p.n)}).partialProducts(want)
	factor := full[len(full)-1].Mul(p.q[p.n-1].Invert())
	p.p[0] = p.p[0].Mul(factor)
	for l := range p.q {
		p.q[l] = p.q[l].Mul(factor)
	}
}

// HoldsAt checks all equations of a proof under given challenges.
func HoldsAt(c Challenges, s shuffle.Statement, proof []byte, rand io.Reader) error {
	m, err := parseMessage(testGroup, proof, len(s.In))
	if err != nil {
		return err
	}
	var b group.Batch
	m.addEquations(&b, c.own(), s)
	return b.Check(rand)
}

// Failing returns the parts of the argument whose equations do not hold.
func Failing(c Challenges, s shuffle.Statement, proof []byte, rand io.Reader) ([]string, error) {
	m, err := parseMessage(testGroup, proof, len(s.In))
	if err != nil {
		return nil, err
	}
	var failing []string
	for name, add := range map[string]func(*group.Batch){
		"product":     func(b *group.Batch) { m.checkProduct(b, c.own()) },
		"zero":        func(b *group.Batch) { m.checkZero(b, c.own()) },
		"combination": func(b *group.Batch) { m.checkCombination(b, c.own(), s) },
	} {
		var b group.Batch
		add(&b)
		if b.Check(rand) != nil {
			failing = append(failing, name)
		}
	}
	slices.Sort(failing)
	return failing, nil
}

// Answer is a proof with those of its responses that an extractor needs: ã, ḡ, h̄,
// f and τ̃.
type Answer struct {
	Proof            []byte
	Product, G, H, F []group.Scalar
	Tau              group.Scalar
}

// Read returns a proof and its responses.
func Read(proof []byte, cards int) (Answer, error) {
	m, err := parseMessage(testGroup, proof, cards)
	if err != nil {
		return Answer{}, err
	}
	return Answer{proof, m.a, m.g, m.h, m.f, m.tau}, nil
}

// Simulate replaces the elements C_d, C_δ, C_0, C_β0, E_0, Z_α, Z_β and Z_0 of a
// proof by those that the rest of it determines by equations (6) to (13) under given
// challenges. It knows no witness.
func Simulate(c Challenges, s shuffle.Statement, proof []byte) []byte {
	m, err := parseMessage(testGroup, proof, len(s.In))
	if err != nil {
		panic(err)
	}
	sides := leftSides(m, c, s)
	for i, determined := range []*group.Element{&m.Cd, &m.Cdelta, &m.Zalpha, &m.Zbeta, &m.Z[0], &m.C0, &m.Cbeta[0], &m.E[0].A, &m.E[0].B} {
		*determined = (*determined).Sub(sides[i])
	}
	return m.proofBytes()
}

// leftSides returns the left sides of (6) to (13), in the order in which they are
// checked. Each has an element with coefficient 1 that is in no other.
func leftSides(m *message, c Challenges, s shuffle.Statement) []group.Element {
	q, g := c.own(), shuffle.Generators(testGroup)
	com := func(a []group.Scalar, r group.Scalar) group.Element {
		return testGroup.MultiMul(append([]group.Scalar{r}, a...), g[:len(a)+1])
	}
	at := func(x group.Scalar, elements ...group.Element) group.Element { // Σ x^k·elements_k
		sum := testGroup.Identity()
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
	before := shuffle.Statement{Key: s.Key, Out: s.In}.CombineCards(group.Powers(testGroup.One(), q.x, len(s.In)), group.Scalar{})
	weights := make([]group.Scalar, len(s.Out))
	for i := range weights {
		weights[i] = m.f[i%n]
		if i < n {
			weights[i] = weights[i].Mul(q.w)
		}
	}
	after := s.CombineCards(weights, m.tau)
	none := testGroup.Identity()
	return []group.Element{
		at(q.c, m.Cd, m.H).Sub(com(m.a, m.ra)),
		at(q.c, m.Cdelta, m.CDelta).Sub(com(steps, m.sb)),
		at(q.e, m.Zalpha, d(1), constant(testGroup.One().Neg())).Sub(com(m.g, m.rg)),
		at(q.e, m.Zbeta, group.Mul(q.u, m.H), group.Mul(q.u, d(0))).Sub(com(m.h, m.sh)),
		at(q.e, m.Z[0], m.Z[1], m.Z[2], none, m.Z[3]).Sub(com([]group.Scalar{starProduct(m.g, m.h, q.v)}, m.t)),
		at(q.w, m.C0, m.B[0], m.B[1]).Sub(com(m.f, m.rf)),
		at(q.w, m.Cbeta[0], m.Cbeta[1], none, m.Cbeta[2]).Sub(com([]group.Scalar{m.beta}, m.sigma)),
		at(q.w, m.E[0].A, m.E[1].A, before.A, m.E[2].A).Sub(after.A),
		at(q.w, m.E[0].B, m.E[1].B, before.B, m.E[2].B).Sub(after.B).Sub(testGroup.MulBase(m.beta)),
	}
}
