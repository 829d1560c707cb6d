package sra

import (
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Disclosed and Disclosed3072 are the names of the suites that prove only ownership, over ristretto255
// and over squares. Everything else is checked when the locks are disclosed.
const (
	Disclosed     = "sra255-disclosed/v1"
	Disclosed3072 = "sra3072-disclosed/v1"
)

type disclosedSuite struct{ locks }

// NewDisclosed returns the suite over g whose locks are disclosed, for verification.
func NewDisclosed(name string, g *group.Group) proof.DeferringSuite {
	return &disclosedSuite{newLocks(name, g)}
}

// Verify adds the equation of an ownership to b. Of other statements it checks only the form.
func (s *disclosedSuite) Verify(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch) error {
	return s.verifyRelation(c, st, bytes, b, func(relation any, _ *group.Batch) error {
		if len(bytes) > 0 {
			return fmt.Errorf("a proof of %d bytes, where nothing is proved before the locks are disclosed", len(bytes))
		}
		return relation.(interface{ Check() error }).Check()
	})
}

// ParseLock reads the lock of key.
func (s *disclosedSuite) ParseLock(key proof.Key, b []byte) (proof.Lock, error) {
	o := ownValues{group: s.group}
	k := o.asKey(key)
	if o.err != nil {
		return nil, o.err
	}
	e, err := ParseDisclosure(k, b)
	if err != nil {
		return nil, err
	}
	return disclosedLock{s.locks, e}, nil
}

// disclosedLock is a disclosed lock behind the interface of package proof.
type disclosedLock struct {
	suite locks
	Disclosure
}

func (o disclosedLock) CheckShuffle(s proof.Shuffle, order []byte) error {
	relation, err := o.suite.relationOf(s)
	if err != nil {
		return err
	}
	return o.CheckLocked(relation.(Shuffle), order)
}

func (o disclosedLock) FindOrder(s proof.Shuffle) ([]byte, bool) {
	relation, err := o.suite.relationOf(s)
	if err != nil {
		return nil, false
	}
	return o.Disclosure.FindOrder(relation.(Shuffle))
}

func (o disclosedLock) CheckReveal(s proof.Reveal) error {
	relation, err := o.suite.relationOf(s)
	if err != nil {
		return err
	}
	return o.CheckUnlocked(relation.(Unlock))
}

// Disclosure is a lock, with which its seat's shuffles and tokens are checked.
type Disclosure struct{ e group.Scalar }

// ParseDisclosure decodes the lock of key.
func ParseDisclosure(key *masking.Key, b []byte) (Disclosure, error) {
	e, err := key.Group().ParseScalar(b)
	if err != nil {
		return Disclosure{}, fmt.Errorf("the lock: %w", err)
	}
	if !key.Group().MulBase(e).Equal(key.Element()) {
		return Disclosure{}, errors.New("the lock is not that of the key")
	}
	return Disclosure{e}, nil
}

// CheckLocked checks that s.Out[i] is s.In[order[i]], locked by e, for every i:
//
//	Σ w_i·out_i = e·Σ w_i·in_order(i)   for random w_i of 128 bits
//
// which is one multiplication of full length in place of N. Requires: s has the form of a
// shuffle, and the order is a permutation.
func (d Disclosure) CheckLocked(s Shuffle, order []byte) error {
	in := make([]group.Element, len(s.In))
	for i, from := range order {
		in[i] = s.In[from]
	}
	if d.locksAll(in, s.Out) {
		return nil
	}
	if _, some := d.FindOrder(s); some {
		return proof.ErrOrder
	}
	return errors.New("the cards are not those before, each under the lock")
}

// CheckUnlocked checks that each of s.Tokens, locked by e, is its card. Requires: s has the form of an
// unlocking.
func (d Disclosure) CheckUnlocked(s Unlock) error {
	if !d.locksAll(s.Tokens, s.Cards) {
		return fmt.Errorf("a token is not its card with the lock off: %w", proof.ErrFalse)
	}
	return nil
}

// locksAll reports whether to[i] = e·from[i] for every i, except with probability 2^-128. It takes
// constant time in e. Requires: there is at least one element.
func (d Disclosure) locksAll(from, to []group.Element) bool {
	g, weights := from[0].Group(), make([]group.Scalar, len(from))
	for i := range weights {
		var w [64]byte
		rand.Read(w[:16])
		weights[i] = g.ScalarFromUniform(w)
	}
	return group.Mul(d.e, g.VartimeMultiMul(weights, from)).Equal(g.VartimeMultiMul(weights, to))
}

// FindOrder returns the place in s.In of each card of s.Out; false if Out is not In locked by e.
// Requires: s has the form of a shuffle.
func (d Disclosure) FindOrder(s Shuffle) ([]byte, bool) {
	places := make(map[string]byte, len(s.In))
	for i, y := range s.In {
		places[string(group.Mul(d.e, y).Bytes())] = byte(i)
	}
	order := make([]byte, len(s.Out))
	for i, y := range s.Out {
		from, ok := places[string(y.Bytes())]
		if !ok {
			return nil, false
		}
		order[i] = from
	}
	return order, true
}
