package choices

import (
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// verify checks a proof of s under t at once.
func (s threshold) verify(t *transcript.Transcript, bytes []byte, _ *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	t.Part(s)
	g := s.Key.Group()
	parser := g.NewSizedParser(bytes, thresholdSize(g, len(s.Cards), len(s.Faces), s.Need))
	scalars := parser.Scalars(len(bytes) / g.ScalarSize)
	if err := parser.Close(); err != nil {
		return err
	}
	if !s.matchesChallenge(t, scalars) {
		return proof.ErrWrong
	}
	return nil
}

// matchesChallenge computes all commitments from the proof and compares the challenge
// that follows from them with the one that was sent.
func (s threshold) matchesChallenge(t *transcript.Transcript, sent []group.Scalar) bool {
	return relations.DrawPairs(t, s.branchCommitments(s.splitBranches(sent))).Equal(sent[0])
}

// splitBranches returns challenges and responses by card and face.
func (s threshold) splitBranches(sent []group.Scalar) (c, z [][]group.Scalar) {
	k, f := len(s.Cards), len(s.Faces)
	known := k - s.Need + 1
	points, rest := pointsOf(s.Key.Group(), sent[:known], k), sent[known:]
	for j := range s.Cards {
		given, last := append([]group.Scalar(nil), rest[:f-1]...), points[j+1]
		for _, challenge := range given {
			last = last.Sub(challenge)
		}
		c, z = append(c, append(given, last)), append(z, rest[f-1:2*f-1])
		rest = rest[2*f-1:]
	}
	return c, z
}

// branchCommitments returns T1 and T2 of all branches.
func (s threshold) branchCommitments(c, z [][]group.Scalar) []group.Element {
	g := s.Key.Group()
	list := make([]group.Element, 0, 2*len(s.Cards)*len(s.Faces))
	for j, card := range s.Cards {
		for m, face := range s.Faces {
			minus := c[j][m].Neg()
			list = append(list,
				g.VartimeMultiMul([]group.Scalar{z[j][m], minus}, []group.Element{g.Generator(), s.Key.Element()}),
				g.VartimeMultiMul([]group.Scalar{z[j][m], minus}, []group.Element{card.A, card.B.Sub(face)}))
		}
	}
	return list
}

// pointsOf returns c, c_1, …, c_k from the first of them.
func pointsOf(g *group.Group, first []group.Scalar, k int) []group.Scalar {
	nodes := make([]group.Scalar, len(first))
	for q := range nodes {
		nodes[q] = g.ScalarFromUint64(uint64(q))
	}
	return interpolate(g, nodes, first, k)
}
