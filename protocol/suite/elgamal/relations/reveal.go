package relations

import (
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// RevealStatement is: Tokens[j] is the share of Key's owner in Cards[j], for every j.
// One proof is for all tokens of a message (Chaum and Pedersen, Crypto 1992; aggregated over the cards by
// random weights, as in RFC 9497, Section 2.2).
//
//	statement   X; cards with first components A_1 … A_k; tokens S_1 … S_k
//	witness     x with X = x·G and S_j = x·A_j for every j
//	weights     α_1 = 1; α_2 … α_k, full size, from the context and the whole
//	            statement; A* = Σ α_j·A_j, S* = Σ α_j·S_j
//	commitment  T1 = w·G, T2 = w·A*
//	challenge   c = H(context, statement, T1, T2)
//	response    z = w + c·x
//	checks      z·G − T1 − c·X = 0
//	            z·A* − T2 − c·S* = 0
//	proof       T1 ‖ T2 ‖ z, 96 bytes for any number of cards
//
// RFC 9497 sends (c, z), which is 64 bytes. Here the commitments are sent, so
// that both checks are linear equations between elements that are on the wire,
// and thousands of them can be checked as one batch: 32 bytes a message buy a
// third of the verifier's time.
//
// Normative text: docs/spec/40-proofs.md, 40.3.
//
// It promises completeness, soundness (if some S_j ≠ x·A_j, then S* = x·A*
// with probability 1/ℓ over the weights, which are drawn after all of the
// statement is fixed) and honest-verifier zero knowledge. The whole cards are
// bound, not only their first components. The prover takes constant time in x
// and w.
//
// It says nothing of whether a token was due: that the cards are those of the
// table's own history, and not a copy that somebody made of another seat's
// card, is for the kernel, which computes the statement.
type RevealStatement struct {
	Key    *masking.Key
	Cards  []masking.Card
	Tokens []masking.Token
}

// Label names the relation.
func (RevealStatement) Label() string { return "reveal/v1" }

// AppendTo absorbs the statement.
func (s RevealStatement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	tokens := make([]byte, 0, s.Key.Group().ElementSize*len(s.Tokens))
	for _, t := range s.Tokens {
		tokens = t.S.AppendTo(tokens)
	}
	b.Bytes("tokens", tokens)
}

// VerifyReveal checks the form of the statement and of a proof and adds its equations
// to b.
func VerifyReveal(ctx transcript.Context, s RevealStatement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	return verifyReveal(transcript.New(ctx, s), s, bytes, b)
}

func verifyReveal(t *transcript.Transcript, s RevealStatement, bytes []byte, b *group.Batch) error {
	return s.tokenShares().Verify(t, bytes, b)
}

// tokenShares is what is proved of a statement that is bound.
func (s RevealStatement) tokenShares() Shares {
	r := Shares{Key: s.Key}
	for j, c := range s.Cards {
		r.Bases, r.Of = append(r.Bases, c.A), append(r.Of, s.Tokens[j].S)
	}
	return r
}

// Shares is: Of[j] = x·Bases[j] for the x of Key and every j. It is the argument without
// the cards, for which the caller has absorbed all of its own statement.
type Shares struct {
	Key       *masking.Key
	Bases, Of []group.Element
}

// Verify adds the equations of a proof to b. Requires: there are bases, and as many shares.
func (s Shares) Verify(t *transcript.Transcript, bytes []byte, b *group.Batch) error {
	p := s.Key.Group().NewParser(bytes)
	t1, t2, z := p.Element(), p.Element(), p.Scalar()
	if err := p.Close(); err != nil {
		return err
	}
	weights := s.drawWeights(t)
	s.addEquations(b, weights, t1, t2, drawRevealChallenge(t, t1, t2), z)
	return nil
}

func (s Shares) addEquations(b *group.Batch, weights []group.Scalar, t1, t2 group.Element, c, z group.Scalar) {
	b.Add( // z·G − T1 − c·X = 0
		group.Term{S: z, P: s.Key.Group().Generator()},
		group.Minus(t1),
		group.Term{S: c.Neg(), P: s.Key.Element()},
	)
	// Σ z·α_j·A_j − T2 − Σ c·α_j·S_j = 0
	terms := make([]group.Term, 0, 1+2*len(weights))
	terms = append(terms, group.Minus(t2))
	for j, alpha := range weights {
		terms = append(terms,
			group.Term{S: z.Mul(alpha), P: s.Bases[j]},
			group.Term{S: c.Mul(alpha).Neg(), P: s.Of[j]})
	}
	b.Add(terms...)
}

func (s RevealStatement) checkForm() error {
	if len(s.Cards) == 0 || len(s.Cards) != len(s.Tokens) {
		return fmt.Errorf("%d tokens for %d cards", len(s.Tokens), len(s.Cards))
	}
	for j, t := range s.Tokens {
		if t.S.IsIdentity() {
			return fmt.Errorf("token %d is the identity", j+1)
		}
	}
	if err := masking.CheckHidden(s.Cards...); err != nil {
		return errors.Join(errors.New("no token is due for an open card"), err)
	}
	return nil
}

func (s Shares) drawWeights(t *transcript.Transcript) []group.Scalar {
	g := s.Key.Group()
	weights := make([]group.Scalar, len(s.Bases))
	weights[0] = g.One()
	for j := 1; j < len(weights); j++ {
		weights[j] = g.ScalarFromUniform(t.Challenge("alpha"))
	}
	return weights
}

func drawRevealChallenge(t *transcript.Transcript, t1, t2 group.Element) group.Scalar {
	t.Append("T1", t1.Bytes())
	t.Append("T2", t2.Bytes())
	return t1.Group().ScalarFromUniform(t.Challenge("c"))
}
