// Code generated from ristretto255/reveal/reveal.go by go generate ./protocol/suite; DO NOT EDIT.

// Package reveal is protocol/suite/ristretto255/reveal over the classes of squares modulo the 2048-bit
// prime of RFC 3526 (package protocol/suite/qr2048/group) in place of ristretto255.
package reveal

import (
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/suite/qr2048/group"
	"github.com/pakli/pakli/protocol/suite/qr2048/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Statement is: Tokens[j] is the share of Key's owner in Cards[j], for every j.
type Statement struct {
	Key    *masking.Key
	Cards  []masking.Card
	Tokens []masking.Token
}

// Label names the relation.
func (Statement) Label() string { return "reveal/v1" }

// AppendTo absorbs the statement.
func (s Statement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	tokens := make([]byte, 0, group.ElementSize*len(s.Tokens))
	for _, t := range s.Tokens {
		tokens = t.S.AppendTo(tokens)
	}
	b.Bytes("tokens", tokens)
}

// Verify checks the form of the statement and of a proof and adds its equations
// to b.
func Verify(ctx transcript.Context, s Statement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	return verify(transcript.New(ctx, s), s, bytes, b)
}

func verify(t *transcript.Transcript, s Statement, bytes []byte, b *group.Batch) error {
	return s.tokenShares().Verify(t, bytes, b)
}

// tokenShares is what is proved of a statement that is bound.
func (s Statement) tokenShares() Shares {
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
	Bases, Of []*group.Element
}

// Verify adds the equations of a proof to b. Requires: there are bases, and as many shares.
func (s Shares) Verify(t *transcript.Transcript, bytes []byte, b *group.Batch) error {
	p := group.NewParser(bytes)
	t1, t2, z := p.Element(), p.Element(), p.Scalar()
	if err := p.Close(); err != nil {
		return err
	}
	weights := s.drawWeights(t)
	s.addEquations(b, weights, t1, t2, drawChallenge(t, t1, t2), z)
	return nil
}

func (s Shares) addEquations(b *group.Batch, weights []group.Scalar, t1, t2 *group.Element, c, z group.Scalar) {
	b.Add( // z·G − T1 − c·X = 0
		group.Term{S: z, P: group.Generator()},
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

func (s Statement) checkForm() error {
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
	weights := make([]group.Scalar, len(s.Bases))
	weights[0] = group.ScalarFromUint64(1)
	for j := 1; j < len(weights); j++ {
		weights[j] = group.ScalarFromUniform(t.Challenge("alpha"))
	}
	return weights
}

func drawChallenge(t *transcript.Transcript, t1, t2 *group.Element) group.Scalar {
	t.Append("T1", t1.Bytes())
	t.Append("T2", t2.Bytes())
	return group.ScalarFromUniform(t.Challenge("c"))
}
