// Package proof is the seam between the kernel and the mathematics: the
// relations a card table needs, as statements over public values, the [Suite]
// that verifies them, and the [Prover] that proves them.
//
// The kernel (package table) computes every statement from public state, the
// player's side proves it, the verifier's side verifies it; none of them sees
// a group element. Keys, masked cards and tokens are values of one suite,
// opaque behind their canonical bytes. A suite is one card encoding together
// with one argument for each relation; suites are listed in package suite.
//
// Vocabulary (docs/spec/30-masking.md). A card is masked under a set of seats'
// keys. Each seat can give a token for it, which takes that seat's key off the
// card; a card from which the tokens of all seats but one were taken is masked
// under that seat's own key and is a hand card: from then on the seat's card
// secret is the witness of everything it proves about the card
// (cryptography.md A5). A card with all tokens taken off is open and has a
// face.
//
// Promises asked of every suite, and tested by prooftest.Run: no proof and no
// mask without a transcript.Context; a random source that repeats itself repeats
// no permutation, mask or nonce; parsing is canonical (what is accepted re-encodes to
// the same bytes) and never panics; Verify appends what can be checked
// together to a Batch and accepts together exactly what it accepts alone.
package proof

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/transcript"
)

// Key is a public card key: of one seat, or joint.
type Key interface{ Bytes() []byte }

// MaskedCard is a card under a set of keys, or open.
type MaskedCard interface{ Bytes() []byte }

// Token is one seat's share in uncovering one masked card.
type Token interface{ Bytes() []byte }

// Statement is one of Ownership, Shuffle, Reveal, Transfer, Condition, Arrange and Mint:
// what a proof proves, in public values that the kernel computed.
type Statement interface{ relationName() string }

// Ownership: the prover knows the secret of Key.
type Ownership struct{ Key Key }

// Shuffle: Out is In in another order, each card remasked under Key. Key is
// the joint key for a deck and the holder's own key for a hand. By is the card key of
// who shuffles: a suite of which every seat masks the deck under its own key states
// By, and all others Key alone.
type Shuffle struct {
	Key, By Key
	In, Out []MaskedCard
}

// Reveal: Tokens[i] is the share of Key's owner in Cards[i], for every i.
type Reveal struct {
	Key    Key
	Cards  []MaskedCard
	Tokens []Token
}

// Transfer: New, masked under To alone, is the same card as Old, which is
// masked under From alone; the prover owns From.
type Transfer struct {
	From, To Key
	Old, New MaskedCard
}

// Condition: of Cards, masked under Key alone, at least Min and at most Max
// have a face in Set. The prover owns Key. The table makes sure that Cards
// are different cards of one deal of Deck: a suite may use that each has a face
// of the deck, and no two the same.
type Condition struct {
	Key      Key
	Deck     Deck
	Cards    []MaskedCard
	Set      card.Set
	Min, Max int
}

// Arrange: Out is In in an order of a family, each card remasked under Key, the joint
// key. In may be open; Out may not.
type Arrange struct {
	Family  Family
	Key     Key
	In, Out []MaskedCard
}

// Family is a list of as many orders as there are cards, from 0.
type Family string

const (
	Cut    Family = "cut"    // the cards from any place on, then those before it
	Insert Family = "insert" // the last card at any place, the others as they were
)

// Mint: Card, masked under Key, has one of the faces in Set of Deck. Key is the joint
// key.
type Mint struct {
	Key  Key
	Deck Deck
	Card MaskedCard
	Set  card.Set
}

func (Ownership) relationName() string { return "ownership" }
func (Shuffle) relationName() string   { return "shuffle" }
func (Reveal) relationName() string    { return "reveal" }
func (Transfer) relationName() string  { return "transfer" }
func (Condition) relationName() string { return "condition" }
func (Arrange) relationName() string   { return "arrange" }
func (Mint) relationName() string      { return "mint" }

// RelationName returns the name of a statement's relation, for messages to people.
func RelationName(s Statement) string { return s.relationName() }

// Deck is a deck of cards in the encoding of a suite.
type Deck interface {
	// Cards returns the open cards, face f at place f.
	Cards() []MaskedCard
	// Face returns the face of a card from which every token was taken off.
	// It is false if the card is none of the deck.
	Face(c MaskedCard) (card.Face, bool)
}

// Encoding is the public side of masking. Its methods are pure and may be
// called from many goroutines.
type Encoding interface {
	ParseKey(b []byte) (Key, error)           // refuses the key of secret zero
	ParseMasked(b []byte) (MaskedCard, error) // refuses an open card
	ParseToken(b []byte) (Token, error)
	// Joint returns the key under which a deck is masked. It refuses duplicate
	// keys and keys that cancel each other.
	Joint(keys []Key) (Key, error)
	// Deck encodes d. It refuses a deck whose encodings are not distinct.
	Deck(d card.Deck) (Deck, error)
	// Strip takes tokens off a card. The result is masked under the keys of
	// the seats whose tokens were not given.
	Strip(c MaskedCard, tokens ...Token) MaskedCard
}

