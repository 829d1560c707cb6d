// Package ristretto255 is the suite of cards masked by ElGamal over ristretto255
// (package masking), with Schnorr, aggregated Chaum–Pedersen, plaintext
// equality and threshold-disjunction proofs, and a shuffle argument that is a
// parameter.
//
// It translates the statements of package proof, whose values are opaque, into
// those of the relations, and holds no mathematics. A statement with a value of
// another suite, or with none, is refused with an error.
package ristretto255

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255/arrange"
	"github.com/pakli/pakli/protocol/suite/ristretto255/condition"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/mint"
	"github.com/pakli/pakli/protocol/suite/ristretto255/ownership"
	"github.com/pakli/pakli/protocol/suite/ristretto255/reveal"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/transfer"
	"github.com/pakli/pakli/protocol/transcript"
)

type suite struct {
	name     string
	argument shuffle.Argument
	encoding bounded
}

// New returns the suite with this shuffle argument, to verify with. The name is
// bound into every transcript.
func New(name string, argument shuffle.Argument) proof.Suite {
	return &suite{name, argument, bounded{newEncoding(), argument.Size}}
}

func (s *suite) Name() string { return s.name }

// Proves reports that all there is can be proved, of piles and new cards too.
func (s *suite) Proves(relation string) bool {
	return relation == "arrange" || relation == "mint" || slices.Contains(proof.Relations(), relation)
}

func (s *suite) Encoding() proof.Encoding { return s.encoding }
func (s *suite) NewBatch() proof.Batch    { return NewBatch() }

// Verify adds the equations of all relations to b; those of a Condition that are
// not linear it checks at once.
func (s *suite) Verify(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch) error {
	to, ok := Equations(b)
	if !ok {
		return fmt.Errorf("%T is no batch of this suite", b)
	}
	r, err := relationOf(st)
	if err != nil {
		return err
	}
	switch r := r.(type) {
	case ownership.Statement:
		return ownership.Verify(c, r, bytes, to)
	case shuffle.Statement:
		return s.argument.Verify(c, r, bytes, to)
	case reveal.Statement:
		return reveal.Verify(c, r, bytes, to)
	case transfer.Statement:
		return transfer.Verify(c, r, bytes, to)
	case condition.Statement:
		return condition.Verify(c, r, bytes, to)
	case arrange.Statement:
		return arrange.Verify(c, r, bytes, to)
	case mint.Statement:
		return mint.Verify(c, r, bytes, to)
	}
	return noRelation(st)
}

func noRelation(st proof.Statement) error { return fmt.Errorf("no relation for %T", st) }

// relationOf is a statement with the values of this suite.
func relationOf(st proof.Statement) (r any, err error) {
	var o own
	switch st := st.(type) {
	case proof.Ownership:
		r = ownership.Statement{Key: o.key(st.Key)}
	case proof.Shuffle:
		r = shuffle.Statement{Key: o.key(st.Key), In: o.cards(st.In), Out: o.cards(st.Out)}
	case proof.Reveal:
		r = reveal.Statement{Key: o.key(st.Key), Cards: o.cards(st.Cards), Tokens: o.tokens(st.Tokens)}
	case proof.Transfer:
		r = transfer.Statement{From: o.key(st.From), To: o.key(st.To), Old: o.card(st.Old), New: o.card(st.New)}
	case proof.Condition:
		r = condition.Statement{Key: o.key(st.Key), Deck: o.deck(st.Deck), Cards: o.cards(st.Cards), Set: st.Set, Min: st.Min, Max: st.Max}
	case proof.Arrange:
		r = arrange.Statement{Family: arrange.Named(string(st.Family)), Key: o.key(st.Key), In: o.cards(st.In), Out: o.cards(st.Out)}
	case proof.Mint:
		r = mint.Statement{Key: o.key(st.Key), Card: o.card(st.Card), Faces: o.elements(st.Deck, st.Set)}
	default:
		return nil, noRelation(st)
	}
	return r, o.err
}

// elements are those of the faces in set, all of which must be of the deck.
func (o *own) elements(d proof.Deck, set card.Set) []*group.Element {
	own := o.deck(d)
	if own == nil || !set.Within(own.Deck()) {
		o.foreign("deck with these faces", d)
		return nil
	}
	return mint.Elements(own, set)
}
