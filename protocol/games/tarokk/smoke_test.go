package tarokk_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var game = table.Of(tarokk.Rules{})

func TestSmoke(t *testing.T) {
	type o = map[string]string
	for _, c := range []tabletest.Config{
		{Seats: 4, Deals: 3}, {Seats: 5, Deals: 3},
		{Seats: 4, Deals: 3, Options: o{"preset": "bga"}},
		{Seats: 5, Deals: 3, Options: o{"preset": "bga", "talon-fee": "true", "dealer-weeps": "true", "deal-knock": "true", "ending": "skiz"}},
		{Seats: 4, Deals: 3, Options: o{"discard-announce": "first-turn", "free-call": "none", "raise-sole": "true", "invit-commit": "if-other-declares"}},
		{Seats: 4, Deals: 3, Options: o{"count-pais": "true", "forced-contra": "spoken", "xvii": "pais", "pagat-retention": "any-holder"}},
	} {
		for seed := range uint64(20) {
			played, err := tabletest.Play(game, c, seed)
			if err != nil {
				t.Fatalf("%v seed %d: %v", c, seed, err)
			}
			if seed == 0 {
				t.Logf("%v: %d messages", c, played.State.Applied())
			}
		}
	}
}
