// Package condition proves a fact about hidden cards: of these cards, at least
// Min and at most Max have a face in this set. No position is marked: who
// verifies learns nothing else.
//
// It is a disjunction of equalities of discrete logarithms with a threshold
// (Cramer, Damgård, Schoenmakers, "Proofs of Partial Knowledge and Simplified
// Design of Witness Hiding Protocols", Crypto 1994).
//
// "At most Max of k in Set" is "at least k − Max of k in the rest of the deck",
// so there is one relation, "at least t of k cards have a face in F", used once
// for each bound that says anything. A condition that says nothing, Min ≤ 0 and
// Max ≥ k, has the empty proof.
//
//	statement   X; cards (A_j, B_j), 1 ≤ j ≤ k; elements M_m of the faces in F; t
//	witness     x with X = x·G, and t cards j with a face m: B_j − M_m = x·A_j
//	branch      one pair (j, m), with challenge c_jm and response z_jm:
//	            T1_jm = z_jm·G − c_jm·X
//	            T2_jm = z_jm·A_j − c_jm·(B_j − M_m)
//	cards       c_j = Σ_m c_jm
//	challenge   c = H(context, statement, all T1_jm ‖ T2_jm)
//	check       the points (0, c), (1, c_1), …, (k, c_k) lie on a polynomial of
//	            degree at most k − t
//	proof       c ‖ c_1 … c_{k−t} ‖ for every card j: its c_jm but the last, and
//	            its z_jm; 32·(k − t + 1 + k·(2|F| − 1)) bytes
//
// The first k − t + 1 scalars determine the polynomial, hence every c_j, hence
// the last challenge of every card, hence all T; nothing in a proof is left
// free.
//
// Normative text: docs/spec/40-proofs.md, 40.6.
//
// It promises completeness, perfect special honest-verifier zero knowledge (of
// which cards, which faces and how many more than t), and special soundness:
// two answers to one set of commitments with c ≠ c' have polynomials that meet
// in at most k − t places, so on t cards some branch has two challenges and
// gives x. Under Fiat–Shamir, in the random oracle model.
//
// These proofs are checked at once and not in a batch: of a branch only its
// challenge and response are sent, which is half the bytes of the linear form.
//
// Constant time. The prover does the same multiplications for a true branch as
// for a simulated one (a true branch is a simulated one of challenge 0, whose
// challenge and response are put right afterwards), finds true branches by
// comparing all, selects by arithmetic, and interpolates through nodes that it
// moved together without a branch. What does depend on secrets is whether the
// condition holds at all: if not, Prove stops with proof.ErrFalse.
package condition

import (
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Statement is: of Cards, masked under Key alone, at least Min and at most Max
// have a face in Set.
type Statement struct {
	Key      *masking.Key
	Deck     *masking.Deck
	Cards    []masking.Card
	Set      card.Set
	Min, Max int
}

// Label names the relation.
func (Statement) Label() string { return "condition/v1" }

// AppendTo absorbs the statement.
func (s Statement) AppendTo(b *transcript.Binder) {
	deck := s.Deck.Deck().ID()
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("deck", deck[:])
	b.Bytes("cards", masking.Encode(s.Cards...))
	for _, word := range s.Set {
		b.Uint64("set", word)
	}
	b.Uint64("min", uint64(int64(s.Min)))
	b.Uint64("max", uint64(int64(s.Max)))
}

// Size returns the length of a proof of s, in bytes. Requires: s has its form.
func (s Statement) Size() int {
	scalars := 0
	for _, p := range s.parts() {
		scalars += p.size(len(s.Cards))
	}
	return scalars * group.ScalarSize
}

// part is one bound: at least need of the cards have one of these faces.
type part struct {
	challenge string // label of its challenge
	faces     []*group.Element
	need      int
}

// size returns the number of scalars in the proof of p for k cards.
func (p part) size(k int) int { return k - p.need + 1 + k*(2*len(p.faces)-1) }

// parts returns the bounds of s that say anything.
func (s Statement) parts() []part {
	var parts []part
	k := len(s.Cards)
	if s.Min > 0 {
		parts = append(parts, part{"at least", s.elements(s.Set), s.Min})
	}
	if s.Max < k {
		parts = append(parts, part{"at most", s.elements(s.Set.Complement(s.Deck.Deck())), k - s.Max})
	}
	return parts
}

func (s Statement) elements(set card.Set) []*group.Element {
	var elements []*group.Element
	for _, f := range set.Faces() {
		elements = append(elements, s.Deck.Element(f))
	}
	return elements
}

// check refuses a statement that has no meaning or cannot hold.
func (s Statement) check() error {
	if s.Min > s.Max || s.Max < 0 || s.Min > len(s.Cards) {
		return fmt.Errorf("condition: between %d and %d of %d cards", s.Min, s.Max, len(s.Cards))
	}
	if !s.Set.Within(s.Deck.Deck()) {
		return errors.New("condition: the set has a face that is not of the deck")
	}
	for _, p := range s.parts() {
		if len(p.faces) == 0 {
			return errors.New("condition: a card must have a face of an empty set")
		}
	}
	if err := masking.Hidden(s.Cards...); err != nil {
		return errors.Join(errors.New("condition: on a card that is not hidden"), err)
	}
	return s.distinct()
}

func (s Statement) distinct() error {
	first := make(map[string]int, len(s.Cards))
	for j, c := range s.Cards {
		if i, ok := first[string(c.Bytes())]; ok {
			return fmt.Errorf("condition: cards %d and %d are the same", i, j)
		}
		first[string(c.Bytes())] = j
	}
	return nil
}

// draw draws the challenge after all commitments of a part.
func (p part) draw(t *transcript.Transcript, commitments []*group.Element) group.Scalar {
	for i := 0; i < len(commitments); i += 2 {
		t.Append("T1", commitments[i].Bytes())
		t.Append("T2", commitments[i+1].Bytes())
	}
	return group.ScalarFromUniform(t.Challenge(p.challenge))
}

// interpolate returns p(0), p(1), …, p(k) for the polynomial p of degree below
// len(nodes) with p(nodes[q]) = values[q] (Lagrange). Requires: distinct nodes.
// It takes constant time in nodes and values.
func interpolate(nodes, values []group.Scalar, k int) []group.Scalar {
	scaled := make([]group.Scalar, len(nodes)) // values[q] / Π_{l≠q} (u_q − u_l)
	for q, u := range nodes {
		scaled[q] = values[q].Mul(product(u, nodes, q).Invert())
	}
	points := make([]group.Scalar, k+1)
	for j := range points {
		at := group.ScalarFromUint64(uint64(j))
		for q := range nodes {
			points[j] = points[j].Add(scaled[q].Mul(product(at, nodes, q)))
		}
	}
	return points
}

// product returns Π_{l≠q} (u − nodes[l]).
func product(u group.Scalar, nodes []group.Scalar, q int) group.Scalar {
	p := group.ScalarFromUint64(1)
	for l, node := range nodes {
		if l != q {
			p = p.Mul(u.Sub(node))
		}
	}
	return p
}
