package choices

import (
	"fmt"

	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// subset is: Cards, masked under Key alone, have different faces whose elements are all in Faces. It is
// the short way if the set is hardly larger than k and the deck much larger.
//
// The prover masks the faces of the set that it does not hold anew, as fillers, and shows that cards
// and fillers together are the set in some order, by the argument of package bayergroth under its own
// key. It cannot use the factors that mask the cards, which others made. So the sum that the argument
// makes of the cards stays hidden in an encryption E*, which the prover opens with its key (Bayer and
// Groth, "Efficient Zero-Knowledge Argument for Correctness of a Shuffle", Eurocrypt 2012; Chaum and
// Pedersen, "Wallet Databases with Observers", Crypto 1992).
//
// Letters and checks are those of the normative text, docs/spec/45-conditions.md, 45.6, except that E*,
// the challenge χ and the secret x are F, x and s there; security: docs/spec/46, 46.5.
//
// It promises completeness for cards with pairwise distinct faces, as in one deck: two cards with one
// face cannot be proved to be in any set. It promises soundness under the discrete logarithm
// assumption, whatever the cards mask, and zero knowledge under the decisional Diffie–Hellman
// assumption, which hides the fillers; under Fiat–Shamir, in the random oracle model.
//
// All equations are linear and go into a batch. The prover takes constant time in x, in the faces of
// the cards and in everything it draws.
type subset struct {
	Key   *masking.Key
	Cards []masking.Card
	Faces []group.Element
}

// Label names the relation.
func (subset) Label() string { return "condition/subset/v1" }

// AppendTo absorbs the statement.
func (s subset) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	b.Bytes("faces", group.Encode(s.Faces...))
}

// subsetSize returns the length of a proof for so many cards in a set of so many faces,
// in bytes.
func subsetSize(g *group.Group, cards, faces int) int {
	return masking.CardSize(g)*(faces-cards) + bayergroth.Size(g, faces) + openingSize(g)
}

// openingSize returns the length of what follows the shuffle argument.
func openingSize(g *group.Group) int {
	return masking.CardSize(g) + relations.LinearSize(g, 2, 1)
}

func (s subset) checkForm() error {
	if k, n := len(s.Cards), len(s.Faces); k < 1 || n < max(k, 2) {
		return fmt.Errorf("%d cards in a set of %d faces", k, n)
	}
	return nil
}

// linear returns the rows for the secret x, of which the second opens E*: x·G = X, x·E_A = E_B − Σ
// χ^i·S_i.
func (s subset) linear(sum masking.Card, powers []group.Scalar) relations.Linear {
	opened := relations.Only(sum.B)
	for i, x := range powers {
		opened = append(opened, group.Term{S: x.Neg(), P: s.Faces[i]})
	}
	return relations.Linear{
		{Name: "T1", Bases: []relations.Sum{relations.Only(s.Key.Group().Generator())}, Image: relations.Only(s.Key.Element())},
		{Name: "T2", Bases: []relations.Sum{relations.Only(sum.A)}, Image: opened},
	}
}

// absorbOpening absorbs E* and the commitments of its opening. The names of these do not depend on the
// powers.
func (s subset) absorbOpening(t *transcript.Transcript, sum masking.Card, m relations.LinearProof) {
	t.Append("sum", sum.Bytes())
	s.linear(sum, nil).AbsorbCommitments(t, m)
}

// verify checks the form of a proof of s and adds its equations to b.
func (s subset) verify(t *transcript.Transcript, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	g, k, n := s.Key.Group(), len(s.Cards), len(s.Faces)
	if want := subsetSize(g, k, n); len(bytes) != want {
		return fmt.Errorf("the proof has %d bytes, must have %d", len(bytes), want)
	}
	first, argument := masking.CardSize(g)*(n-k), len(bytes)-openingSize(g)
	fillers, err := masking.ParseCards(g, bytes[:first])
	if err != nil {
		return fmt.Errorf("the fillers: %w", err)
	}
	p := g.NewParser(bytes[argument:])
	sum, m := masking.Card{A: p.Element(), B: p.Element()}, relations.ParseLinear(p, 2, 1)
	if err := p.Close(); err != nil {
		return err
	}
	t.Part(s)
	t.Append("fillers", bytes[:first])
	all := append(s.Cards[:k:k], fillers...)
	powers, c, err := bayergroth.VerifySum(t, s.Key, all, sum, bytes[first:argument], b, func() { s.absorbOpening(t, sum, m) })
	if err != nil {
		return err
	}
	m.C = c
	s.linear(sum, powers).AddEquations(b, m)
	return nil
}
