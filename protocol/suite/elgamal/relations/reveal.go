package relations

import (
	"fmt"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Reveal is: Tokens[j] is the share of Key's owner in Cards[j], for every j. There is one proof for all
// tokens of a message (Chaum and Pedersen, Crypto 1992; aggregated over the cards by random weights, as
// in RFC 9497, Section 2.2).
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
// RFC 9497 sends (c, z), which is 64 bytes. Here the commitments are sent, so that both checks are
// linear equations between elements on the wire, and thousands of them can be checked as one batch: 32
// bytes a message save a third of the verifier's time.
//
// Normative text: docs/spec/40-proofs.md, 40.3.
//
// It promises completeness, soundness (if some S_j ≠ x·A_j, then S* = x·A* with probability 1/ℓ over
// the weights, which are drawn after the whole statement is fixed) and honest-verifier zero knowledge.
// The whole cards are bound, not only their first components. The prover takes constant time in x and
// w.
//
// It does not say whether a token was due. The kernel, which computes the statement, ensures that the
// cards are those of the table's own history, and not a copy that somebody made of another seat's card.
type Reveal struct {
	Key    *masking.Key
	Cards  []masking.Card
	Tokens []masking.Token
}

// Label names the relation.
func (Reveal) Label() string { return "reveal/v1" }

// AppendTo absorbs the statement.
func (s Reveal) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	tokens := make([]byte, 0, s.Key.Group().ElementSize*len(s.Tokens))
	for _, t := range s.Tokens {
		tokens = t.S.AppendTo(tokens)
	}
	b.Bytes("tokens", tokens)
}

// Verify checks the form of the statement and of a proof and adds its equations
// to b.
func (s Reveal) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	return s.tokenShares().Verify(transcript.New(ctx, s), bytes, b)
}

// tokenShares returns the Shares that a bound statement proves.
func (s Reveal) tokenShares() Shares {
	r := Shares{Key: s.Key}
	for j, c := range s.Cards {
		r.Bases, r.Of = append(r.Bases, c.A), append(r.Of, s.Tokens[j].S)
	}
	return r
}

// Shares is: Of[j] = x·Bases[j] for the x of Key and every j. It is the argument without the cards; the
// caller must have absorbed its whole statement.
type Shares struct {
	Key       *masking.Key
	Bases, Of []group.Element
}

// Verify adds the equations of a proof to b. Requires: there is at least one base, and as many shares
// as bases.
func (s Shares) Verify(t *transcript.Transcript, bytes []byte, b *group.Batch) error {
	return s.linear(t).Verify(t, bytes, b)
}

// linear draws the weights. Its first row is about the key, its second about A* and S*.
func (s Shares) linear(t *transcript.Transcript) Linear {
	g := s.Key.Group()
	bases, shares := Only(s.Bases[0]), Only(s.Of[0])
	for j, base := range s.Bases[1:] {
		alpha := g.ScalarFromUniform(t.Challenge("alpha"))
		bases = append(bases, group.Term{S: alpha, P: base})
		shares = append(shares, group.Term{S: alpha, P: s.Of[j+1]})
	}
	return Linear{
		{"T1", []Sum{Only(g.Generator())}, Only(s.Key.Element())},
		{"T2", []Sum{bases}, shares},
	}
}

func (s Reveal) checkForm() error {
	if len(s.Cards) == 0 || len(s.Cards) != len(s.Tokens) {
		return fmt.Errorf("%d tokens for %d cards", len(s.Tokens), len(s.Cards))
	}
	for j, t := range s.Tokens {
		if t.S.IsIdentity() {
			return fmt.Errorf("token %d is the identity", j+1)
		}
	}
	return masking.CheckHidden("no token is due for an open card", s.Cards...)
}
