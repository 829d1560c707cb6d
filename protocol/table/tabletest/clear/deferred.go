package clear

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// DeferredName is the name of DeferredSuite.
const DeferredName = "clear-disclosed/v1"

// DeferredSuite is Suite, except that shuffles and tokens are checked when locks are disclosed.
type DeferredSuite struct{ Suite }

var (
	_ proof.DeferringSuite = DeferredSuite{}
	_ proof.Prover         = DeferredSuite{}
)

func (DeferredSuite) Name() string      { return DeferredName }
func (DeferredSuite) KeysPerDeal() bool { return true }

func (DeferredSuite) Proves(relation string) bool {
	return relation == "ownership" || relation == "shuffle" || relation == "reveal"
}

// Verify implements proof.Suite.
func (d DeferredSuite) Verify(c transcript.Context, s proof.Statement, p []byte, b proof.Batch) error {
	if _, proved := s.(proof.Ownership); proved {
		return d.Suite.Verify(c, s, p, b)
	}
	if len(p) > 0 || !isSensible(s) {
		return errors.New("a proof of what is deferred, or a statement that makes no sense")
	}
	seen := map[string]bool{}
	shuffle, _ := s.(proof.Shuffle)
	for _, card := range shuffle.Out {
		if seen[string(card.Bytes())] || !card.(maskedCard).isUnder(shuffle.Key) {
			return errors.New("a card is there twice, or under other keys")
		}
		seen[string(card.Bytes())] = true
	}
	return nil
}

// ParseLock implements proof.DeferringSuite: the lock is the key.
func (d DeferredSuite) ParseLock(k proof.Key, b []byte) (proof.Lock, error) {
	s, err := d.Suite.ParseSecret(b)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(k.Bytes(), b) {
		return nil, errors.New("it is the lock of another key")
	}
	return lock(s.(secret)), nil
}

type lock secret

func (lock) CheckShuffle(s proof.Shuffle, order []byte) error {
	in, out := make([]uint64, len(s.In)), make([]uint64, len(s.Out))
	as := true
	for i, from := range order {
		in[i], out[i] = s.In[from].(maskedCard).element(), s.Out[i].(maskedCard).element() // under whatever keys the card of In is
		as = as && in[i] == out[i]
		if !s.Out[i].(maskedCard).isUnder(s.Key) {
			return proof.ErrWrong
		}
	}
	slices.Sort(in)
	slices.Sort(out)
	switch {
	case !slices.Equal(in, out):
		return proof.ErrWrong
	case !as:
		return proof.ErrOrder
	}
	return nil
}

func (lock) FindOrder(s proof.Shuffle) ([]byte, bool) { return orderOf(s.In, s.Out) }

// orderOf finds for each card of out a card of in with the same element, under whatever keys. Two of
// them may be the same card if an earlier shuffle was wrong.
func orderOf(in, out []proof.MaskedCard) (cardOrder, bool) {
	from, left := make(cardOrder, len(out)), slices.Clone(in)
	for i, card := range out {
		at := slices.IndexFunc(left, func(m proof.MaskedCard) bool {
			return m != nil && m.(maskedCard).element() == card.(maskedCard).element()
		})
		if at < 0 {
			return nil, false
		}
		from[i], left[at] = byte(at), nil
	}
	return from, true
}

func (lock) CheckReveal(s proof.Reveal) error {
	if !holdsReveal(s) {
		return proof.ErrWrong
	}
	return nil
}

// NewSecret implements proof.Prover.
func (d DeferredSuite) NewSecret(rand io.Reader) (proof.Secret, error) {
	return asOrderingSecret(d.Suite.NewSecret(rand))
}

// ParseSecret implements proof.Prover.
func (d DeferredSuite) ParseSecret(b []byte) (proof.Secret, error) {
	return asOrderingSecret(d.Suite.ParseSecret(b))
}

func asOrderingSecret(x proof.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return orderingSecret{x.(secret)}, nil
}

// orderingSecret remembers the orders of its shuffles.
type orderingSecret struct{ proof.Secret }

type cardOrder []byte

func (o cardOrder) Order() []byte { return o }

func (x orderingSecret) Shuffle(c transcript.Context, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	out, _, err := x.Secret.Shuffle(c, k, in, rand)
	if err != nil {
		return nil, nil, err
	}
	from, _ := orderOf(in, out)
	return out, from, nil
}

func (x orderingSecret) Prove(c transcript.Context, s proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	if _, proved := s.(proof.Ownership); !proved {
		return nil, fmt.Errorf("it is checked when the lock is disclosed: %w", proof.ErrFalse)
	}
	return x.Secret.Prove(c, s, w, rand)
}
