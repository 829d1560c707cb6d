package elgamal

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
)

// NewBatch returns an empty batch of the suites over g.
func NewBatch(g *group.Group) proof.Batch { return &batch{group: g} }

// EquationsOf returns the equations collected in b; false if b was not made by NewBatch for g.
func EquationsOf(g *group.Group, b proof.Batch) (*group.Batch, bool) {
	to, ok := b.(*batch)
	if !ok || to == nil || to.group != g {
		return nil, false
	}
	return &to.equations, true
}

// batch is a group.Batch whose weights come from crypto/rand.
type batch struct {
	group     *group.Group
	equations group.Batch
}

func (b *batch) Label(entry uint64) { b.equations.Label(entry) }

func (b *batch) Check() error {
	err := b.equations.Check(rand.Reader)
	var wrong *group.EquationError
	if errors.As(err, &wrong) {
		return &proof.BatchError{Labels: wrong.Labels}
	}
	return err
}

// ownValues converts values of package proof to those of a suite over a group. It keeps the first
// foreign value as an error, or panics.
type ownValues struct {
	group  *group.Group
	panics bool
	err    error
}

// mustOwn returns ownValues for values that a suite over g has made.
func mustOwn(g *group.Group) *ownValues { return &ownValues{group: g, panics: true} }

func (o *ownValues) refuseForeign(what string, v any) {
	err := fmt.Errorf("%T is no %s of this suite", v, what)
	if o.panics {
		panic(err)
	}
	o.err = cmp.Or(o.err, err)
}

func (o *ownValues) asKey(k proof.Key) *masking.Key {
	key, ok := k.(*masking.Key)
	if !ok || key == nil || key.Group() != o.group {
		o.refuseForeign("key", k)
	}
	return key
}

func (o *ownValues) asDeck(d proof.Deck) *masking.Deck {
	own, ok := d.(deck)
	if !ok || own.Deck == nil || own.Group() != o.group {
		o.refuseForeign("deck", d)
		return nil
	}
	return own.Deck
}

func (o *ownValues) asCard(c proof.MaskedCard) masking.Card {
	masked, ok := c.(masking.Card)
	if !ok || masked.A == nil || masked.B == nil || masked.A.Group() != o.group || masked.B.Group() != o.group {
		o.refuseForeign("card", c)
	}
	return masked
}

func (o *ownValues) asCards(cards []proof.MaskedCard) []masking.Card {
	list := make([]masking.Card, len(cards))
	for i, c := range cards {
		list[i] = o.asCard(c)
	}
	return list
}

func (o *ownValues) asTokens(tokens []proof.Token) []masking.Token {
	list := make([]masking.Token, len(tokens))
	for i, t := range tokens {
		token, ok := t.(masking.Token)
		if !ok || token.S == nil || token.S.Group() != o.group {
			o.refuseForeign("token", t)
		}
		list[i] = token
	}
	return list
}
