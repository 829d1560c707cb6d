package proof

import (
	"errors"
	"fmt"
	"slices"
)

// DeferringSuite is a [Suite] that proves neither shuffles nor tokens when they are made, and
// has them checked when their maker has disclosed its locks (docs/spec/51-disclosure.md).
// A lock is the card secret behind one key, as [Secret.Bytes] writes it.
//
// Messages have no proof of a Shuffle or a Reveal. Verify is called for them with none, and
// checks the form alone, that no card is twice among Out included; of Ownership it checks
// everything. It proves nothing else (Proves), and a key of it is for one deal
// (KeysPerDeal), since a lock that was disclosed is public. It hands no cards over and
// permutes no hands, so every Shuffle that it is asked about is of a whole deck.
type DeferringSuite interface {
	Suite
	// ParseLock reads the lock behind a key from its canonical bytes. It fails if they
	// are none, or the lock of another key.
	ParseLock(key Key, b []byte) (Lock, error)
}

// Lock is a lock that was disclosed, and checks what was made with it. Nothing of it is
// secret any more: nothing needs to take constant time. Statements are those that Verify
// has accepted, with the lock's own key as By or Key. Their cards are what others may have
// made wrong: a statement holds or not by this lock alone. An error says that the statement
// does not hold, so a source of random weights must not fail otherwise than by never
// returning (crypto/rand does not).
type Lock interface {
	// CheckShuffle checks that Out[i] is In[order[i]] with the lock put on, for every i.
	// The order is a permutation of the places from 0. The error wraps ErrOrder if Out
	// is In with the lock put on, in another order.
	CheckShuffle(s Shuffle, order []byte) error
	// FindOrder finds the order in which CheckShuffle holds, by as many multiplications as there are
	// cards; false if it holds in none.
	FindOrder(s Shuffle) (order []byte, ok bool)
	// CheckReveal checks that every one of Tokens is what the lock makes of its card.
	CheckReveal(s Reveal) error
}

// OrderWitness is the [Witness] of a Shuffle that a [DeferringSuite] suite has made.
type OrderWitness interface {
	// Order says from which place of In each card of Out comes, as Lock.CheckShuffle takes
	// it. It is as secret as the lock.
	Order() []byte
}

// ErrOrder is wrapped by the error about a shuffle that is one, in another order than is
// said.
var ErrOrder = errors.New("the cards were shuffled into another order")

// Disclosure is what a game needs, beside Relations, of a suite that is to defer its proofs.
const Disclosure = "disclosure"

// AsDeferring returns s as a suite that defers; false if s proves everything at once.
func AsDeferring(s Suite) (DeferringSuite, bool) {
	d, ok := s.(DeferringSuite)
	return d, ok
}

// IsDeferred reports whether a statement is one that a [DeferringSuite] suite leaves unproved.
func IsDeferred(s Statement) bool {
	switch s.(type) {
	case Shuffle, Reveal:
		return true
	}
	return false
}

// CheckPermutation refuses an order that does not name each of n places once.
func CheckPermutation(order []byte, n int) error {
	for i, place := range slices.Sorted(slices.Values(order)) {
		if int(place) != i {
			return errors.New("the order names a place twice, or one that is not there")
		}
	}
	if len(order) != n {
		return fmt.Errorf("the order has %d places, and %d cards were shuffled", len(order), n)
	}
	return nil
}
