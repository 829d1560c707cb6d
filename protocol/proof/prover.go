package proof

import (
	"errors"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prover is a suite with its proving side, which only players need. Code that verifies holds a
// [Suite].
type Prover interface {
	Suite
	// NewSecret draws a seat's card secret.
	NewSecret(rand io.Reader) (Secret, error)
	// ParseSecret reads Secret.Bytes back.
	ParseSecret(b []byte) (Secret, error)
}

// ProverOf returns the proving side of s. It fails if this program can only verify s.
func ProverOf(s Suite) (Prover, error) {
	p, ok := s.(Prover)
	if !ok {
		return nil, fmt.Errorf("tables of %s can be verified here, but not played", s.Name())
	}
	return p, nil
}

// Secret is a seat's card secret, the private side of masking. All its operations take constant
// time in secret values. Those that draw take the context of the proof that will follow, and are
// hedged (transcript.Stream): even with equal bytes from rand they draw something else for another
// secret, place or statement.
type Secret interface {
	Key() Key
	// Bytes returns the secret for the seat's own file, and for nothing else.
	Bytes() []byte
	// Token returns the owner's share in c.
	Token(c MaskedCard) Token
	// Shuffle permutes and remasks a deck or hand under k, by a uniform
	// permutation.
	Shuffle(c transcript.Context, k Key, in []MaskedCard, rand io.Reader) ([]MaskedCard, Witness, error)
	// Transfer masks a hand card of the owner anew, under to alone.
	Transfer(c transcript.Context, old MaskedCard, to Key, rand io.Reader) (MaskedCard, Witness, error)
	// Prove proves s. The witness is the one returned with the statement's new cards, and nil for
	// relations whose only witness is the secret. Prove returns ErrFalse if s does not hold.
	Prove(c transcript.Context, s Statement, w Witness, rand io.Reader) ([]byte, error)
}

// Arranger is a [Secret] of a suite that proves Arrange and Mint. Its draws are hedged like those
// of a Secret.
type Arranger interface {
	Secret
	// Arrange remasks cards under k in a uniform order of a family.
	Arrange(c transcript.Context, f Family, k Key, in []MaskedCard, rand io.Reader) ([]MaskedCard, Witness, error)
	// Mint masks face f of d under k. The face must be in set, since the proof will say so.
	Mint(c transcript.Context, k Key, d Deck, f card.Face, set card.Set, rand io.Reader) (MaskedCard, Witness, error)
}

// ArrangerOf returns s as an Arranger. It fails if its suite does not prove Arrange and Mint.
func ArrangerOf(s Secret) (Arranger, error) {
	a, ok := s.(Arranger)
	if !ok {
		return nil, errors.New("this suite cuts no piles and mints no cards: choose another")
	}
	return a, nil
}

// Witness is what the maker of masked cards knows about them. It is opaque.
type Witness any
