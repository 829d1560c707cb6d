package sra

import (
	"errors"
	"io"
	"sync"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Secret is a seat's lock e of one deal.
type Secret struct {
	*masking.Secret
	inverse func() group.Scalar // which only who takes the lock off needs
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

// Disclose is the lock as others will know it.
func (s *Secret) Disclose() Disclosure { return Disclosure{s.Scalar()} }

// Unlock returns e^(−1)·Y, the token for a card, which is the card that is left.
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

// lockCards touches the same memory whatever the order.
func (s *Secret) lockCards(in []group.Element, permutation []uint16) []group.Element {
	out := make([]group.Element, len(in))
	for i, from := range permutation {
		out[i] = group.Mul(s.Scalar(), group.ElementAt(in, int(from)))
	}
	return out
}
