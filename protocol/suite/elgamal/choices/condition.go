package choices

import (
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Condition is: of Cards, masked under Key alone, at least Min and at most Max have a face in Set. The
// verifier learns nothing else; no position is marked.
//
// "At most Max of k in Set" is "at least k − Max of k in the rest of the deck", so there are up to two
// parts "at least t of k in F". If t = k, each of the three arguments can prove a part, inequality with
// the rest of the deck. If not, threshold can prove it of the hand as it lies. Or the prover permutes
// the hand under its own key inside the proof, so that cards in the set come first and those in the
// rest last, and proves by the argument of package bayergroth that it is the same hand. It then proves
// that the first t cards are all in the set, and the last k − Max all in the rest. The permuted hand is
// only part of the proof, so nobody learns where in the hand these cards are.
//
// All parts are one proof under one transcript, which begins with the whole condition. Every part
// absorbs its own statement before it draws.
//
// The table makes sure of what is asked of the cards (docs/spec/50-table.md): they are of one deal of
// the deck, so every card masks a face of it, and no two the same, and they are masked under Key alone.
// A condition that names one masked card twice is refused here. Package masking refuses a deck in which
// two faces have one element: cards of one rank are different faces.
//
// A condition that always holds, with Min ≤ 0 and Max ≥ k, has the empty proof.
//
// Normative text: docs/spec/45-conditions.md; security: docs/spec/46.
//
// Constant time is that of the arguments. Only whether the condition holds at all depends on secrets:
// if not, Prove stops with proof.ErrFalse.
type Condition struct {
	Key      *masking.Key
	Deck     *masking.Deck
	Cards    []masking.Card
	Set      card.Set
	Min, Max int
}

// Label names the relation.
func (Condition) Label() string { return "condition/v1" }

// AppendTo absorbs the statement.
func (s Condition) AppendTo(b *transcript.Binder) {
	deck := s.Deck.PlainDeck().ID()
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("deck", deck[:])
	b.Bytes("cards", masking.Encode(s.Cards...))
	for _, word := range s.Set {
		b.Uint64("set", word)
	}
	b.Uint64("min", uint64(int64(s.Min)))
	b.Uint64("max", uint64(int64(s.Max)))
}

// Plan returns how s is proved. Requires: s is well-formed.
func (s Condition) Plan() Plan {
	return Choose(s.Key.Group(), len(s.Cards), s.Deck.PlainDeck().Len(), s.Set.Len(), s.Min, s.Max)
}

// faceElements returns the elements of the faces in the set, or of the rest of the deck.
func (s Condition) faceElements(inside bool) []group.Element {
	set := s.Set
	if !inside {
		set = set.Complement(s.Deck.PlainDeck())
	}
	var elements []group.Element
	for _, f := range set.Faces() {
		elements = append(elements, s.Deck.Element(f))
	}
	return elements
}

// checkForm refuses a statement that makes no sense or cannot hold.
func (s Condition) checkForm() error {
	deck, k := s.Deck.PlainDeck(), len(s.Cards)
	if s.Min > s.Max || s.Max < 0 || s.Min > k {
		return fmt.Errorf("a condition on between %d and %d of %d cards", s.Min, s.Max, k)
	}
	if k > deck.Len() {
		return fmt.Errorf("a condition on %d cards of a deck of %d", k, deck.Len())
	}
	if !s.Set.Within(deck) {
		return errors.New("the set has a face that is not of the deck")
	}
	if s.Min > 0 && s.Set.Len() == 0 || s.Max < k && s.Set.Len() == deck.Len() {
		return errors.New("a card must have a face of an empty set")
	}
	if err := masking.CheckHidden("a condition on a card that is not hidden", s.Cards...); err != nil {
		return err
	}
	return s.checkDistinct()
}

func (s Condition) checkDistinct() error {
	first := make(map[string]int, len(s.Cards))
	for j, c := range s.Cards {
		encoding := string(c.Bytes())
		if i, ok := first[encoding]; ok {
			return fmt.Errorf("cards %d and %d are the same", i+1, j+1)
		}
		first[encoding] = j
	}
	return nil
}

// Verify checks the form of s and of a proof, checks the nonlinear part at once, and adds all other
// equations to b.
func (s Condition) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	t, plan := transcript.New(ctx, s), s.Plan()
	if len(bytes) != plan.Size {
		return fmt.Errorf("the proof has %d bytes, must have %d (%s)", len(bytes), plan.Size, plan)
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

// permutedSize returns the length of a permuted hand with the proof that it is the hand.
func permutedSize(g *group.Group, cards int) int {
	return masking.CardSize(g)*cards + bayergroth.Size(g, cards)
}

// verifyPermuted reads the permuted hand from bytes, and verifies that it is the hand.
func verifyPermuted(t *transcript.Transcript, s Condition, bytes []byte, b *group.Batch) ([]masking.Card, error) {
	g := s.Key.Group()
	first := masking.CardSize(g) * len(s.Cards)
	hand, err := masking.ParseCards(g, bytes[:first])
	if err != nil {
		return nil, fmt.Errorf("permuted hand: %w", err)
	}
	argument := bytes[first:permutedSize(g, len(hand))]
	err = bayergroth.VerifyPart(t, masking.ShuffleStatement{Key: s.Key, In: s.Cards, Out: hand}, argument, b)
	if err != nil {
		return nil, fmt.Errorf("permuted hand: %w", err)
	}
	return hand, nil
}

// argument returns the argument of a part: its statement, and how to check its proof.
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
