package sra

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
