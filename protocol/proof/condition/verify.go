package condition

import (
	"fmt"

	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Verify checks a proof of s.
func Verify(ctx transcript.Context, s Statement, bytes []byte) error {
	if err := s.check(); err != nil {
		return err
	}
	return verify(transcript.New(ctx, s), s, bytes)
}

func verify(t *transcript.Transcript, s Statement, bytes []byte) error {
	if len(bytes) != s.Size() {
		return fmt.Errorf("condition: proof of %d bytes, must have %d", len(bytes), s.Size())
	}
	parser := group.NewParser(bytes)
	scalars := parser.Scalars(len(bytes) / group.ScalarSize)
	if err := parser.Close(); err != nil {
		return fmt.Errorf("condition: %w", err)
	}
	for _, p := range s.parts() {
		n := p.size(len(s.Cards))
		if !p.holds(t, s, scalars[:n]) {
			return fmt.Errorf("condition: the proof of %q is wrong", p.challenge)
		}
		scalars = scalars[n:]
	}
	return nil
}

// holds computes all commitments from the proof and compares the challenge
// that follows from them with the one in the proof.
func (p part) holds(t *transcript.Transcript, s Statement, proof []group.Scalar) bool {
	k, f := len(s.Cards), len(p.faces)
	known := k - p.need + 1
	points, rest := p.points(proof[:known], k), proof[known:]
	commitments := make([]*group.Element, 0, 2*k*f)
	for j, card := range s.Cards {
		c := append([]group.Scalar(nil), rest[:f-1]...)
		z := rest[f-1 : 2*f-1]
		rest = rest[2*f-1:]
		last := points[j+1]
		for _, given := range c {
			last = last.Sub(given)
		}
		c = append(c, last)
		for m, face := range p.faces {
			minus := c[m].Neg()
			commitments = append(commitments,
				group.VartimeMultiMul([]group.Scalar{z[m], minus}, []*group.Element{group.Generator(), s.Key.Element()}),
				group.VartimeMultiMul([]group.Scalar{z[m], minus}, []*group.Element{card.A, card.B.Sub(face)}))
		}
	}
	return p.draw(t, commitments).Equal(proof[0])
}

// points returns c, c_1, …, c_k from the first of them.
func (p part) points(first []group.Scalar, k int) []group.Scalar {
	nodes := make([]group.Scalar, len(first))
	for q := range nodes {
		nodes[q] = group.ScalarFromUint64(uint64(q))
	}
	return interpolate(nodes, first, k)
}
