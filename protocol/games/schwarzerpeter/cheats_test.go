package schwarzerpeter_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	sp "github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// everySuite runs a test at a fresh table of two under the clear suite and the default one, or
// thoroughly every one, played up to the first duty of a kind, in both rule sets.
func everySuite(t *testing.T, k table.Kind, test func(*testing.T, *tabletest.Table, table.Duty)) {
	suites, names := []proof.Suite{clear.Suite{}}, []string{suite.Default}
	if thorough.Tests() {
		names = thorough.Suites(suite.Proving(proof.Relations()...))
	}
	for _, name := range names {
		s, _ := suite.Lookup(name)
		suites = append(suites, s)
	}
	for _, o := range []options{{"rules": "article"}, {"rules": "common"}} {
		for _, s := range suites {
			c := tabletest.Config{Seats: 2, Options: o, Suite: s}
			t.Run(c.String(), func(t *testing.T) {
				played, err := tabletest.New(game, c, 3)
				if err != nil {
					t.Fatal(err)
				}
				d, err := played.PlayUntil(k)
				if err != nil {
					t.Fatal(err)
				}
				test(t, played, d)
			})
		}
	}
}

// isFoul checks that entry is a foul of seat by a check.
func isFoul(t *testing.T, played *tabletest.Table, entry []byte, seat table.Seat, check table.Check) {
	t.Helper()
	var fault *table.Fault
	_, err := tabletest.Apply(played.State, entry)
	if !errors.As(err, &fault) || fault.Class != table.Foul || fault.Seat != seat || fault.Check != check {
		t.Errorf("got %v, want a foul of seat %d by %s", err, seat, check)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// SP-S5, SP-C4: the holder hands over another card than the one at the drawn
// position, with a proof that is true of that other card.
func TestHandingOverAnotherCard(t *testing.T) {
	everySuite(t, table.Give, func(t *testing.T, played *tabletest.Table, d table.Duty) {
		from, to := d.Seats[0], played.State.CardKey(d.To[0])
		hand := played.State.Hand(from)
		other := hand[0]
		if other == d.Cards[0] {
			other = hand[1]
		}
		cards := played.State.Masked([]table.Card{d.Cards[0], other})
		passed, witness, err := played.Hands[from].Secret.Transfer(played.State.Context(from, table.Give).Slot(0), cards[1], to, played.Random)
		if err != nil {
			t.Fatal(err)
		}
		s := proof.Transfer{From: played.State.CardKey(from), To: to, Old: cards[0], New: passed}
		if _, err := played.Prove(from, table.Give, 0, s, witness); !errors.Is(err, proof.ErrFalse) {
			t.Errorf("it can be proved: %v", err)
		}
		s.Old = cards[1]
		p := must[[]byte](t)(played.Prove(from, table.Give, 0, s, witness))
		body := wire.CardsBody{Cards: [][]byte{passed.Bytes()}}
		isFoul(t, played, must[[]byte](t)(played.Sign(from, table.Give, body, p)), from, table.CheckTransfer)
	})
}

// SP-S6: a permutation that exchanges a card of the hand for a second copy of
// another one, with a proof that is true of the exchanged hand.
func TestPermutingAnotherHand(t *testing.T) {
	everySuite(t, table.Permute, func(t *testing.T, played *tabletest.Table, d table.Duty) {
		seat := d.Seats[0]
		key, hand := played.State.CardKey(seat), played.State.Masked(d.Cards)
		copied, _, err := played.Hands[seat].Secret.Transfer(played.State.Context(seat, table.Give).Slot(0), hand[1], key, played.Random)
		if err != nil {
			t.Fatal(err)
		}
		exchanged := slices.Concat([]proof.Masked{copied}, hand[1:])
		out, witness, err := played.Hands[seat].Secret.Shuffle(played.State.Context(seat, table.Permute).Slot(0), key, exchanged, played.Random)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := played.Prove(seat, table.Permute, 0, proof.Shuffle{Key: key, In: hand, Out: out}, witness); !errors.Is(err, proof.ErrFalse) {
			t.Errorf("it can be proved: %v", err)
		}
		body := wire.CardsBody{}
		for _, c := range out {
			body.Cards = append(body.Cards, c.Bytes())
		}
		if _, asks := played.State.Asks(); asks {
			if err := played.BlamedInAnswer(must[[]byte](t)(played.Sign(seat, table.Permute, body, make([]byte, 32)))); err != nil {
				t.Error(err)
			}
			return
		}
		p := must[[]byte](t)(played.Prove(seat, table.Permute, 0, proof.Shuffle{Key: key, In: exchanged, Out: out}, witness))
		isFoul(t, played, must[[]byte](t)(played.Sign(seat, table.Permute, body, p)), seat, table.CheckShuffle)
	})
}

// SP-S3, SP-C1: two cards that are no pair are called one.
func TestCallingTwoCardsAPair(t *testing.T) {
	everySuite(t, table.Move, func(t *testing.T, played *tabletest.Table, d table.Duty) {
		seat := d.Seats[0]
		hand, o := played.Hand(seat), public(played).Options
		names := func(c table.Card) string { return played.State.FaceName(hand[c]) }
		cards := played.State.Hand(seat)
		i := slices.IndexFunc(cards, func(c table.Card) bool { return c != cards[0] && !naivePair(o, names(cards[0]), names(c)) })
		claim := [2]string{"1a", "1b"}
		if o.Rules == "common" {
			claim = [2]string{"7H", "7D"}
		}
		pair := sp.Pair{{Card: cards[0], Face: claim[0]}, {Card: cards[i], Face: claim[1]}}
		move := must[[]byte](t)(json.Marshal(sp.Move{Lay: &[]sp.Pair{pair}}))
		isFoul(t, played, must[[]byte](t)(played.Bluff(seat, move)), seat, table.CheckFace)
	})
}
