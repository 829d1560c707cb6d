package masking

import (
	"errors"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Secret is a seat's card secret x, with its key.
type Secret struct {
	x   group.Scalar
	key *Key
}

// NewSecret draws a secret.
func NewSecret(g *group.Group, rand io.Reader) (*Secret, error) {
	x, err := g.RandomScalar(rand)
	return secretOf(g, x, err)
}

// ParseSecret decodes a scalar. It refuses zero.
func ParseSecret(g *group.Group, b []byte) (*Secret, error) {
	x, err := g.ParseScalar(b)
	return secretOf(g, x, err)
}

func secretOf(g *group.Group, x group.Scalar, err error) (*Secret, error) {
	if err != nil {
		return nil, fmt.Errorf("card secret: %w", err)
	}
	if x.IsZero() {
		return nil, errors.New("the card secret is zero")
	}
	return &Secret{x, newKey(g.MulBase(x))}, nil
}

// Key returns X = x·G.
func (s *Secret) Key() *Key { return s.key }

// Scalar returns x, the witness of the seat's proofs.
func (s *Secret) Scalar() group.Scalar { return s.x }

// Bytes returns the canonical bytes of x.
func (s *Secret) Bytes() []byte { return s.x.Bytes() }

// Token returns x·A, the seat's share in c.
func (s *Secret) Token(c Card) Token { return Token{group.Mul(s.x, c.A), s, c.A} }

// HasMade reports whether t is known to come from s.Token(c), which it is not after encoding and
// parsing.
func (s *Secret) HasMade(t Token, c Card) bool { return t.maker == s && t.of == c.A }

// Unmask returns B − x·A: the open card's element, if c is masked under the seat's key alone.
func (s *Secret) Unmask(c Card) group.Element { return c.B.Sub(group.Mul(s.x, c.A)) }

// shuffleMask is what is known of a shuffle before it is drawn.
type shuffleMask struct {
	Key *Key
	In  []Card
}

func (shuffleMask) Label() string { return "mask/shuffle/v1" }

func (m shuffleMask) AppendTo(b *transcript.Binder) {
	b.Bytes("key", m.Key.Bytes())
	b.Bytes("in", Encode(m.In...))
}

// Shuffle returns the cards in another order, each remasked under k: out[i] = (A + r_i·G, B + r_i·K)
// with (A, B) = in[π(i)]. The permutation is uniform, and the factors follow it. Both are hedged by s,
// ctx, k and the cards. Drawn from rand alone, two shuffles of a machine whose state was restored would
// have one order and the same factors, and e'_i − f'_i = e_π(i) − f_π(i) would reveal that order to
// everybody.
func (s *Secret) Shuffle(ctx transcript.Context, k *Key, in []Card, rand io.Reader) ([]Card, Opening, error) {
	stream, err := transcript.New(ctx, shuffleMask{k, in}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, Opening{}, fmt.Errorf("shuffle: %w", err)
	}
	o := Opening{}
	if o.Permutation, err = DrawPermutation(len(in), stream); err != nil {
		return nil, Opening{}, err
	}
	if o.Factors, err = k.Group().RandomScalars(stream, len(in)); err != nil {
		return nil, Opening{}, fmt.Errorf("shuffle: %w", err)
	}
	return Remask(k, in, o), o, nil
}

// transferMask is what is known of a hand-over before it is drawn.
type transferMask struct {
	From, To *Key
	Old      Card
}

func (transferMask) Label() string { return "mask/transfer/v1" }

func (m transferMask) AppendTo(b *transcript.Binder) {
	b.Bytes("from", m.From.Bytes())
	b.Bytes("to", m.To.Bytes())
	b.Bytes("old", m.Old.Bytes())
}

// Transfer masks c, which is masked under s alone, anew under to alone, and
// returns the factor, which is hedged by s, ctx, both keys and c.
func (s *Secret) Transfer(ctx transcript.Context, c Card, to *Key, rand io.Reader) (Card, group.Scalar, error) {
	stream, err := transcript.New(ctx, transferMask{s.key, to, c}).Hedge(s.Bytes(), rand)
	if err != nil {
		return Card{}, group.Scalar{}, fmt.Errorf("transfer: %w", err)
	}
	r, err := to.Group().RandomScalar(stream)
	if err != nil {
		return Card{}, group.Scalar{}, fmt.Errorf("transfer: %w", err)
	}
	return Mask(to, s.Unmask(c), r), r, nil
}
