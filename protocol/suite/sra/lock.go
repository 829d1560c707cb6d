package sra

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// CheckKey returns an error for the keys of the locks 1 and −1, which lock nothing. The lock 0 has no
// key (masking.ParseKey).
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

// Check returns an error unless s has the form of a shuffle, of 2 to card.MaxFaces cards, all
// different.
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

// Check returns an error unless s has the form of an unlocking.
func (s Unlock) Check() error {
	if len(s.Cards) == 0 || len(s.Cards) != len(s.Tokens) {
		return fmt.Errorf("%d tokens for %d cards", len(s.Tokens), len(s.Cards))
	}
	return CheckKey(s.Key)
}

// Label names the relation.
func (Shuffle) Label() string { return "lock/bayer-groth/v1" }

// AppendTo absorbs the statement.
func (s Shuffle) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("in", group.Encode(s.In...))
	b.Bytes("out", group.Encode(s.Out...))
}

// Verify checks the form of s and of a proof and adds its equations to b.
func (s Shuffle) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.Check(); err != nil {
		return err
	}
	o, err := bayergroth.VerifyOrder(s.Key.Group(), transcript.New(ctx, s), len(s.In), bytes, b)
	if err != nil {
		return err
	}
	s.addEquations(b, o)
	return nil
}

// addEquations adds the equations of a proof about the lock. E and T are the pair of elements that the
// prover sent, and z is the response.
func (s Shuffle) addEquations(b *group.Batch, o bayergroth.Order) {
	e, t, z := o.E.A, o.E.B, o.TauF

	// (8')  Σ f_i·out_i − z·Σ x^i·in_i − E = 0
	terms := make([]group.Term, 0, 2*len(s.In)+1)
	for i := range s.In {
		terms = append(terms,
			group.Term{S: o.F[i], P: s.Out[i]},
			group.Term{S: z.Mul(o.Powers[i]).Neg(), P: s.In[i]})
	}
	b.Add(append(terms, group.Minus(e))...)

	// (9)  z·G − T − c·K = 0
	b.Add(
		group.Term{S: z, P: s.Key.Group().Generator()},
		group.Minus(t),
		group.Term{S: o.C.Neg(), P: s.Key.Element()},
	)
}

// Label names the relation.
func (Unlock) Label() string { return "unlock/v1" }

// AppendTo absorbs the statement.
func (s Unlock) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", group.Encode(s.Cards...))
	b.Bytes("tokens", group.Encode(s.Tokens...))
}

// Verify checks the form of s and of a proof and adds its equations to b.
func (s Unlock) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.Check(); err != nil {
		return err
	}
	return s.tokenShares().Verify(transcript.New(ctx, s), bytes, b)
}

func (s Unlock) tokenShares() relations.Shares {
	return relations.Shares{Key: s.Key, Bases: s.Tokens, Of: s.Cards}
}
