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
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255/condition"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/ownership"
	"github.com/pakli/pakli/protocol/suite/ristretto255/reveal"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/transfer"
	"github.com/pakli/pakli/protocol/transcript"
)

type suite struct {
	name     string
	argument shuffle.Argument
	encoding *encoding
}

// New returns the suite with this shuffle argument, to verify with. The name is
// bound into every transcript.
func New(name string, argument shuffle.Argument) proof.Suite {
	return &suite{name, argument, newEncoding()}
}

func (s *suite) Name() string             { return s.name }
func (s *suite) Encoding() proof.Encoding { return s.encoding }
func (s *suite) NewBatch() proof.Batch    { return new(batch) }

// batch is a group.Batch whose weights come from crypto/rand.
type batch struct{ equations group.Batch }

func (b *batch) Label(entry uint64) { b.equations.Label(entry) }

func (b *batch) Check() error {
	err := b.equations.Check(rand.Reader)
	var wrong *group.EquationError
	if errors.As(err, &wrong) {
		return &proof.BatchError{Labels: wrong.Labels}
	}
	return err
}

// Verify adds the equations of all relations to b; those of a Condition that are
// not linear it checks at once.
func (s *suite) Verify(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch) error {
	to, ok := b.(*batch)
	if !ok || to == nil {
		return fmt.Errorf("%T is no batch of this suite", b)
	}
	switch st := st.(type) {
	case proof.Ownership:
		r, err := ownershipOf(st)
		if err != nil {
			return err
		}
		return ownership.Verify(c, r, bytes, &to.equations)
	case proof.Shuffle:
		r, err := shuffleOf(st)
		if err != nil {
			return err
		}
		return s.argument.Verify(c, r, bytes, &to.equations)
	case proof.Reveal:
		r, err := revealOf(st)
		if err != nil {
			return err
		}
		return reveal.Verify(c, r, bytes, &to.equations)
	case proof.Transfer:
		r, err := transferOf(st)
		if err != nil {
			return err
		}
		return transfer.Verify(c, r, bytes, &to.equations)
	case proof.Condition:
		r, err := conditionOf(st)
		if err != nil {
			return err
		}
		return condition.Verify(c, r, bytes, &to.equations)
	}
	return fmt.Errorf("no relation for %T", st)
}

func ownershipOf(s proof.Ownership) (ownership.Statement, error) {
	k, err := keyOf(s.Key)
	return ownership.Statement{Key: k}, err
}

func shuffleOf(s proof.Shuffle) (shuffle.Statement, error) {
	k, errKey := keyOf(s.Key)
	in, errIn := cardsOf(s.In)
	out, errOut := cardsOf(s.Out)
	return shuffle.Statement{Key: k, In: in, Out: out}, errors.Join(errKey, errIn, errOut)
}

func revealOf(s proof.Reveal) (reveal.Statement, error) {
	k, errKey := keyOf(s.Key)
	cards, errCards := cardsOf(s.Cards)
	tokens, errTokens := tokensOf(s.Tokens)
	return reveal.Statement{Key: k, Cards: cards, Tokens: tokens}, errors.Join(errKey, errCards, errTokens)
}

func transferOf(s proof.Transfer) (transfer.Statement, error) {
	from, errFrom := keyOf(s.From)
	to, errTo := keyOf(s.To)
	before, errOld := cardOf(s.Old)
	after, errNew := cardOf(s.New)
	return transfer.Statement{From: from, To: to, Old: before, New: after}, errors.Join(errFrom, errTo, errOld, errNew)
}

func conditionOf(s proof.Condition) (condition.Statement, error) {
	k, errKey := keyOf(s.Key)
	cards, errCards := cardsOf(s.Cards)
	d, ok := s.Deck.(deck)
	if !ok {
		return condition.Statement{}, foreign("deck", s.Deck)
	}
	return condition.Statement{
		Key: k, Deck: d.Deck, Cards: cards, Set: s.Set, Min: s.Min, Max: s.Max,
	}, errors.Join(errKey, errCards)
}

func keyOf(k proof.Key) (*masking.Key, error) {
	key, ok := k.(*masking.Key)
	if !ok || key == nil {
		return nil, foreign("key", k)
	}
	return key, nil
}

func cardOf(c proof.Masked) (masking.Card, error) {
	masked, ok := c.(masking.Card)
	if !ok || masked.A == nil || masked.B == nil {
		return masking.Card{}, foreign("card", c)
	}
	return masked, nil
}

func cardsOf(cards []proof.Masked) ([]masking.Card, error) {
	list := make([]masking.Card, len(cards))
	for i, c := range cards {
		var err error
		if list[i], err = cardOf(c); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func tokensOf(tokens []proof.Token) ([]masking.Token, error) {
	list := make([]masking.Token, len(tokens))
	for i, t := range tokens {
		token, ok := t.(masking.Token)
		if !ok || token.S == nil {
			return nil, foreign("token", t)
		}
		list[i] = token
	}
	return list, nil
}

func foreign(what string, v any) error {
	return fmt.Errorf("%T is no %s of this suite", v, what)
}

// must is for calls that have no error to return. Values of another suite get
// there by a fault of this program only.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
