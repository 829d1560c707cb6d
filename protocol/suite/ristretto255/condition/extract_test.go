package condition_test

import (
	"fmt"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/ristretto255/condition"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
)

// permuted has a small hand for every number of cards and every plan that begins
// with a permuted hand.
func permuted() []shape {
	var list []shape
	seen := map[string]bool{}
	for k := 2; k <= 6; k++ {
		for least := range k + 1 {
			for most := max(least, 1); most <= k; most++ {
				for _, set := range []int{2, 5, 9, 20} {
					plan := condition.Choose(k, 32, set, least, most)
					name := fmt.Sprint(k, plan)
					if plan.Permuted && least <= set && !seen[name] {
						list = append(list, shape{k, 32, set, least, most, least, ""})
						seen[name] = true
					}
				}
			}
		}
	}
	return list
}

// TestExtractPermuted: a permuted hand that is not the hand, or whose parts do not
// add up to the statement. Extractors of the shuffle and of the parts give π and x
// (TestExtractHand in package bayergroth); from these, here, follow the first
// cards that are in the set, the last ones that are not, and the bounds. The
// extractor of the whole takes the 2·k transcripts of the shuffle, and two for each
// part with the shuffle as it is.
func TestExtractPermuted(t *testing.T) {
	shapes := permuted()
	if len(shapes) < 10 {
		t.Fatalf("only %d shapes are proved with a permuted hand", len(shapes))
	}
	x := handtest.Secret(t)
	for _, c := range shapes {
		s := c.hand(t, x)
		proof := prove(t, x, s)
		if err := verify(handtest.Here, s, proof); err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		pi, hand := matched(t, x, s, proof)
		inside := func(i int) bool {
			f, ok := s.Deck.Face(masking.Open(x.Unmask(hand[i])))
			return ok && s.Set.Has(f)
		}
		least, most := 0, len(hand)
		for _, part := range s.Plan().Parts {
			for n := range part.Need {
				i := n
				if !part.Inside {
					i = len(hand) - 1 - n
				}
				if inside(i) != part.Inside {
					t.Errorf("%v: card %d of the permuted hand is not where its part has it", c, i)
				}
			}
			if part.Inside {
				least = part.Need
			} else {
				most = len(hand) - part.Need
			}
		}
		if least < s.Min || most > s.Max {
			t.Errorf("%v: the parts show %d to %d by order %v", c, least, most, pi)
		}
	}
}

// matched returns the permuted hand of a proof and the permutation that leads there,
// which the secret shows, as faces of a hand differ.
func matched(t *testing.T, x *masking.Secret, s condition.Statement, proof []byte) ([]int, []masking.Card) {
	t.Helper()
	places := map[card.Face]int{}
	face := func(c masking.Card) card.Face {
		f, ok := s.Deck.Face(masking.Open(x.Unmask(c)))
		if !ok {
			t.Fatal("a card is none of the deck")
		}
		return f
	}
	for j, c := range s.Cards {
		places[face(c)] = j
	}
	var pi []int
	var hand []masking.Card
	seen := map[int]bool{}
	for i := range s.Cards {
		c, err := masking.ParseCard(proof[masking.CardSize*i:][:masking.CardSize])
		if err != nil {
			t.Fatal(err)
		}
		j, ok := places[face(c)]
		if !ok || seen[j] {
			t.Fatal(fmt.Sprint("card ", i, " of the permuted hand is none of the hand, or one of it twice"))
		}
		seen[j] = true
		pi, hand = append(pi, j), append(hand, c)
	}
	return pi, hand
}
