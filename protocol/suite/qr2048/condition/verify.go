// Code generated from ristretto255/condition/verify.go by go generate ./protocol/suite; DO NOT EDIT.

package condition

import (
	"fmt"

	"github.com/pakli/pakli/protocol/suite/qr2048/bayergroth"
	"github.com/pakli/pakli/protocol/suite/qr2048/group"
	"github.com/pakli/pakli/protocol/suite/qr2048/inequality"
	"github.com/pakli/pakli/protocol/suite/qr2048/masking"
	"github.com/pakli/pakli/protocol/suite/qr2048/shuffle"
	"github.com/pakli/pakli/protocol/suite/qr2048/subset"
	"github.com/pakli/pakli/protocol/suite/qr2048/threshold"
	"github.com/pakli/pakli/protocol/transcript"
)

// Verify checks the form of s and of a proof, checks at once what is not linear,
// and adds all other equations to b.
func Verify(ctx transcript.Context, s Statement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	return verify(transcript.New(ctx, s), s, bytes, b)
}

func verify(t *transcript.Transcript, s Statement, bytes []byte, b *group.Batch) error {
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
		bytes = bytes[permutedSize(len(cards)):]
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
func permutedSize(cards int) int { return masking.CardSize*cards + bayergroth.Size(cards) }

// verifyPermuted takes the permuted hand off bytes, and verifies that it is the hand.
func verifyPermuted(t *transcript.Transcript, s Statement, bytes []byte, b *group.Batch) ([]masking.Card, error) {
	hand, err := masking.ParseCards(bytes[:masking.CardSize*len(s.Cards)])
	if err != nil {
		return nil, fmt.Errorf("permuted hand: %w", err)
	}
	argument := bytes[masking.CardSize*len(hand) : permutedSize(len(hand))]
	err = bayergroth.VerifyPart(t, shuffle.Statement{Key: s.Key, In: s.Cards, Out: hand}, argument, b)
	if err != nil {
		return nil, fmt.Errorf("permuted hand: %w", err)
	}
	return hand, nil
}

func (s Statement) verifyPart(t *transcript.Transcript, part Part, cards []masking.Card, bytes []byte, b *group.Batch) error {
	switch part.Kind {
	case Inequality:
		return inequality.Verify(t, inequality.Statement{Key: s.Key, Cards: cards, Excluded: s.faceElements(!part.Inside)}, bytes, b)
	case Subset:
		return subset.Verify(t, subset.Statement{Key: s.Key, Cards: cards, Faces: s.faceElements(part.Inside)}, bytes, b)
	default:
		return threshold.Verify(t, threshold.Statement{Key: s.Key, Cards: cards, Faces: s.faceElements(part.Inside), Need: part.Need}, bytes)
	}
}
