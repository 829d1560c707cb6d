package scene_test

import (
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

type options = map[string]string

// A move that nobody can pick, a card that is shown to whom it is hidden from, words
// that are missing. Without PAKLI_TESTS=thorough, at the table of five, which is asked most, and in one deal of another.
func TestScene(t *testing.T) {
	configs := []tabletest.Config{{Seats: 5, Deals: 2, Options: options{"preset": "bga", "talon-fee": "true", "deal-knock": "true", "ending": "skiz"}}}
	others := []options{
		{},
		{"discard-announce": "first-turn", "free-call": "none", "raise-sole": "true", "invit-commit": "if-other-declares", "red-low": "four"},
		{"count-pais": "true", "forced-contra": "spoken", "pagat-retention": "any-holder"},
	}
	deals := 1
	if thorough.Tests() {
		deals = 2
	}
	chosen := thorough.Some(t, len(others), 1)
	for i, o := range others {
		if chosen(i) {
			configs = append(configs, tabletest.Config{Seats: 4, Deals: deals, Options: o})
		}
	}
	scenetest.Run(t, play.Of(tarokk.Rules{}), scene.Game, configs...)
}
