package sra

import (
	"cmp"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// locks is what the suites have in common.
type locks struct {
	name string
	encoding
}

func newLocks(name string, g *group.Group) locks {
	return locks{name, encoding{g, elgamal.NewEncoding(g)}}
}

func (l locks) Name() string { return l.name }

func (l locks) Encoding() proof.Encoding { return l.encoding }
func (l locks) NewBatch() proof.Batch    { return elgamal.NewBatch(l.group) }
func (locks) KeysPerDeal() bool          { return true }

func (locks) Proves(relation string) bool {
	switch relation {
	case "ownership", "shuffle", "reveal":
		return true
	}
	return false
}

// verifyRelation adds the equations of a proof to b: it handles ownership itself, and calls others for
// the suite's other relations.
func (l locks) verifyRelation(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch, others func(relation any, to *group.Batch) error) error {
	to, ok := elgamal.EquationsOf(l.group, b)
	if !ok {
		return fmt.Errorf("%T is no batch of this suite", b)
	}
	relation, err := l.relationOf(st)
	if err != nil {
		return err
	}
	if r, ok := relation.(relations.Ownership); ok {
		if err := CheckKey(r.Key); err != nil {
			return err
		}
		return r.Verify(c, bytes, to)
	}
	return others(relation, to)
}

// Name is the name of the suite that proves every step.
const Name = "sra255-bayergroth/v1"

type suite struct{ locks }

// New returns the suite over g that proves every step, for verification.
func New(name string, g *group.Group) proof.Suite { return &suite{newLocks(name, g)} }

// Verify adds the equations of all relations to b.
func (s *suite) Verify(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch) error {
	return s.verifyRelation(c, st, bytes, b, func(relation any, to *group.Batch) error {
		if r, ok := relation.(Shuffle); ok {
			return r.Verify(c, bytes, to)
		}
		return relation.(Unlock).Verify(c, bytes, to)
	})
}

func noRelation(st proof.Statement) error { return fmt.Errorf("locks prove nothing of %T", st) }

// relationOf translates a statement into the values of this suite. The joint key of a shuffle is not
// part of it.
func (l locks) relationOf(st proof.Statement) (r any, err error) {
	o := ownValues{group: l.group}
	switch st := st.(type) {
	case proof.Ownership:
		r = relations.Ownership{Key: o.asKey(st.Key)}
	case proof.Shuffle:
		r = Shuffle{Key: o.asKey(st.By), In: ownElements[Card](&o, "card", st.In), Out: ownElements[Card](&o, "card", st.Out)}
	case proof.Reveal:
		r = Unlock{Key: o.asKey(st.Key), Cards: ownElements[Card](&o, "card", st.Cards), Tokens: ownElements[Token](&o, "token", st.Tokens)}
	default:
		return nil, noRelation(st)
	}
	return r, o.err
}

// ownValues converts values of package proof to those of a suite over a group, and keeps the first
// foreign value as an error.
type ownValues struct {
	group *group.Group
	err   error
}

func (o *ownValues) refuseForeign(what string, v any) {
	o.err = cmp.Or(o.err, fmt.Errorf("%T is no %s of this suite", v, what))
}

func (o *ownValues) asKey(k proof.Key) *masking.Key {
	key, ok := k.(*masking.Key)
	if !ok || key == nil || key.Group() != o.group {
		o.refuseForeign("key", k)
	}
	return key
}

// ownElements returns the elements of cards or tokens of this suite.
func ownElements[T interface{ element() group.Element }, V any](o *ownValues, what string, list []V) []group.Element {
	elements := make([]group.Element, len(list))
	for i, v := range list {
		own, _ := any(v).(T)
		if elements[i] = own.element(); elements[i] == nil || elements[i].Group() != o.group {
			o.refuseForeign(what, v)
		}
	}
	return elements
}

func (c Card) element() group.Element  { return c.y }
func (t Token) element() group.Element { return t.y }

// Card is a card under some locks, or under none.
type Card struct{ y group.Element }

// Bytes returns the canonical bytes.
func (c Card) Bytes() []byte { return c.y.Bytes() }

// Token is the card that is left after a seat has removed its lock.
type Token struct{ y group.Element }

// Bytes returns the canonical bytes.
func (t Token) Bytes() []byte { return t.y.Bytes() }

// encoding is the ElGamal encoding for keys, joint keys and decks.
type encoding struct {
	group   *group.Group
	elgamal proof.Encoding
}

func (e encoding) ParseKey(b []byte) (proof.Key, error) {
	k, err := e.elgamal.ParseKey(b)
	if err != nil {
		return nil, err
	}
	if err := CheckKey(k.(*masking.Key)); err != nil {
		return nil, err
	}
	return k, nil
}

func (e encoding) ParseMasked(b []byte) (proof.MaskedCard, error) {
	y, err := e.group.ParseNonIdentity(b)
	if err != nil {
		return nil, fmt.Errorf("locked card: %w", err)
	}
	return Card{y}, nil
}

func (e encoding) ParseToken(b []byte) (proof.Token, error) {
	y, err := e.group.ParseNonIdentity(b)
	if err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	return Token{y}, nil
}

func (e encoding) Joint(keys []proof.Key) (proof.Key, error) { return e.elgamal.Joint(keys) }

// maxDeck is how many bytes of cards fit in an entry.
const maxDeck = 48_384

func (e encoding) Deck(d card.Deck) (proof.Deck, error) {
	if n := d.Len() * e.group.ElementSize; n > maxDeck {
		return nil, fmt.Errorf("a deck of %d cards has %d bytes, of which an entry takes %d: choose another suite", d.Len(), n, maxDeck)
	}
	encoded, err := e.elgamal.Deck(d)
	if err != nil {
		return nil, err
	}
	return deck{encoded}, nil
}

// Strip returns the card in the last of tokens; each token is made for the card that the token before
// it left.
func (encoding) Strip(c proof.MaskedCard, tokens ...proof.Token) proof.MaskedCard {
	for _, t := range tokens {
		c = Card(t.(Token))
	}
	return c
}

// deck is a deck of ElGamal cards whose open cards are elements.
type deck struct{ proof.Deck }

func (d deck) Cards() []proof.MaskedCard {
	list := d.Deck.Cards()
	for i, c := range list {
		list[i] = Card{c.(masking.Card).B}
	}
	return list
}

func (d deck) Face(c proof.MaskedCard) (card.Face, bool) {
	return d.Deck.Face(masking.Open(c.(Card).y))
}
