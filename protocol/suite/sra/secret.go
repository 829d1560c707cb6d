package sra

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// secret is a seat's lock behind the interface of package proof.
type secret struct {
	suite    locks
	e        *Secret
	deferred bool // whether proofs wait for its disclosure
}

// shuffleWitness is the witness of a shuffle, together with the shuffle's statement.
type shuffleWitness struct {
	proof.StatementWitness[[]uint16]
}

// Order returns the place that each card comes from, in one byte each.
func (w shuffleWitness) Order() []byte {
	order := make([]byte, len(w.How))
	for i, from := range w.How {
		order[i] = byte(from)
	}
	return order
}

func (s *secret) Key() proof.Key { return s.e.Key() }

func (s *secret) Bytes() []byte { return s.e.Bytes() }

func (s *secret) Token(c proof.MaskedCard) proof.Token { return Token{s.e.Unlock(c.(Card).y)} }

// Shuffle locks cards and permutes them. It ignores the joint key.
func (s *secret) Shuffle(c transcript.Context, _ proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	o := ownValues{group: s.suite.group}
	cards := ownElements[Card](&o, "card", in)
	if o.err != nil {
		return nil, nil, o.err
	}
	out, permutation, err := s.e.Shuffle(c, cards, rand)
	if err != nil {
		return nil, nil, err
	}
	list := make([]proof.MaskedCard, len(out))
	for i, y := range out {
		list[i] = Card{y}
	}
	return list, shuffleWitness{proof.StatementWitness[[]uint16]{Statement: Shuffle{Key: s.e.Key(), In: cards, Out: out}, How: permutation}}, nil
}

func (*secret) Transfer(transcript.Context, proof.MaskedCard, proof.Key, io.Reader) (proof.MaskedCard, proof.Witness, error) {
	return nil, nil, fmt.Errorf("a locked card is not handed over: %w", proof.ErrFalse)
}

// provableRelation returns a statement as one that the owner of s can prove, and for a shuffle the
// permutation of its witness.
func (s *secret) provableRelation(st proof.Statement, w proof.Witness) (any, []uint16, error) {
	relation, err := s.suite.relationOf(st)
	if err != nil {
		return nil, nil, err
	}
	switch r := relation.(type) {
	case relations.Ownership:
		return r, nil, s.checkOwns(r.Key)
	case Unlock:
		return r, nil, s.checkOwns(r.Key)
	case Shuffle:
		made, _ := w.(shuffleWitness)
		order, err := proof.WitnessOf[[]uint16](made.StatementWitness, r)
		return r, order, cmp.Or(err, s.checkOwns(r.Key))
	}
	return nil, nil, noRelation(st)
}

// checkOwns returns an error if key is not the secret's own.
func (s *secret) checkOwns(key *masking.Key) error {
	if !key.Equal(s.e.Key()) {
		return fmt.Errorf("the key is another seat's: %w", proof.ErrFalse)
	}
	return nil
}

// Secret is a seat's lock e of one deal.
type Secret struct {
	*masking.Secret
	inverse func() group.Scalar // needed only to unlock
}

// NewSecret draws a lock.
func NewSecret(g *group.Group, rand io.Reader) (*Secret, error) {
	return secretOf(masking.NewSecret(g, rand))
}

// ParseSecret decodes a scalar. It refuses 0, 1 and −1.
func ParseSecret(g *group.Group, b []byte) (*Secret, error) {
	return secretOf(masking.ParseSecret(g, b))
}

func secretOf(e *masking.Secret, err error) (*Secret, error) {
	if err != nil {
		return nil, err
	}
	if CheckKey(e.Key()) != nil {
		return nil, errors.New("the lock is 1 or −1, and locks nothing")
	}
	return &Secret{e, sync.OnceValue(e.Scalar().Invert)}, nil
}

// Disclose returns the lock as others will know it.
func (s *Secret) Disclose() Disclosure { return Disclosure{s.Scalar()} }

// Unlock returns e^(−1)·Y, which is both the token for a card and the card that is left.
func (s *Secret) Unlock(y group.Element) group.Element { return group.Mul(s.inverse(), y) }

// mask is what is known of a shuffle before it is drawn.
type mask struct {
	Key *masking.Key
	In  []group.Element
}

func (mask) Label() string { return "mask/lock/v1" }

func (m mask) AppendTo(b *transcript.Binder) {
	b.Bytes("key", m.Key.Bytes())
	b.Bytes("in", group.Encode(m.In...))
}

// Shuffle returns the cards in another order, each locked: out[i] = e·in[π(i)]. The
// permutation is uniform, and hedged by s, ctx and the cards.
func (s *Secret) Shuffle(ctx transcript.Context, in []group.Element, rand io.Reader) ([]group.Element, []uint16, error) {
	stream, err := transcript.New(ctx, mask{s.Key(), in}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	permutation, err := masking.DrawPermutation(len(in), stream)
	if err != nil {
		return nil, nil, err
	}
	return s.lockCards(in, permutation), permutation, nil
}

// lockCards returns the cards locked and in order. It touches the same memory whatever the order.
func (s *Secret) lockCards(in []group.Element, permutation []uint16) []group.Element {
	out := make([]group.Element, len(in))
	for i, from := range permutation {
		out[i] = group.Mul(s.Scalar(), group.ElementAt(in, int(from)))
	}
	return out
}