// DealEncoding returns the encoding by which the values of a deal are read and stripped: e
// itself, or what e makes of its seats' keys and its deck if it has a method
// DealEncoding(keys []Key, d Deck) (Encoding, error). The error is that no deck can be
// masked under these keys.
func DealEncoding(e Encoding, keys []Key, d Deck) (Encoding, error) {
	if own, ok := e.(interface {
		DealEncoding(keys []Key, d Deck) (Encoding, error)
	}); ok {
		return own.DealEncoding(keys, d)
	}
	return e, nil
}

// CheckKeyPair refuses two keys of a table one of which tells secrets behind the other: who posts the
// later one has made it so. An encoding for which other keys than equal ones do that says it by
// a method CheckKeyPair(a, b Key) error.
func CheckKeyPair(e Encoding, a, b Key) error {
	if own, ok := e.(interface{ CheckKeyPair(a, b Key) error }); ok {
		return own.CheckKeyPair(a, b)
	}
	return nil
}

// AttachmentSize is how many bytes the longest message of a table of so many seats has besides its
// entry. A suite for which that is more than a proof of a shuffle says it by a method
// AttachmentSize(seats int, d Deck) int; of others it is 0.
func AttachmentSize(s Suite, seats int, d Deck) int {
	if own, ok := s.(interface{ AttachmentSize(seats int, d Deck) int }); ok {
		return own.AttachmentSize(seats, d)
	}
	return 0
}

// FactoringSuite is a [Suite] whose keys are numbers that nobody but their owner can factor, unless two
// have a factor in common.
type FactoringSuite interface {
	Suite
	// SharedFactorGroups groups keys, by their places, that have factors in common. Each group has two or
	// more; a key is in one at most. Keys are of ParseKey, of this suite or another FactoringSuite.
	SharedFactorGroups(keys []Key) [][]int
}

// Batch collects equations that are checked together.
type Batch interface {
	// Label names what is verified next: an entry of the log. Labels ascend.
	Label(entry uint64)
	// Check verifies all that was added since the last Check and empties the
	// batch. If something is wrong, it returns all labels with a wrong equation
	// as a *BatchError, and no other error. Its random weights are drawn anew
	// from crypto/rand in every call.
	Check() error
}

// Suite is one card encoding with the verifying side of one argument for each
// relation. The proving side is [Prover].
type Suite interface {
	// Name is bound into every transcript: "<encoding>-<shuffle argument>/v1".
	Name() string
	Encoding() Encoding
	// NewBatch returns an empty batch for Verify.
	NewBatch() Batch
	// Verify checks the form of proof and either checks it at once or appends
	// its equations to b. It returns an error if the proof is wrong already.
	// It never panics, whatever the bytes.
	Verify(c transcript.Context, s Statement, proof []byte, b Batch) error
}

// Permute is what a game needs in which a hand is permuted: a Shuffle under its
// holder's own key, which not every suite that shuffles decks can prove.
const Permute = "permute"

// Relations are the names of all that a suite proves, and a game needs, unless it says
// otherwise: the first five relations, and Permute. Arrange and Mint are never meant
// unless they are named.
func Relations() []string {
	return []string{"ownership", "shuffle", "reveal", "transfer", "condition", Permute}
}

// Proves reports whether s proves a relation, by its name. A suite that does not
// prove all of Relations says so by a method Proves(relation string) bool. Suites that
// defer have Disclosure too.
func Proves(s Suite, relation string) bool {
	if relation == Disclosure {
		_, defers := AsDeferring(s)
		return defers
	}
	if own, ok := s.(interface{ Proves(relation string) bool }); ok {
		return own.Proves(relation)
	}
	return slices.Contains(Relations(), relation)
}

// KeysPerDeal reports whether a card key of s is for one deal alone. A suite for which
// that is so says it by a method KeysPerDeal() bool.
func KeysPerDeal(s Suite) bool {
	own, ok := s.(interface{ KeysPerDeal() bool })
	return ok && own.KeysPerDeal()
}

// ErrFalse is returned by a prover that is asked to prove what does not hold.
// An honest player never sends such a message.
var ErrFalse = errors.New("the statement does not hold")

// BatchError names the labels of a batch under which a check failed.
type BatchError struct{ Labels []uint64 } // ascending, at least one

func (e *BatchError) Error() string {
	return fmt.Sprintf("proof: proofs of entries %d do not verify", e.Labels)
}

// ErrWrong is wrapped by a verifier's error about a proof that has the right
// form, and does not hold. Of a proof that goes to a batch, the batch says so.
var ErrWrong = errors.New("the proof does not verify")
