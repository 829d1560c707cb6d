// Package lock hides cards by locks that commute (Shamir, Rivest and Adleman, "Mental
// Poker", 1979), over ristretto255, and proves what is done to them.
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

	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/reveal"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

// CheckKey returns an error for the keys of the locks 1 and −1, which lock nothing. That of
// 0 is none (masking.ParseKey).
func CheckKey(k *masking.Key) error {
	g := group.Generator()
	if k.Element().Equal(g) || k.Element().Equal(group.Identity().Sub(g)) {
		return errors.New("the key is that of a lock that locks nothing")
	}
	return nil
}

// Shuffle is: Out is In in another order, each card locked by the owner of Key.
type Shuffle struct {
	Key     *masking.Key
	In, Out []*group.Element
}

// Label names the relation.
func (Shuffle) Label() string { return "lock/bayer-groth/v1" }

// AppendTo absorbs the statement.
func (s Shuffle) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("in", group.Encode(s.In...))
	b.Bytes("out", group.Encode(s.Out...))
}

func (s Shuffle) check() error {
	n := len(s.In)
	if n < 2 || n > shuffle.MaxCards || len(s.Out) != n {
		return fmt.Errorf("a shuffle of %d cards into %d, must be 2 to %d and as many", n, len(s.Out), shuffle.MaxCards)
	}
	for _, cards := range [][]*group.Element{s.In, s.Out} {
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

// Verify checks the form of s and of a proof and adds its equations to b.
func (s Shuffle) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.check(); err != nil {
		return err
	}
	return s.verify(transcript.New(ctx, s), bytes, b)
}

func (s Shuffle) verify(t *transcript.Transcript, bytes []byte, b *group.Batch) error {
	o, err := bayergroth.VerifyOrder(t, len(s.In), bytes, b)
	if err != nil {
		return err
	}
	s.equations(b, o)
	return nil
}

// equations adds those of a proof that are about the lock: E and T are the pair of
// elements that its prover sent, and z the response.
func (s Shuffle) equations(b *group.Batch, o bayergroth.Order) {
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
		group.Term{S: z, P: group.Generator()},
		group.Minus(t),
		group.Term{S: o.C.Neg(), P: s.Key.Element()},
	)
}

// Unlock is: Tokens[j], locked by the owner of Key, is Cards[j], for every j.
type Unlock struct {
	Key           *masking.Key
	Cards, Tokens []*group.Element
}

// Label names the relation.
func (Unlock) Label() string { return "unlock/v1" }

// AppendTo absorbs the statement.
func (s Unlock) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", group.Encode(s.Cards...))
	b.Bytes("tokens", group.Encode(s.Tokens...))
}

func (s Unlock) check() error {
	if len(s.Cards) == 0 || len(s.Cards) != len(s.Tokens) {
		return fmt.Errorf("%d tokens for %d cards", len(s.Tokens), len(s.Cards))
	}
	return CheckKey(s.Key)
}

// Verify checks the form of s and of a proof and adds its equations to b.
func (s Unlock) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.check(); err != nil {
		return err
	}
	return s.shares().Verify(transcript.New(ctx, s), bytes, b)
}

func (s Unlock) shares() reveal.Shares {
	return reveal.Shares{Key: s.Key, Bases: s.Tokens, Of: s.Cards}
}
