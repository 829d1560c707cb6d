// Package lock hides cards by locks that commute (Shamir, Rivest and Adleman, "Mental
// Poker", 1979), over a group of prime order, and proves what is done to them.
//
//	secret of a seat   e ∉ {0, 1, −1}, key K = e·G
//	face f of deck D   M_f, as in package masking
//	open card          M
//	lock               e·Y
//	unlock             e^(−1)·Y, which is the token and the card that is left
//
// A card is one element under the locks of some seats, in any order. The group has prime
// order and its elements are no numbers with residues, so no face can be told through a
// lock, as it could from the Legendre symbol in 1979; and faces are hashed, so no relation
// between them is known that a lock would keep.
//
// A lock is deterministic: whoever sees a card before and after an unlocking of it knows
// the card again wherever the same lock is. So it is for one deal.
//
//	shuffle   statement  K; in_1 … in_N; out_1 … out_N
//	          witness    e, π with K = e·G, out_i = e·in_π(i)
//	unlock    statement  K; cards Y_1 … Y_k, tokens Y'_1 … Y'_k
//	          witness    e with K = e·G, Y_j = e·Y'_j
//
// The shuffle argument is (5) to (7) of package bayergroth for π, and two equations
// about e (docs/spec/33-locks.md, 33.3); that of unlocking is package reveal's, of which
// the tokens are the first components and the cards the shares. Both promise what those
// promise. Nothing like Σ b_i·out_i is sent alone: e·Σ x^i·in_i would let everybody test
// a guessed order.
//
// The prover takes constant time, the permutation included.
package lock

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
)

// CheckKey returns an error for the keys of the locks 1 and −1, which lock nothing. That of
// 0 is none (masking.ParseKey).
func CheckKey(k *masking.Key) error {
	if slices.ContainsFunc(useless(k.Group()), k.Element().Equal) {
		return errors.New("the key is that of a lock that locks nothing")
	}
	return nil
}

// useless are the keys of the locks 1 and −1.
var useless = group.OncePerGroup(func(g *group.Group) []group.Element {
	return []group.Element{g.Generator(), g.Identity().Sub(g.Generator())}
})

// Shuffle is: Out is In in another order, each card locked by the owner of Key.
type Shuffle struct {
	Key     *masking.Key
	In, Out []group.Element
}

// Check returns an error if s has not the form of a shuffle: of 2 to card.MaxFaces cards, none
// of which is there twice.
func (s Shuffle) Check() error {
	n := len(s.In)
	if n < 2 || n > card.MaxFaces || len(s.Out) != n {
		return fmt.Errorf("a shuffle of %d cards into %d, must be 2 to %d and as many", n, len(s.Out), card.MaxFaces)
	}
	for _, cards := range [][]group.Element{s.In, s.Out} {
		seen := make(map[string]bool, n)
		for i, y := range cards {
			if y.IsIdentity() || seen[string(y.Bytes())] {
				return fmt.Errorf("card %d of a shuffle is there twice, or is no card", i)
			}
			seen[string(y.Bytes())] = true
		}
	}
	return CheckKey(s.Key)
}

// Unlock is: Tokens[j], locked by the owner of Key, is Cards[j], for every j.
type Unlock struct {
	Key           *masking.Key
	Cards, Tokens []group.Element
}

// Check returns an error if s has not the form of an unlocking.
func (s Unlock) Check() error {
	if len(s.Cards) == 0 || len(s.Cards) != len(s.Tokens) {
		return fmt.Errorf("%d tokens for %d cards", len(s.Tokens), len(s.Cards))
	}
	return CheckKey(s.Key)
}
