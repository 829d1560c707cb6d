package choices

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// InequalityStatement is: none of Cards, masked under Key alone, has a face whose element
// is in Excluded. It is the short way to say that cards have none of few faces, or all of
// them one of many.
//
// Cards and excluded faces are multiplied by one secret scalar ρ, in order and
// for all to see; a card that has an excluded face would show as an equal pair.
// (Blinding both sides of a comparison by one exponent: Meadows, "A More
// Efficient Cryptographic Matchmaking Protocol", IEEE S&P 1986; Huberman,
// Franklin, Hogg, "Enhancing Privacy and Trust in Electronic Communities", EC
// 1999. The proof that it was done: Maurer, "Unifying Zero-Knowledge Proofs of
// Knowledge", Africacrypt 2009; many equations by random weights: Bellare, Garay,
// Rabin, Eurocrypt 1998.)
//
// Letters and checks are those of the normative text, docs/spec/45-conditions.md, 45.5;
// security: docs/spec/46, 46.4.
//
// The second equation stays out of the weighted sum on purpose: V_1 fixes ρ before
// α is drawn. If all were summed, a prover could choose ρ to suit α, since in a
// group of prime order every sum is some multiple of every other: he would give a
// card with an excluded face any U_j that he knows as a multiple of the sum
// (TestUnpinned builds that forgery).
//
// One ρ serves all cards, so for cards whose elements are in a known ratio the U
// would tell that ratio. For elements that are hashed to the group, and faces that
// are pairwise distinct, the V and U are random to everybody who does not know ρ
// (decisional Diffie–Hellman assumption). Prove refuses cards that have equal
// faces, for which it would tell that.
//
// It promises completeness; soundness against any prover, but for probability
// (n + k)/ℓ of the weights; and zero knowledge under the decisional Diffie–Hellman
// assumption for faces as said; under Fiat–Shamir, in the random oracle model. It
// leaves to its caller that cards are of the deck, each once: a card that masks
// something else has none of the excluded faces, truly.
//
// All equations are linear between elements that are on the wire and go into a
// batch. The prover takes constant time in x, ρ and the faces of the cards.
type InequalityStatement struct {
	Key      *masking.Key
	Cards    []masking.Card
	Excluded []group.Element
}

// Label names the relation.
func (InequalityStatement) Label() string { return "condition/inequality/v1" }

// AppendTo absorbs the statement.
func (s InequalityStatement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	b.Bytes("excluded", group.Encode(s.Excluded...))
}

// InequalitySize returns the length of a proof for so many cards and excluded faces, in
// bytes.
func InequalitySize(g *group.Group, cards, excluded int) int {
	return g.ElementSize*(cards+excluded+3) + g.ScalarSize*2
}

func (s InequalityStatement) checkForm() error {
	if len(s.Cards) == 0 || len(s.Excluded) == 0 {
		return fmt.Errorf("an inequality of %d cards and %d faces", len(s.Cards), len(s.Excluded))
	}
	return nil
}

// inequalityProof is a proof.
type inequalityProof struct {
	faces, cards []group.Element // V and U
	t0, t1, t2   group.Element
	z1, z2       group.Scalar
}

func parseInequality(g *group.Group, bytes []byte, cards, excluded int) (*inequalityProof, error) {
	p := g.NewSizedParser(bytes, InequalitySize(g, cards, excluded))
	m := &inequalityProof{
		faces: p.Elements(excluded), cards: p.Elements(cards),
		t0: p.Element(), t1: p.Element(), t2: p.Element(),
		z1: p.Scalar(), z2: p.Scalar(),
	}
	return m, p.Close()
}

// drawInequalityWeights draws α and returns its powers: for V_2 … V_n, then U_1 … U_k.
func drawInequalityWeights(t *transcript.Transcript, m *inequalityProof) []group.Scalar {
	g := m.faces[0].Group()
	t.Append("V", group.Encode(m.faces...))
	t.Append("U", group.Encode(m.cards...))
	alpha := g.ScalarFromUniform(t.Challenge("alpha"))
	return group.Powers(g.One(), alpha, len(m.faces)-1+len(m.cards))
}

func drawInequalityChallenge(t *transcript.Transcript, m *inequalityProof) group.Scalar {
	t.Append("T0", m.t0.Bytes())
	t.Append("T1", m.t1.Bytes())
	t.Append("T2", m.t2.Bytes())
	return m.t0.Group().ScalarFromUniform(t.Challenge("c"))
}

// VerifyInequality checks the form of a proof of s, and that no card is blinded to the same
// as an excluded face, and adds the proof's equations to b.
func VerifyInequality(t *transcript.Transcript, s InequalityStatement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	t.Part(s)
	return verifyInequality(t, s, bytes, b)
}

func verifyInequality(t *transcript.Transcript, s InequalityStatement, bytes []byte, b *group.Batch) error {
	m, err := parseInequality(s.Key.Group(), bytes, len(s.Cards), len(s.Excluded))
	if err != nil {
		return err
	}
	if err := m.checkDisjoint(); err != nil {
		return err
	}
	s.verifyEquations(t, m, b)
	return nil
}

func (s InequalityStatement) verifyEquations(t *transcript.Transcript, m *inequalityProof, b *group.Batch) {
	weights := drawInequalityWeights(t, m)
	s.addEquations(b, m, weights, drawInequalityChallenge(t, m))
}

func (s InequalityStatement) addEquations(b *group.Batch, m *inequalityProof, weights []group.Scalar, c group.Scalar) {
	b.Add( // z1·X − z2·G − T0 = 0
		group.Term{S: m.z1, P: s.Key.Element()},
		group.Term{S: m.z2.Neg(), P: s.Key.Group().Generator()},
		group.Minus(m.t0),
	)
	b.Add( // z1·m_1 − T1 − c·V_1 = 0
		group.Term{S: m.z1, P: s.Excluded[0]},
		group.Minus(m.t1),
		group.Term{S: c.Neg(), P: m.faces[0]},
	)
	b.Add(s.weightedTerms(m, weights, c)...)
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

// weightedTerms returns z1·(m* + B*) − z2·A* − T2 − c·(V* + U*).
func (s InequalityStatement) weightedTerms(m *inequalityProof, weights []group.Scalar, c group.Scalar) []group.Term {
	terms := append(make([]group.Term, 0, 1+2*len(s.Excluded)+3*len(s.Cards)), group.Minus(m.t2))
	n := len(s.Excluded) - 1
	for i, alpha := range weights[:n] {
		terms = append(terms,
			group.Term{S: m.z1.Mul(alpha), P: s.Excluded[i+1]},
			group.Term{S: c.Mul(alpha).Neg(), P: m.faces[i+1]})
	}
	for j, alpha := range weights[n:] {
		terms = append(terms,
			group.Term{S: m.z1.Mul(alpha), P: s.Cards[j].B},
			group.Term{S: m.z2.Mul(alpha).Neg(), P: s.Cards[j].A},
			group.Term{S: c.Mul(alpha).Neg(), P: m.cards[j]})
	}
	return terms
}
