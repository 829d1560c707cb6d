package condition

import (
	"crypto/subtle"
	"io"

	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prove proves s. It returns proof.ErrFalse if s does not hold. Requires: x is
// the secret of s.Key.
func Prove(ctx transcript.Context, s Statement, x group.Scalar, rand io.Reader) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	opened := make([]*group.Element, len(s.Cards))
	for j, c := range s.Cards {
		opened[j] = c.B.Sub(group.Mul(x, c.A))
	}
	t := transcript.New(ctx, s)
	nonces, err := t.Hedge(x.Bytes(), rand)
	if err != nil {
		return nil, err
	}
	bytes := make([]byte, 0, s.Size())
	for _, p := range s.parts() {
		prover := prover{s: s, part: p, x: x}
		if !prover.choose(opened) {
			return nil, proof.ErrFalse
		}
		if err := prover.commit(t, nonces); err != nil {
			return nil, err
		}
		bytes = prover.answer(bytes)
	}
	return bytes, nil
}

// prover is the prover of one part. Its slices are by card, then by face.
type prover struct {
	s Statement
	part
	x    group.Scalar
	real []int   // 1 on exactly need cards that have a face of the part
	hit  [][]int // 1 on the one true branch of each real card
	c, z [][]group.Scalar
	all  group.Scalar // the challenge
}

// choose finds the true branches and makes the first need cards that have one
// the real ones. It reports whether there are enough.
func (p *prover) choose(opened []*group.Element) bool {
	count := 0
	for _, v := range opened {
		hit, any := make([]int, len(p.faces)), 0
		for m, face := range p.faces {
			hit[m] = v.EqualMask(face)
			any |= hit[m]
		}
		real := any & subtle.ConstantTimeLessOrEq(count+1, p.need)
		count += real
		for m := range hit {
			hit[m] &= real
		}
		p.real, p.hit = append(p.real, real), append(p.hit, hit)
	}
	return count == p.need
}

// commit draws challenges and responses of all branches, the challenge of a
// true one being 0, computes the commitments, and draws the challenge.
func (p *prover) commit(t *transcript.Transcript, nonces io.Reader) error {
	var commitments []*group.Element
	for j, card := range p.s.Cards {
		random, err := group.RandomScalars(nonces, 2*len(p.faces))
		if err != nil {
			return err
		}
		c, z := random[:len(p.faces)], random[len(p.faces):]
		for m, face := range p.faces {
			c[m] = group.SelectScalar(p.hit[j][m], group.Scalar{}, c[m])
			t1 := group.MulBase(z[m]).Sub(p.s.Key.Table().Mul(c[m]))
			t2 := group.MultiMul([]group.Scalar{z[m], c[m].Neg()}, []*group.Element{card.A, card.B.Sub(face)})
			commitments = append(commitments, t1, t2)
		}
		p.c, p.z = append(p.c, c), append(p.z, z)
	}
	p.all = p.draw(t, commitments)
	return nil
}

// answer gives the true branches the challenges that the polynomial leaves for
// them, and their responses z + c·x, and appends the proof to bytes.
func (p *prover) answer(bytes []byte) []byte {
	k := len(p.s.Cards)
	sums := make([]group.Scalar, k) // of the simulated branches of each card
	for j := range sums {
		for _, c := range p.c[j] {
			sums[j] = sums[j].Add(c)
		}
	}
	nodes, values := p.simulated(sums)
	points := interpolate(nodes, values, k)
	for _, c := range points[:k-p.need+1] {
		bytes = c.AppendTo(bytes)
	}
	for j := range p.c {
		left := points[j+1].Sub(sums[j])
		for m := range p.c[j] {
			hit := p.hit[j][m]
			p.c[j][m] = group.SelectScalar(hit, left, p.c[j][m])
			p.z[j][m] = group.SelectScalar(hit, p.z[j][m].Add(left.Mul(p.x)), p.z[j][m])
		}
		for _, c := range p.c[j][:len(p.faces)-1] {
			bytes = c.AppendTo(bytes)
		}
		for _, z := range p.z[j] {
			bytes = z.AppendTo(bytes)
		}
	}
	return bytes
}

// simulated returns the nodes and values that fix the polynomial: 0 with the
// challenge, and every card that is not real with the sum of its challenges.
func (p *prover) simulated(sums []group.Scalar) (nodes, values []group.Scalar) {
	nodes = make([]group.Scalar, len(sums)-p.need+1)
	values = make([]group.Scalar, len(nodes))
	values[0] = p.all
	place := 0
	for j, sum := range sums {
		free := 1 - p.real[j]
		place += free
		for q := 1; q < len(nodes); q++ {
			here := free & subtle.ConstantTimeEq(int32(q), int32(place))
			nodes[q] = group.SelectScalar(here, group.ScalarFromUint64(uint64(j+1)), nodes[q])
			values[q] = group.SelectScalar(here, sum, values[q])
		}
	}
	return nodes, values
}
