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
// A card stripped of the tokens of all seats but one is masked under that seat's key alone. A card
// stripped of all tokens is (A, M), and B gives its face.
//
// Keys of the zero secret, repeated keys and keys that cancel each other are refused, and so is every
// masked card with A = 0 from the wire. That a key's owner knows its secret is not checked here but
// proved (package relations): without that proof the last seat could choose a key that cancels the
// others.
//
// Permutations and factors are hedged by place (docs/spec/20.6). They are drawn by methods of a seat's
// secret that take the context, so a random source that repeats itself masks no two cards, and permutes
// no two decks, in the same way.
//
// Everything that touches a secret takes constant time, including the permutation of a shuffle.
// Normative text: docs/spec/30-masking.md.
//
// A shuffle (shuffles.go; docs/spec/41) is the relation that every shuffle argument proves. The
// interface of the arguments is here:
//
//	statement  key K; cards e_1 … e_N and e'_1 … e'_N, N ≥ 2
//	witness    a permutation π and factors ρ_i with
//	           e'_i = e_π(i) + (ρ_i·G, ρ_i·K) for every i
//
// Cards are pairs, added by component. Indices start at 1 in equations and at 0 in code. The cards
// before a shuffle may be open, those after it may not. The arguments are in folders beside this one;
// package suite chooses.
package masking

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pakli/pakli/protocol/suite/group"
)

// Key is a public card key: of one seat, or joint. It is never the identity.
type Key struct {
	element group.Element
	table   func() group.Table
}

func newKey(e group.Element) *Key {
	return &Key{e, sync.OnceValue(func() group.Table { return group.NewTable(e) })}
}

// ParseKey decodes an element. It refuses the identity, the key of the zero secret.
func ParseKey(g *group.Group, b []byte) (*Key, error) {
	e, err := g.ParseNonIdentity(b)
	if err != nil {
		return nil, fmt.Errorf("the key: %w", err)
	}
	return newKey(e), nil
}

// Joint returns the sum of keys. It refuses an empty list, a repeated key, and keys whose sum is the
// identity.
func Joint(keys []*Key) (*Key, error) {
	if len(keys) == 0 {
		return nil, errors.New("a joint key of no keys")
	}
	seat := make(map[string]int, len(keys))
	sum := keys[0].Group().Identity()
	for i, k := range keys {
		if j, ok := seat[string(k.Bytes())]; ok {
			return nil, fmt.Errorf("keys %d and %d are the same", j, i)
		}
		seat[string(k.Bytes())] = i
		sum = sum.Add(k.element)
	}
	if sum.IsIdentity() {
		return nil, errors.New("the keys cancel each other")
	}
	return newKey(sum), nil
}

// Bytes returns the canonical bytes.
func (k *Key) Bytes() []byte { return k.element.Bytes() }

// Group returns the group of the key.
func (k *Key) Group() *group.Group { return k.element.Group() }

// Element returns the key as an element of the group.
func (k *Key) Element() group.Element { return k.element }

// Equal reports whether k and other are the same key.
func (k *Key) Equal(other *Key) bool { return k.element.Equal(other.element) }

// Table returns a table for many multiplications by the key. It is made once.
func (k *Key) Table() group.Table { return k.table() }
