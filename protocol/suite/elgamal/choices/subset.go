package choices

import (
	"fmt"

	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// SubsetStatement is: Cards, masked under Key alone, have different faces whose elements
// are all in Faces. It is the short way if the set is hardly larger than k and the deck much larger.
//
// The prover masks the faces of the set that he does not hold anew, as fillers,
// and shows that cards and fillers together are the set in some order: the shuffle
// argument of package bayergroth under his own key. He cannot tell it the factors
// that mask the cards, which others made; so the sum that the argument makes of
// the cards stays hidden in an encryption E*, and he opens that with his key
// (Bayer and Groth, "Efficient Zero-Knowledge Argument for Correctness of a
// Shuffle", Eurocrypt 2012; Chaum and Pedersen, "Wallet Databases with Observers",
// Crypto 1992).
//
// Letters and checks are those of the normative text, docs/spec/45-conditions.md, 45.6,
// but that E*, the challenge χ and the secret x are F, x and s there; security:
// docs/spec/46, 46.5.
//
// It promises completeness for cards with pairwise distinct faces, as those of one
// deck are: two cards with one face cannot be proved to be in any set. It promises
// soundness under the discrete logarithm assumption, whatever the cards mask, and
// zero knowledge under the decisional Diffie–Hellman assumption, which hides the
// fillers; under Fiat–Shamir, in the random oracle model.
//
// All equations are linear and go into a batch. The prover takes constant time in
// x, in the faces of the cards and in all it draws.
type SubsetStatement struct {
	Key   *masking.Key
	Cards []masking.Card
	Faces []group.Element
}

// Label names the relation.
func (SubsetStatement) Label() string { return "condition/subset/v1" }

// AppendTo absorbs the statement.
func (s SubsetStatement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	b.Bytes("faces", group.Encode(s.Faces...))
}

// SubsetSize returns the length of a proof for so many cards in a set of so many faces,
// in bytes.
func SubsetSize(g *group.Group, cards, faces int) int {
	return masking.CardSize(g)*(faces-cards) + bayergroth.Size(g, faces) + openingSize(g)
}

// openingSize is the length of what follows the shuffle argument.
func openingSize(g *group.Group) int {
	return masking.CardSize(g) + 2*g.ElementSize + g.ScalarSize
}

func (s SubsetStatement) checkForm() error {
	if k, n := len(s.Cards), len(s.Faces); k < 1 || n < max(k, 2) {
		return fmt.Errorf("%d cards in a set of %d faces", k, n)
	}
	return nil
}

func absorbSum(t *transcript.Transcript, sum masking.Card, t1, t2 group.Element) {
	t.Append("sum", sum.Bytes())
	t.Append("T1", t1.Bytes())
	t.Append("T2", t2.Bytes())
}

// VerifySubset checks the form of a proof of s and adds its equations to b.
func VerifySubset(t *transcript.Transcript, s SubsetStatement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	t.Part(s)
	return verifySubset(t, s, bytes, b)
}

func verifySubset(t *transcript.Transcript, s SubsetStatement, bytes []byte, b *group.Batch) error {
	g, k, n := s.Key.Group(), len(s.Cards), len(s.Faces)
	if want := SubsetSize(g, k, n); len(bytes) != want {
		return fmt.Errorf("the proof has %d bytes, must have %d", len(bytes), want)
	}
	first, argument := masking.CardSize(g)*(n-k), len(bytes)-openingSize(g)
	fillers, err := masking.ParseCards(g, bytes[:first])
	if err != nil {
		return fmt.Errorf("the fillers: %w", err)
	}
	p := g.NewParser(bytes[argument:])
	sum, t1, t2, z := masking.Card{A: p.Element(), B: p.Element()}, p.Element(), p.Element(), p.Scalar()
	if err := p.Close(); err != nil {
		return err
	}
	t.Append("fillers", bytes[:first])
	all := append(s.Cards[:k:k], fillers...)
	powers, c, err := bayergroth.VerifySum(t, s.Key, all, sum, bytes[first:argument], b, func() { absorbSum(t, sum, t1, t2) })
	if err != nil {
		return err
	}
	s.addOpening(b, powers, c, sum, t1, t2, z)
	return nil
}

// addOpening adds the equations of the opening of E*.
func (s SubsetStatement) addOpening(b *group.Batch, powers []group.Scalar, c group.Scalar, sum masking.Card, t1, t2 group.Element, z group.Scalar) {
	b.Add( // z·G − T1 − c·X = 0
		group.Term{S: z, P: s.Key.Group().Generator()},
		group.Minus(t1),
		group.Term{S: c.Neg(), P: s.Key.Element()},
	)
	terms := []group.Term{ // z·E_A − T2 − c·E_B + Σ c·χ^i·S_i = 0
		{S: z, P: sum.A},
		group.Minus(t2),
		{S: c.Neg(), P: sum.B},
	}
	for i, face := range s.Faces {
		terms = append(terms, group.Term{S: c.Mul(powers[i]), P: face})
	}
	b.Add(terms...)
}
