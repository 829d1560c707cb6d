package choices

import (
	"crypto/subtle"
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ProveCondition proves s. It returns proof.ErrFalse if s does not hold, if a card has no face of the
// deck, or if two cards have the same face. Requires: x is the secret of s.Key.
func ProveCondition(ctx transcript.Context, s Condition, x group.Scalar, rand io.Reader) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	t := transcript.New(ctx, s)
	nonces, err := t.Hedge(x.Bytes(), rand)
	if err != nil {
		return nil, err
	}
	return s.prove(t, x, nonces)
}

// prove draws everything in a proof from nonces: the order of a permuted hand and its factors, fillers,
// and what the arguments draw.
func (s Condition) prove(t *transcript.Transcript, x group.Scalar, nonces *transcript.Stream) ([]byte, error) {
	opened := make([]group.Element, len(s.Cards))
	for j, c := range s.Cards {
		opened[j] = c.B.Sub(group.Mul(x, c.A))
	}
	p := conditionProver{s, t, x, nonces}
	inside, ok := s.insideBits(opened)
	if !ok {
		return nil, proof.ErrFalse
	}
	plan := s.Plan()
	if plan.Permuted {
		return p.provePermuted(plan, opened, inside)
	}
	return p.proveParts(nil, plan, s.Cards, opened)
}

// insideBits returns 1 for every card whose face is in the set, and 0 for every other. It reports
// whether s holds and all cards have different faces of the deck.
func (s Condition) insideBits(opened []group.Element) (inside []int, ok bool) {
	inside = make([]int, len(opened))
	deck := s.Deck.Cards()
	unseen := slices.Repeat([]int{1}, len(deck))
	known, count := 0, 0
	for j, m := range opened {
		for f, c := range deck {
			hit := m.EqualMask(c.B) & unseen[f]
			unseen[f] -= hit
			known += hit
			inside[j] |= hit & inSet(s, f)
		}
		count += inside[j]
	}
	within := subtle.ConstantTimeLessOrEq(max(s.Min, 0), count) & subtle.ConstantTimeLessOrEq(count, s.Max)
	return inside, known == len(opened) && within == 1
}

type conditionProver struct {
	s      Condition
	t      *transcript.Transcript
	x      group.Scalar
	nonces *transcript.Stream
}

// proveParts proves all parts of plan and appends them to bytes.
func (p conditionProver) proveParts(bytes []byte, plan Plan, cards []masking.Card, opened []group.Element) ([]byte, error) {
	for _, part := range plan.Parts {
		from, to := part.cardRange(plan, len(cards))
		b, err := p.s.argument(part, cards[from:to]).(partProver).prove(p.t, p.x, opened[from:to], p.nonces)
		if err != nil {
			return nil, err
		}
		bytes = append(bytes, b...)
	}
	return bytes, nil
}

// partProver is an argument with its proving side. opened[j] = B_j − x·A_j, and nonces are hedged by x
// and the place. It returns proof.ErrFalse if the statement does not hold.
type partProver interface {
	prove(t *transcript.Transcript, x group.Scalar, opened []group.Element, nonces *transcript.Stream) ([]byte, error)
}

// provePermuted permutes the hand, proves that it did, and proves the parts.
func (p conditionProver) provePermuted(plan Plan, opened []group.Element, inside []int) ([]byte, error) {
	order, err := p.drawOrder(plan, inside)
	if err != nil {
		return nil, err
	}
	factors, err := p.s.Key.Group().RandomScalars(p.nonces, len(order))
	if err != nil {
		return nil, err
	}
	s, o := masking.ShuffleStatement{Key: p.s.Key, In: p.s.Cards}, masking.Opening{Permutation: order, Factors: factors}
	s.Out = masking.Remask(s.Key, s.In, o)
	argument, err := bayergroth.ProvePart(p.t, s, o, p.nonces)
	if err != nil {
		return nil, err
	}
	hand := make([]group.Element, len(order))
	for i, from := range order {
		hand[i] = group.ElementAt(opened, int(from))
	}
	return p.proveParts(append(masking.Encode(s.Out...), argument...), plan, s.Out, hand)
}

// drawOrder returns a random order of the cards in which the cards come first that plan says are
// inside, and last those that it says are outside.
func (p conditionProver) drawOrder(plan Plan, inside []int) ([]uint16, error) {
	random, err := masking.DrawPermutation(len(inside), p.nonces)
	if err != nil {
		return nil, err
	}
	var need [2]int // outside, inside
	for _, part := range plan.Parts {
		need[sideIndex(part.Inside)] = part.Need
	}
	// From each class, take the first cards in the random order.
	class := make([]int, len(inside))
	var taken [2]int
	for _, c := range random {
		in := 0
		for j, bit := range inside {
			in |= bit & subtle.ConstantTimeEq(int32(c), int32(j))
		}
		first := in & subtle.ConstantTimeLessOrEq(taken[1]+1, need[1])
		last := (1 - in) & subtle.ConstantTimeLessOrEq(taken[0]+1, need[0])
		taken[1], taken[0] = taken[1]+first, taken[0]+last
		for j := range class {
			here := subtle.ConstantTimeEq(int32(c), int32(j))
			class[j] = subtle.ConstantTimeSelect(here, 1-first+last, class[j])
		}
	}
	return byClass(random, class), nil
}

func sideIndex(inside bool) int {
	if inside {
		return 1
	}
	return 0
}

// inSet returns 1 if face f is in the set of s, and else 0.
func inSet(s Condition, f int) int { return sideIndex(s.Set.Has(card.Face(f))) }
