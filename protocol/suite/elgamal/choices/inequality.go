package choices

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// inequality is: none of Cards, masked under Key alone, has a face whose element is in Excluded. It is
// the short way to prove that cards have none of few faces, or all of them one of many.
//
// The prover multiplies cards and excluded faces by one secret scalar ρ, in order and in public. A card
// with an excluded face would show as an equal pair. (Blinding both sides of a comparison by one
// exponent: Meadows, "A More Efficient Cryptographic Matchmaking Protocol", IEEE S&P 1986; Huberman,
// Franklin, Hogg, "Enhancing Privacy and Trust in Electronic Communities", EC 1999. The proof that it
// was done: Maurer, "Unifying Zero-Knowledge Proofs of Knowledge", Africacrypt 2009; many equations by
// random weights: Bellare, Garay, Rabin, Eurocrypt 1998.)
//
// Letters and checks are those of the normative text, docs/spec/45-conditions.md, 45.5; security:
// docs/spec/46, 46.4.
//
// The second equation is left out of the weighted sum on purpose: V_1 fixes ρ before α is drawn. If all
// were summed, a prover could choose ρ to suit α, since in a group of prime order every sum is a
// multiple of every other. It could give a card with an excluded face any U_j that it knows as a
// multiple of the sum (TestUnpinned builds that forgery).
//
// One ρ serves all cards, so for cards whose elements are in a known ratio the U would reveal that
// ratio. For elements hashed to the group, and pairwise distinct faces, the V and U are random to
// everybody who does not know ρ (decisional Diffie–Hellman assumption). Prove refuses cards with equal
// faces, whose equality the U would reveal.
//
// It promises completeness; soundness against any prover, except with probability (n + k)/ℓ over the
// weights; and zero knowledge under the decisional Diffie–Hellman assumption for such faces; under
// Fiat–Shamir, in the random oracle model. The caller has to ensure that the cards are of the deck,
// each once: a card that masks something else has none of the excluded faces.
//
// All equations are linear between elements on the wire and go into a batch. The prover takes constant
// time in x, ρ and the faces of the cards.
type inequality struct {
	Key      *masking.Key
	Cards    []masking.Card
	Excluded []group.Element
}

// Label names the relation.
func (inequality) Label() string { return "condition/inequality/v1" }

// AppendTo absorbs the statement.
func (s inequality) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	b.Bytes("excluded", group.Encode(s.Excluded...))
}

// inequalitySize returns the length of a proof for so many cards and excluded faces, in
// bytes.
func inequalitySize(g *group.Group, cards, excluded int) int {
	return g.ElementSize*(cards+excluded) + relations.LinearSize(g, 3, 2)
}

func (s inequality) checkForm() error {
	if len(s.Cards) == 0 || len(s.Excluded) == 0 {
		return fmt.Errorf("an inequality of %d cards and %d faces", len(s.Cards), len(s.Excluded))
	}
	return nil
}

// inequalityProof is a proof. Its last part is T0, T1, T2, z1 and z2.
type inequalityProof struct {
	faces, cards []group.Element // V and U
	relations.LinearProof
}

func parseInequality(g *group.Group, bytes []byte, cards, excluded int) (*inequalityProof, error) {
	p := g.NewSizedParser(bytes, inequalitySize(g, cards, excluded))
	m := &inequalityProof{p.Elements(excluded), p.Elements(cards), relations.ParseLinear(p, 3, 2)}
	return m, p.Close()
}

// drawWeights draws α and returns its powers, first for V_2 … V_n and then for U_1 … U_k.
func (m *inequalityProof) drawWeights(t *transcript.Transcript) []group.Scalar {
	g := m.faces[0].Group()
	t.Append("V", group.Encode(m.faces...))
	t.Append("U", group.Encode(m.cards...))
	alpha := g.ScalarFromUniform(t.Challenge("alpha"))
	return group.Powers(g.One(), alpha, len(m.faces)-1+len(m.cards))
}

// linear returns the rows for ρ and σ: ρ·X − σ·G = 0, ρ·m_1 = V_1 and ρ·(m* + B*) − σ·A* = V* + U*.
func (s inequality) linear(m *inequalityProof, weights []group.Scalar) relations.Linear {
	var opened, first, image relations.Sum
	n := len(s.Excluded) - 1
	for i, alpha := range weights[:n] {
		opened = append(opened, group.Term{S: alpha, P: s.Excluded[i+1]})
		image = append(image, group.Term{S: alpha, P: m.faces[i+1]})
	}
	for j, alpha := range weights[n:] {
		opened = append(opened, group.Term{S: alpha, P: s.Cards[j].B})
		first = append(first, group.Term{S: alpha.Neg(), P: s.Cards[j].A})
		image = append(image, group.Term{S: alpha, P: m.cards[j]})
	}
	return relations.Linear{
		{Name: "T0", Bases: []relations.Sum{relations.Only(s.Key.Element()), {group.Minus(s.Key.Group().Generator())}}},
		{Name: "T1", Bases: []relations.Sum{relations.Only(s.Excluded[0]), nil}, Image: relations.Only(m.faces[0])},
		{Name: "T2", Bases: []relations.Sum{opened, first}, Image: image},
	}
}

// verify checks the form of a proof of s and that no blinded card equals a blinded excluded face, and
// adds the proof's equations to b.
func (s inequality) verify(t *transcript.Transcript, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	m, err := parseInequality(s.Key.Group(), bytes, len(s.Cards), len(s.Excluded))
	if err != nil {
		return err
	}
	if err := m.checkDisjoint(); err != nil {
		return err
	}
	t.Part(s)
	s.addEquations(t, m, b)
	return nil
}

func (s inequality) addEquations(t *transcript.Transcript, m *inequalityProof, b *group.Batch) {
	rows := s.linear(m, m.drawWeights(t))
	rows.DrawChallenge(t, &m.LinearProof)
	rows.AddEquations(b, m.LinearProof)
}

func (m *inequalityProof) checkDisjoint() error {
	faces := make(map[string]bool, len(m.faces))
	for _, v := range m.faces {
		faces[string(v.Bytes())] = true
	}
	for j, u := range m.cards {
		if faces[string(u.Bytes())] {
			return fmt.Errorf("card %d of the hand has an excluded face: %w", j+1, proof.ErrWrong)
		}
	}
	return nil
}
