package cutandchoose

import (
	"crypto/rand"
	"crypto/sha3"
	"fmt"
	"io"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/blum"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/blum/blumtest"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
)

// TestSmallPrime: a seat whose modulus has a small prime makes others fail. Of 35,000 factors that each
// of them draws for a shuffle of 32 cards some are no units, and the proof would be refused, or what
// it has committed to could not be answered.
func TestSmallPrime(t *testing.T) {
	honest := testmust.Have(blum.NewSecret(size, rand.Reader))(t)
	g := &game{T: t, joint: testmust.Have(matrix.Joint([]*matrix.Key{matrix.NewKey(honest.Key()), matrix.NewKey(blumtest.Small(t, size))}))(t)}
	for f := range card.Face(32) {
		g.deck = append(g.deck, matrix.Open(f, 5))
	}
	for n := range 6 {
		seed := func() io.Reader {
			stream := sha3.NewSHAKE128()
			fmt.Fprint(stream, n)
			return stream
		}
		opening := testmust.Have(matrix.Any.DrawUnits(g.joint, 5, len(g.deck), seed()))(t)
		pile := matrix.NewPile(g.joint, g.deck)
		s := Statement{Key: g.joint, In: g.deck, Out: pile.Cards(pile.Remask(opening))}
		if n%2 == 0 {
			testmust.Do(t, s.Verify(here, testmust.Have(Prove(here, s, opening, seed()))(t)), "proof", n)
			continue
		}
		for k := range byte(2) {
			values := [][]byte{{k}}
			commitment := testmust.Have(Commit(here, Asked{s}, opening, seed()))(t)
			answer := testmust.Have(Answer(here, Asked{s}, opening, values, seed()))(t)
			testmust.Do(t, (Asked{s}).Answered(here, commitment, values, answer), "answer", k, "of commitment", n)
		}
	}
}
