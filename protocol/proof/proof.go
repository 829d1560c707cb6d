// Package proof is the seam between the kernel and the mathematics: the relations that a card table
// needs, as statements over public values, the [Suite] that verifies them, and the [Prover] that
// proves them.
//
// The kernel (package table) computes every statement from public state, the player's side proves
// it, the verifier's side verifies it. None of them sees a group element: keys, masked cards and
// tokens are values of one suite, opaque behind their canonical bytes. A suite is one card encoding
// together with one argument for each relation. Package suite lists the suites.
//
// Vocabulary (docs/spec/30-masking.md). A card is masked under a set of seats' keys. Each seat can
// give a token for it, which takes that seat's key off the card. A card stripped of the tokens of
// all seats but one is masked under that seat's own key, and is a hand card. From then on the
// seat's card secret is the witness of everything that it proves about the card. A card stripped of
// all tokens is open and has a face.
//
// Every suite promises the following, which prooftest.Run tests. No proof and no mask is made
// without a transcript.Context. A random source that repeats itself repeats no permutation, mask or
// nonce. Parsing is canonical (accepted bytes re-encode identically) and never panics. Verify
// appends to a Batch what can be checked together, and accepts together exactly what it accepts
// alone.
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

// Statement is one of Ownership, Shuffle, Reveal, Transfer, Condition, Arrange and Mint: what a
// proof proves, in public values that the kernel has computed.
type Statement interface{ relationName() string }

// Ownership: the prover knows the secret of Key.
type Ownership struct{ Key Key }

// Shuffle: Out is In in another order, each card remasked under Key. Key is the joint key for a
// deck and the holder's own key for a hand. By is the card key of the seat that shuffles. Suites in
// which every seat masks the deck under its own key state By, all others only Key.
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

// Transfer: New, masked under To alone, is the same card as Old, masked under From alone. The
// prover owns From.
type Transfer struct {
	From, To Key
	Old, New MaskedCard
}

// Condition: of Cards, masked under Key alone, at least Min and at most Max have a face in Set. The
// prover owns Key. The table ensures that Cards are different cards of one deal of Deck, so a suite
// may rely on each having a face of the deck and no two the same.
type Condition struct {
	Key      Key
	Deck     Deck
	Cards    []MaskedCard
	Set      card.Set
	Min, Max int
}

// Arrange: Out is In in an order of Family, each card remasked under Key, the joint key. In may be
// open; Out may not.
type Arrange struct {
	Family  Family
	Key     Key
	In, Out []MaskedCard
}

// Family is a list of orders, as many as there are cards, numbered from 0.
type Family string

const (
	Cut    Family = "cut"    // the cards from some place on, then those before it
	Insert Family = "insert" // the last card at any place, the others as they were
)

// Mint: Card, masked under Key, the joint key, has one of the faces in Set of Deck.
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
	// Face returns the face of a card stripped of every token. It is false if the card is not of
	// the deck.
	Face(c MaskedCard) (card.Face, bool)
}

// Encoding is the public side of masking. Its methods are pure and may be
// called from many goroutines.
type Encoding interface {
	ParseKey(b []byte) (Key, error)           // refuses the key of the zero secret
	ParseMasked(b []byte) (MaskedCard, error) // refuses an open card
	ParseToken(b []byte) (Token, error)
	// Joint returns the key under which a deck is masked. It refuses duplicate keys, and keys that
	// cancel each other.
	Joint(keys []Key) (Key, error)
	// Deck encodes d. It refuses a deck whose encodings are not distinct.
	Deck(d card.Deck) (Deck, error)
	// Strip strips tokens from a card. The result is masked under the keys of the seats whose
	// tokens were not given.
	Strip(c MaskedCard, tokens ...Token) MaskedCard
}

