package choices

import (
	"crypto/subtle"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// prove proves s under t, which must have absorbed the place of the proof. It
// returns proof.ErrFalse if s does not hold. Requires: x is the secret of s.Key,
// opened[j] = B_j − x·A_j, and nonces are hedged by x and the place.
func (s threshold) prove(t *transcript.Transcript, x group.Scalar, opened []group.Element, nonces *transcript.Stream) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	t.Part(s)
	p := thresholdProver{s: s, x: x}
	if !p.chooseBranches(opened) {
		return nil, proof.ErrFalse
	}
	if err := p.commitBranches(t, nonces); err != nil {
		return nil, err
	}
	return p.answerBranches(), nil
}

// thresholdProver's slices are by card, then by face.
type thresholdProver struct {
	s    threshold
	x    group.Scalar
	real []int   // 1 on exactly s.Need cards that have one of the faces
	hit  [][]int // 1 on the one true branch of each real card
	c, z [][]group.Scalar
	all  group.Scalar // the challenge c
}

// chooseBranches finds the true branches, and makes the first Need cards with one the real ones. It
// reports whether there are enough.
func (p *thresholdProver) chooseBranches(opened []group.Element) bool {
	count := 0
	for _, v := range opened {
		hit, any := make([]int, len(p.s.Faces)), 0
		for m, face := range p.s.Faces {
			hit[m] = v.EqualMask(face)
			any |= hit[m]
		}
		real := any & subtle.ConstantTimeLessOrEq(count+1, p.s.Need)
		count += real
		for m := range hit {
			hit[m] &= real
		}
		p.real, p.hit = append(p.real, real), append(p.hit, hit)
	}
	return count == p.s.Need
}

// commitBranches draws challenges and responses of all branches, with challenge 0 for a true branch,
// computes the commitments, and draws the challenge.
func (p *thresholdProver) commitBranches(t *transcript.Transcript, nonces *transcript.Stream) error {
	g := p.s.Key.Group()
	var commitments []group.Element
	for j, card := range p.s.Cards {
		random, err := g.RandomScalars(nonces, 2*len(p.s.Faces))
		if err != nil {
			return err
		}
		c, z := random[:len(p.s.Faces)], random[len(p.s.Faces):]
		for m, face := range p.s.Faces {
			c[m] = group.SelectScalar(p.hit[j][m], group.Scalar{}, c[m])
			t1 := g.MulBase(z[m]).Sub(p.s.Key.Table().Mul(c[m]))
			t2 := g.MultiMul([]group.Scalar{z[m], c[m].Neg()}, []group.Element{card.A, card.B.Sub(face)})
			commitments = append(commitments, t1, t2)
		}
		p.c, p.z = append(p.c, c), append(p.z, z)
	}
	p.all = relations.DrawPairs(t, commitments)
	return nil
}

// answerBranches gives the true branches the challenges that the polynomial leaves for them and the
// responses z + c·x, and returns the proof.
func (p *thresholdProver) answerBranches() []byte {
	k := len(p.s.Cards)
	sums := make([]group.Scalar, k) // of the simulated branches of each card
	for j := range sums {
		for _, c := range p.c[j] {
			sums[j] = sums[j].Add(c)
		}
	}
	nodes, values := p.simulatedPoints(sums)
	points := interpolate(p.s.Key.Group(), nodes, values, k)
	bytes := make([]byte, 0, thresholdSize(p.s.Key.Group(), k, len(p.s.Faces), p.s.Need))
	for _, c := range points[:k-p.s.Need+1] {
		bytes = c.AppendTo(bytes)
	}
	for j := range p.c {
		left := points[j+1].Sub(sums[j])
		for m := range p.c[j] {
			hit := p.hit[j][m]
			p.c[j][m] = group.SelectScalar(hit, left, p.c[j][m])
			p.z[j][m] = group.SelectScalar(hit, p.z[j][m].Add(left.Mul(p.x)), p.z[j][m])
		}
		for _, c := range p.c[j][:len(p.s.Faces)-1] {
			bytes = c.AppendTo(bytes)
		}
		for _, z := range p.z[j] {
			bytes = z.AppendTo(bytes)
		}
	}
	return bytes
}

// simulatedPoints returns the nodes and values that fix the polynomial: 0 with the challenge, and every
// card that is not real with the sum of its challenges.
func (p *thresholdProver) simulatedPoints(sums []group.Scalar) (nodes, values []group.Scalar) {
	nodes = make([]group.Scalar, len(sums)-p.s.Need+1)
	values = make([]group.Scalar, len(nodes))
	values[0] = p.all
	place := 0
	for j, sum := range sums {
		free := 1 - p.real[j]
		place += free
		for q := 1; q < len(nodes); q++ {
			here := free & subtle.ConstantTimeEq(int32(q), int32(place))
			nodes[q] = group.SelectScalar(here, p.s.Key.Group().ScalarFromUint64(uint64(j+1)), nodes[q])
			values[q] = group.SelectScalar(here, sum, values[q])
		}
	}
	return nodes, values
}
