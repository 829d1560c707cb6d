// Package masking hides cards: ElGamal encryption of card elements over
// ristretto255, under the joint key of all seats (Barnett and Smart, "Mental
// Poker Revisited", 2003).
//
//	secret of a seat   x ≠ 0, key X = x·G
//	joint key          K = Σ X_i
//	face f of deck D   M_f = HashToElement("pakli/v1/card", ID(D), f, name of f)
//	open card          (0, M)
//	mask               (r·G, M + r·K)
//	remask             (A + r·G, B + r·K)
//	token of seat i    S_i = x_i·A
//	strip              (A, B − Σ S_i)
//
// A card from which the tokens of all seats but one were taken is a masked
// card under that seat's key alone. A card from which all tokens were taken is
// (A, M): its face is found by B.
//
// Keys of secret zero, repeated keys and keys that cancel each other are
// refused, and so is every masked card with A = 0 that comes from the wire.
// That a key's owner knows its secret is not checked here but proved (package
// proof/ownership); without that proof the last seat could choose a key that
// cancels the others.
//
// Permutations and factors are hedged by place (docs/spec/20.6): what draws
// them is a method of a seat's secret and takes the context, so that a random
// source that repeats itself masks no two cards, and permutes no two decks, in
// the same way.
//
// Everything that touches a secret takes constant time, the permutation of a
// shuffle included. Normative text: docs/spec/30-masking.md.
package masking

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/pakli/pakli/protocol/group"
)

// Key is a public card key: of one seat, or joint. It is never the identity.
type Key struct {
	element *group.Element
	table   func() *group.Table
}

func newKey(e *group.Element) *Key {
	return &Key{e, sync.OnceValue(func() *group.Table { return group.NewTable(e) })}
}

// ParseKey decodes 32 bytes. It refuses the identity, the key of secret zero.
func ParseKey(b []byte) (*Key, error) {
	e, err := group.ParseNonIdentity(b)
	if err != nil {
		return nil, fmt.Errorf("masking: key: %w", err)
	}
	return newKey(e), nil
}

// Joint returns the sum of keys. It refuses no keys, a repeated key, and keys
// whose sum is the identity.
func Joint(keys []*Key) (*Key, error) {
	if len(keys) == 0 {
		return nil, errors.New("masking: joint key of no keys")
	}
	seat := make(map[string]int, len(keys))
	sum := group.Identity()
	for i, k := range keys {
		if j, ok := seat[string(k.Bytes())]; ok {
			return nil, fmt.Errorf("masking: keys %d and %d are the same", j, i)
		}
		seat[string(k.Bytes())] = i
		sum = sum.Add(k.element)
	}
	if sum.IsIdentity() {
		return nil, errors.New("masking: the keys cancel each other")
	}
	return newKey(sum), nil
}

// Bytes returns the 32 canonical bytes.
func (k *Key) Bytes() []byte { return k.element.Bytes() }

// Element returns the key as an element of the group.
func (k *Key) Element() *group.Element { return k.element }

// Equal reports whether k and other are the same key.
func (k *Key) Equal(other *Key) bool { return k.element.Equal(other.element) }

// Table returns a table for many multiplications by the key, made once.
func (k *Key) Table() *group.Table { return k.table() }

// Secret is a seat's card secret x, with its key.
type Secret struct {
	x   group.Scalar
	key *Key
}

// NewSecret draws a secret.
func NewSecret(rand io.Reader) (*Secret, error) {
	x, err := group.RandomScalar(rand)
	if err != nil {
		return nil, fmt.Errorf("masking: secret: %w", err)
	}
	return secretOf(x)
}

// ParseSecret decodes 32 bytes. It refuses zero.
func ParseSecret(b []byte) (*Secret, error) {
	x, err := group.ParseScalar(b)
	if err != nil {
		return nil, fmt.Errorf("masking: secret: %w", err)
	}
	return secretOf(x)
}

func secretOf(x group.Scalar) (*Secret, error) {
	if x.IsZero() {
		return nil, errors.New("masking: secret is zero")
	}
	return &Secret{x, newKey(group.MulBase(x))}, nil
}

// Key returns X = x·G.
func (s *Secret) Key() *Key { return s.key }

// Scalar returns x, the witness of what the seat proves.
func (s *Secret) Scalar() group.Scalar { return s.x }

// Bytes returns the 32 canonical bytes of x.
func (s *Secret) Bytes() []byte { return s.x.Bytes() }

// Token returns x·A, the seat's share in c.
func (s *Secret) Token(c Card) Token { return Token{group.Mul(s.x, c.A), s, c.A} }

// Made reports whether t is known to come from s.Token(c). A token that was
// encoded and parsed is not known to.
func (s *Secret) Made(t Token, c Card) bool { return t.maker == s && t.of == c.A }

// Unmask returns B − x·A: the open card's element, if c is masked under the
// seat's key alone.
func (s *Secret) Unmask(c Card) *group.Element { return c.B.Sub(group.Mul(s.x, c.A)) }
