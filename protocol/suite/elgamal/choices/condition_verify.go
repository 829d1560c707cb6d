package choices

import (
	"fmt"

	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// VerifyCondition checks the form of s and of a proof, checks at once what is not linear,
// and adds all other equations to b.
func VerifyCondition(ctx transcript.Context, s ConditionStatement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	return verifyCondition(transcript.New(ctx, s), s, bytes, b)
}

func verifyCondition(t *transcript.Transcript, s ConditionStatement, bytes []byte, b *group.Batch) error {
	plan := s.Plan()
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
		if err := s.verifyPart(t, part, cards[from:to], bytes[:part.Size], b); err != nil {
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
func verifyPermuted(t *transcript.Transcript, s ConditionStatement, bytes []byte, b *group.Batch) ([]masking.Card, error) {
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

func (s ConditionStatement) verifyPart(t *transcript.Transcript, part Part, cards []masking.Card, bytes []byte, b *group.Batch) error {
	switch part.Kind {
	case Inequality:
		return VerifyInequality(t, InequalityStatement{Key: s.Key, Cards: cards, Excluded: s.faceElements(!part.Inside)}, bytes, b)
	case Subset:
		return VerifySubset(t, SubsetStatement{Key: s.Key, Cards: cards, Faces: s.faceElements(part.Inside)}, bytes, b)
	default:
		return VerifyThreshold(t, ThresholdStatement{Key: s.Key, Cards: cards, Faces: s.faceElements(part.Inside), Need: part.Need}, bytes)
	}
}
