package twocolumns

import (
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
)

// Answer is a proof with those of its responses that an extractor needs: ã, ḡ, h̄,
// f and τ̃.
type Answer struct {
	Proof            []byte
	Product, G, H, F []group.Scalar
	Tau              group.Scalar
}

// Read returns a proof and its responses.
func Read(proof []byte, cards int) (Answer, error) {
	m, err := parse(proof, cards)
	if err != nil {
		return Answer{}, err
	}
	return Answer{proof, m.a, m.g, m.h, m.f, m.tau}, nil
}

// Simulate replaces the elements C_d, C_δ, C_0, C_β0, E_0, Z_α, Z_β and Z_0 of a
// proof by those that the rest of it determines by equations (6) to (13) under given
// challenges. It knows no witness.
func Simulate(c Challenges, s shuffle.Statement, proof []byte) []byte {
	m, err := parse(proof, len(s.In))
	if err != nil {
		panic(err)
	}
	sides := leftSides(m, c, s)
	for i, determined := range []**group.Element{&m.Cd, &m.Cdelta, &m.Zalpha, &m.Zbeta, &m.Z[0], &m.C0, &m.Cbeta[0], &m.E[0].A, &m.E[0].B} {
		*determined = (*determined).Sub(sides[i])
	}
	return m.bytes()
}

// leftSides returns the left sides of (6) to (13), in the order in which they are
// checked. Each has an element with coefficient 1 that is in no other.
func leftSides(m *message, c Challenges, s shuffle.Statement) []*group.Element {
	q, g := c.own(), shuffle.Generators()
	com := func(a []group.Scalar, r group.Scalar) *group.Element {
		return group.MultiMul(append([]group.Scalar{r}, a...), g[:len(a)+1])
	}
	at := func(x group.Scalar, elements ...*group.Element) *group.Element { // Σ x^k·elements_k
		sum := group.Identity()
		for k := len(elements) - 1; k >= 0; k-- {
			sum = group.Mul(x, sum).Add(elements[k])
		}
		return sum
	}
	n := len(m.a)
	constant := func(v group.Scalar) *group.Element {
		list := make([]group.Scalar, n)
		for l := range list {
			list[l] = v
		}
		return com(list, group.Scalar{})
	}
	d := func(k int) *group.Element {
		return group.Mul(q.y, m.A[k]).Add(m.B[k]).Sub(constant(q.z))
	}
	full, steps := m.products(q), make([]group.Scalar, n-1)
	for l := range steps {
		steps[l] = q.c.Mul(full[l+1]).Sub(full[l].Mul(m.a[l+1]))
	}
	before := shuffle.Statement{Key: s.Key, Out: s.In}.Combine(group.Powers(one, q.x, len(s.In)), group.Scalar{})
	weights := make([]group.Scalar, len(s.Out))
	for i := range weights {
		weights[i] = m.f[i%n]
		if i < n {
			weights[i] = weights[i].Mul(q.w)
		}
	}
	after := s.Combine(weights, m.tau)
	none := group.Identity()
	return []*group.Element{
		at(q.c, m.Cd, m.H).Sub(com(m.a, m.ra)),
		at(q.c, m.Cdelta, m.CDelta).Sub(com(steps, m.sb)),
		at(q.e, m.Zalpha, d(1), constant(one.Neg())).Sub(com(m.g, m.rg)),
		at(q.e, m.Zbeta, group.Mul(q.u, m.H), group.Mul(q.u, d(0))).Sub(com(m.h, m.sh)),
		at(q.e, m.Z[0], m.Z[1], m.Z[2], none, m.Z[3]).Sub(com([]group.Scalar{star(m.g, m.h, q.v)}, m.t)),
		at(q.w, m.C0, m.B[0], m.B[1]).Sub(com(m.f, m.rf)),
		at(q.w, m.Cbeta[0], m.Cbeta[1], none, m.Cbeta[2]).Sub(com([]group.Scalar{m.beta}, m.sigma)),
		at(q.w, m.E[0].A, m.E[1].A, before.A, m.E[2].A).Sub(after.A),
		at(q.w, m.E[0].B, m.E[1].B, before.B, m.E[2].B).Sub(after.B).Sub(group.MulBase(m.beta)),
	}
}
