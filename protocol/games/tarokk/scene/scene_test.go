package scene_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

type options = map[string]string

// A move that nobody can pick, a card that is shown to whom it is hidden from, words
// that are missing.
func TestScene(t *testing.T) {
	scenetest.Run(t, play.Of(tarokk.Rules{}), scene.Game,
		tabletest.Config{Seats: 4, Deals: 2},
		tabletest.Config{Seats: 5, Deals: 2, Options: options{"preset": "bga", "talon-fee": "true", "deal-knock": "true", "ending": "skiz"}},
		tabletest.Config{Seats: 4, Deals: 2, Options: options{"discard-announce": "first-turn", "free-call": "none", "raise-sole": "true",
			"invit-commit": "if-other-declares", "red-low": "four"}},
		tabletest.Config{Seats: 4, Deals: 2, Options: options{"count-pais": "true", "forced-contra": "spoken", "pagat-retention": "any-holder"}},
	)
}
