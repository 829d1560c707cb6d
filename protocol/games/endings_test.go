package games_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// A game that panics, or asks for what cannot be done, when a deal is undone anywhere, a seat
// has another holder, or the table stops and goes on; one whose deals that are over change, or
// are lost; and one at which points come from nowhere.
func TestEndingsOfEveryGame(t *testing.T) {
	seats := map[string]int{"tarokk/v1": 4, "skat/v1": 3}
	seeds := uint64(1)
	if thorough.Tests() {
		seeds = 8
	}
	for _, game := range games.All() {
		for seed := range seeds {
			n := max(seats[game.Name()], 2)
			tb := testmust.Have(tabletest.New(game, tabletest.Config{Seats: n, Deals: 4, Ends: &wire.Ends{Late: wire.LateForfeit, Forfeit: 7, Resign: true, Agree: true}}, seed))(t)
			r, over := rand.New(rand.NewPCG(seed, 1)), []table.Line{}
			for range 500 {
				if tb.State.Over() {
					break
				}
				var err error
				if _, stopped := tb.State.Gone(); !stopped && r.IntN(25) > 0 {
					err = tb.Play(1)
				} else {
					err = anyAct(tb, r, n)
				}
				testmust.Do(t, err, game.Name(), "seed", seed)
				now := tb.State.Sheet().Deals
				if len(now) < len(over) || !slices.EqualFunc(now[:len(over)], over, func(a, b table.Line) bool { return a.Deal == b.Deal && slices.Equal(a.Payments, b.Payments) }) {
					t.Fatalf("%s, seed %d: of %v is left %v", game.Name(), seed, over, now)
				}
				over = now
			}
			if !tb.State.Over() {
				testmust.Do(t, tb.Add(tb.Rule(wire.KindClose, wire.CloseBody{})))
			}
			result, ended := tb.State.Result()
			if !ended || !slices.Equal(result, tb.State.Sheet().Sums(n)) {
				t.Errorf("%s, seed %d: %t with %v, the sheet has %v", game.Name(), seed, ended, result, tb.State.Sheet())
			}
			if s, err := tabletest.Replay(tb.Entries, tb.Catalogue()); err != nil || tabletest.Fingerprint(s) != tabletest.Fingerprint(tb.State) {
				t.Errorf("%s, seed %d: a replay comes to another state: %v", game.Name(), seed, err)
			}
		}
	}
}

// anyAct does something of which some can be done anywhere; what is void changes nothing.
func anyAct(tb *tabletest.Table, r *rand.Rand, seats int) error {
	seat := table.Seat(r.IntN(seats))
	var entry []byte
	switch r.IntN(6) {
	case 0:
		entry = tb.ActOf(seat, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal})
	case 1:
		entry = tb.ActOf(seat, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})
	case 2:
		for seat := range table.Seat(seats) {
			_ = tb.Add(tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo})) // void where no deal is open
		}
		return nil
	case 3, 4:
		entry = tb.Rule(wire.KindBack, wire.EmptyBody{})
	default:
		h, reseat, err := tb.Substitute(seat)
		if err != nil {
			return err
		}
		if tb.Add(reseat) == nil {
			return tb.SitDown(h)
		}
		return nil
	}
	_ = tb.Add(entry) // void where it cannot be done
	return nil
}
