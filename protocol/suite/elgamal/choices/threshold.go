package choices

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// threshold is: at least Need of Cards, masked under Key alone, have a face whose
// element is in Faces. No card is marked: the verifier learns nothing else.
//
// It is a disjunction of equalities of discrete logarithms with a threshold
// (Cramer, Damgård, Schoenmakers, "Proofs of Partial Knowledge and Simplified
// Design of Witness Hiding Protocols", Crypto 1994).
//
// A branch is a pair of a card j and a face m, with challenge c_jm and response z_jm. The
// challenges of a card sum to c_j, and c, c_1, …, c_k lie on a polynomial of degree at
// most k − t. Letters and checks are those of the normative text,
// docs/spec/45-conditions.md, 45.4; security: docs/spec/46, 46.3.
//
// The first k − t + 1 scalars determine the polynomial, hence every c_j, hence the last challenge of
// every card, hence all T. Nothing in a proof is left free.
//
// It promises completeness, perfect special honest-verifier zero knowledge (about which cards, which
// faces, and how many more than t), and special soundness: two answers to one set of commitments with c
// ≠ c' have polynomials that meet in at most k − t places, so on t cards some branch has two challenges
// and gives x. Under Fiat–Shamir, in the random oracle model. It asks nothing of the cards: they need
// not be of the deck, nor have distinct faces.
//
// The proof is checked at once and not in a batch: only the challenge and response of a branch are
// sent, half the bytes of the linear form.
//
// Constant time. The prover does the same multiplications for a true branch as for a simulated one (a
// true branch is a simulated one of challenge 0, whose challenge and response are corrected
// afterwards). It finds true branches by comparing all, selects by arithmetic, and interpolates through
// nodes that it moves together without a branch. Only whether the statement holds at all depends on
// secrets: if not, Prove stops with proof.ErrFalse.
type threshold struct {
	Key   *masking.Key
	Cards []masking.Card
	Faces []group.Element
	Need  int
}

// Label names the relation.
func (threshold) Label() string { return "condition/threshold/v1" }

// AppendTo absorbs the statement.
func (s threshold) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	b.Bytes("faces", group.Encode(s.Faces...))
	b.Uint64("need", uint64(int64(s.Need)))
}

// thresholdSize returns the length of a proof that need of so many cards have one of so
// many faces, in bytes.
func thresholdSize(g *group.Group, cards, faces, need int) int {
	return g.ScalarSize * (cards - need + 1 + cards*(2*faces-1))
}

func (s threshold) checkForm() error {
	if s.Need < 1 || s.Need > len(s.Cards) || len(s.Faces) == 0 {
		return fmt.Errorf("%d of %d cards with one of %d faces", s.Need, len(s.Cards), len(s.Faces))
	}
	return nil
}

// interpolate returns p(0), p(1), …, p(k) for the polynomial p of degree below
// len(nodes) with p(nodes[q]) = values[q] (Lagrange). Requires: distinct nodes.
// It takes constant time in nodes and values.
func interpolate(g *group.Group, nodes, values []group.Scalar, k int) []group.Scalar {
	scaled := make([]group.Scalar, len(nodes)) // values[q] / Π_{l≠q} (u_q − u_l)
	for q, u := range nodes {
		scaled[q] = values[q]
		if len(nodes) > 1 {
			scaled[q] = values[q].Mul(nodeProduct(g, u, nodes, q).Invert())
		}
	}
	points := make([]group.Scalar, k+1)
	for j := range points {
		at := g.ScalarFromUint64(uint64(j))
		for q := range nodes {
			points[j] = points[j].Add(scaled[q].Mul(nodeProduct(g, at, nodes, q)))
		}
	}
	return points
}

// nodeProduct returns Π_{l≠q} (u − nodes[l]).
func nodeProduct(g *group.Group, u group.Scalar, nodes []group.Scalar, q int) group.Scalar {
	p := g.One()
	for l, node := range nodes {
		if l != q {
			p = p.Mul(u.Sub(node))
		}
	}
	return p
}

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

// matchesChallenge computes all commitments from the proof, and compares the challenge that follows
// from them with the one sent.
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

// pointsOf returns c, c_1, …, c_k, interpolated from the first of them.
func pointsOf(g *group.Group, first []group.Scalar, k int) []group.Scalar {
	nodes := make([]group.Scalar, len(first))
	for q := range nodes {
		nodes[q] = g.ScalarFromUint64(uint64(q))
	}
	return interpolate(g, nodes, first, k)
}
