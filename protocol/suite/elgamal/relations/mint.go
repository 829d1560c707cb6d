package relations

import (
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Mint is: Card, a new one, masks one of Faces under Key. If there is one face, everybody knows it; if
// there are several, only the card's maker does.
//
//	statement  key K; card (A, B); elements m_0 … m_(F−1)
//	witness    k, r with A = r·G, B − m_k = r·K
//	pairs      D_k = (A, B − m_k), of which one is (σ·G, σ·K) with σ = r
//	           (proveDisjunction)
//	proof      32·(4F − 1) bytes; for F = 1, 96, and that of Chaum and Pedersen
//
// Normative text: docs/spec/42-arrange.md, 42.4. The prover takes constant time in k
// and r.
type Mint struct {
	Key   *masking.Key
	Card  masking.Card
	Faces []group.Element
}

// Label names the relation.
func (Mint) Label() string { return "mint/v1" }

// AppendTo absorbs the statement.
func (s Mint) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("card", s.Card.Bytes())
	b.Bytes("faces", group.Encode(s.Faces...))
}

// FaceElements returns the elements of the faces in set, ascending.
func FaceElements(d *masking.Deck, set card.Set) []group.Element {
	var list []group.Element
	for _, f := range set.Faces() {
		list = append(list, d.Element(f))
	}
	return list
}

// Verify checks the form of the statement and of a proof and adds its equations to b.
func (s Mint) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	return verifyDisjunction(transcript.New(ctx, s), s.Key, len(s.Faces), bytes, s.weightedSum, b)
}

// weightedSum returns the terms of Σ w_k·D_k = (Σ w_k·A, Σ w_k·B − Σ w_k·m_k).
func (s Mint) weightedSum(weights []group.Scalar) (terms pairTerms) {
	var all group.Scalar
	for k, w := range weights {
		all = all.Add(w)
		terms.B = append(terms.B, group.Term{S: w.Neg(), P: s.Faces[k]})
	}
	terms.addPair(all, s.Card)
	return terms
}

func (s Mint) checkForm() error {
	if n := len(s.Faces); n < 1 || n > card.MaxFaces {
		return fmt.Errorf("a card with one of %d faces, must be 1 to %d", n, card.MaxFaces)
	}
	return masking.CheckHidden("only a hidden card needs a proof", s.Card)
}