// DealEncoding returns the encoding that reads and strips the values of a deal: e itself or, if e
// has a method DealEncoding(keys []Key, d Deck) (Encoding, error), its result for the seats' keys
// and the deck. The error says that no deck can be masked under these keys.
func DealEncoding(e Encoding, keys []Key, d Deck) (Encoding, error) {
	if own, ok := e.(interface {
		DealEncoding(keys []Key, d Deck) (Encoding, error)
	}); ok {
		return own.DealEncoding(keys, d)
	}
	return e, nil
}

// CheckKeyPair refuses two keys of a table if one of them reveals the secret behind the other; the
// fault is of whoever posts the later key. An encoding where that can happen for unequal keys has a
// method CheckKeyPair(a, b Key) error.
func CheckKeyPair(e Encoding, a, b Key) error {
	if own, ok := e.(interface{ CheckKeyPair(a, b Key) error }); ok {
		return own.CheckKeyPair(a, b)
	}
	return nil
}

// AttachmentSize returns how many bytes the longest message of a table of so many seats has besides
// its entry. A suite where that is more than a proof of a shuffle has a method AttachmentSize(seats
// int, d Deck) int. For others it is 0.
func AttachmentSize(s Suite, seats int, d Deck) int {
	if own, ok := s.(interface{ AttachmentSize(seats int, d Deck) int }); ok {
		return own.AttachmentSize(seats, d)
	}
	return 0
}

// FactoringSuite is a [Suite] whose keys are numbers that only their owner can factor, unless two
// keys have a common factor.
type FactoringSuite interface {
	Suite
	// SharedFactorGroups groups keys that have common factors, by their places. Each group has at
	// least two keys, and a key is in at most one. Keys come from ParseKey of this or another
	// FactoringSuite.
	SharedFactorGroups(keys []Key) [][]int
}

// Batch collects equations that are checked together.
type Batch interface {
	// Label names the entry of the log that is verified next. Labels ascend.
	Label(entry uint64)
	// Check verifies everything added since the last Check and empties the batch. Its only error is
	// a *BatchError with all labels that have a wrong equation. Every call draws its random weights
	// anew from crypto/rand.
	Check() error
}

// Suite is one card encoding with the verifying side of one argument for each relation. [Prover] is
// the proving side.
type Suite interface {
	// Name is bound into every transcript: "<encoding>-<shuffle argument>/v1".
	Name() string
	Encoding() Encoding
	// NewBatch returns an empty batch for Verify.
	NewBatch() Batch
	// Verify checks the form of proof, and either checks it at once or appends its equations to b.
	// It returns an error if the proof is already known to be wrong. It never panics, whatever the
	// bytes.
	Verify(c transcript.Context, s Statement, proof []byte, b Batch) error
}

// Permute is what a game needs that permutes hands: a Shuffle under the holder's own key, which not
// every suite that shuffles decks can prove.
const Permute = "permute"

// Relations lists what a suite proves, and a game needs, unless it says otherwise: the first five
// relations, and Permute. Arrange and Mint are always named explicitly.
func Relations() []string {
	return []string{"ownership", "shuffle", "reveal", "transfer", "condition", Permute}
}

// Proves reports whether s proves a relation, given by name. A suite that does not prove exactly
// Relations has a method Proves(relation string) bool. Suites that defer also have Disclosure.
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

// KeysPerDeal reports whether a card key of s is for one deal only, which the suite says by a
// method KeysPerDeal() bool.
func KeysPerDeal(s Suite) bool {
	own, ok := s.(interface{ KeysPerDeal() bool })
	return ok && own.KeysPerDeal()
}

// ErrFalse is returned by a prover asked to prove a statement that does not hold. An honest player
// never sends such a message.
var ErrFalse = errors.New("the statement does not hold")

// BatchError names the labels of a batch under which a check failed.
type BatchError struct{ Labels []uint64 } // ascending, at least one

func (e *BatchError) Error() string {
	return fmt.Sprintf("proof: proofs of entries %d do not verify", e.Labels)
}

// ErrWrong is wrapped by a verifier's error about a proof that has the right form but does not
// hold. For a proof that goes to a batch, the batch reports the error.
var ErrWrong = errors.New("the proof does not verify")
