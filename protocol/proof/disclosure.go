package proof

import (
	"errors"
	"fmt"
	"slices"
)

// DeferringSuite is a [Suite] that proves neither shuffles nor tokens when they are made. They are
// checked once their maker has disclosed its locks (docs/spec/51-disclosure.md). A lock is the card
// secret behind one key, as [Secret.Bytes] writes it.
//
// Messages carry no proof of a Shuffle or a Reveal. Verify is called for these with an empty proof
// and checks only the form, including that no card is twice in Out. It checks an Ownership
// completely. The suite proves nothing else (Proves). Its keys are for one deal (KeysPerDeal),
// since a disclosed lock is public. It hands no cards over and permutes no hands, so every Shuffle
// is of a whole deck.
type DeferringSuite interface {
	Suite
	// ParseLock reads the lock behind a key from its canonical bytes. It fails if b is no lock, or
	// the lock of another key.
	ParseLock(key Key, b []byte) (Lock, error)
}

// Lock is a disclosed lock, which checks what was made with it. It is no longer secret, so nothing
// has to take constant time. Statements are those that Verify has accepted, with the lock's own key
// as By or Key. Others may have made their cards wrong: whether a statement holds depends on this
// lock alone. An error says that the statement does not hold, so a source of random weights must
// not fail; it may only block (as crypto/rand does).
type Lock interface {
	// CheckShuffle checks that Out[i] is In[order[i]] with the lock put on, for every i. The order
	// is a permutation of the places from 0. The error wraps ErrOrder if Out is In with the lock
	// put on, but in another order.
	CheckShuffle(s Shuffle, order []byte) error
	// FindOrder returns the order for which CheckShuffle holds, at the cost of one multiplication
	// for each card; false if there is none.
	FindOrder(s Shuffle) (order []byte, ok bool)
	// CheckReveal checks that each of Tokens is what the lock makes of its card.
	CheckReveal(s Reveal) error
}

// OrderWitness is the [Witness] of a Shuffle made by a [DeferringSuite].
type OrderWitness interface {
	// Order says for each card of Out its place in In, as Lock.CheckShuffle takes it. It is as
	// secret as the lock.
	Order() []byte
}

// ErrOrder is wrapped by the error about a shuffle whose order is not the disclosed one.
var ErrOrder = errors.New("the cards were shuffled into another order")

// Disclosure is what a game needs of a suite, beside Relations, if only deferring suites will do.
const Disclosure = "disclosure"

// AsDeferring returns s as a DeferringSuite; false if s proves everything at once.
func AsDeferring(s Suite) (DeferringSuite, bool) {
	d, ok := s.(DeferringSuite)
	return d, ok
}

// IsDeferred reports whether a [DeferringSuite] leaves a statement unproved.
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
