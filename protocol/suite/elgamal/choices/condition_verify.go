package choices

import (
	"fmt"

	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Verify checks the form of s and of a proof, checks at once what is not linear,
// and adds all other equations to b.
func (s Condition) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	t, plan := transcript.New(ctx, s), s.Plan()
	if len(bytes) != plan.Size {
		return plan.sizeError(len(bytes))
	}
	cards := s.Cards
	if plan.Permuted {
		var err error
		if cards, err = verifyPermuted(t, s, bytes, b); err != nil {
			return err
		}
		bytes = bytes[permutedSize(s.Key.Group(), len(cards)):]
	}
	for _, part := range plan.Parts {
		from, to := part.cardRange(plan, len(cards))
		if err := s.argument(part, cards[from:to]).verify(t, bytes[:part.Size], b); err != nil {
			return err
		}
		bytes = bytes[part.Size:]
	}
	return nil
}

// permutedSize is the length of a permuted hand and of the proof that it is one.
func permutedSize(g *group.Group, cards int) int {
	return masking.CardSize(g)*cards + bayergroth.Size(g, cards)
}

// verifyPermuted takes the permuted hand off bytes, and verifies that it is the hand.
func verifyPermuted(t *transcript.Transcript, s Condition, bytes []byte, b *group.Batch) ([]masking.Card, error) {
	g := s.Key.Group()
	first := masking.CardSize(g) * len(s.Cards)
	hand, err := masking.ParseCards(g, bytes[:first])
	if err != nil {
		return nil, fmt.Errorf("permuted hand: %w", err)
	}
	argument := bytes[first:permutedSize(g, len(hand))]
	err = bayergroth.VerifyPart(t, shuffle.Statement{Key: s.Key, In: s.Cards, Out: hand}, argument, b)
	if err != nil {
		return nil, fmt.Errorf("permuted hand: %w", err)
	}
	return hand, nil
}

// argument is a part's: its statement, which it absorbs, and how a proof of it is checked.
func (s Condition) argument(part Part, cards []masking.Card) argument {
	switch part.Kind {
	case Inequality:
		return inequality{s.Key, cards, s.faceElements(!part.Inside)}
	case Subset:
		return subset{s.Key, cards, s.faceElements(part.Inside)}
	default:
		return threshold{s.Key, cards, s.faceElements(part.Inside), part.Need}
	}
}

type argument interface {
	transcript.Statement
	verify(t *transcript.Transcript, bytes []byte, b *group.Batch) error
}
