package scene_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

type options = map[string]string

// A move that nobody can pick, a card that is shown to whom it is hidden from, words
// that are missing.
func TestScene(t *testing.T) {
	scenetest.Run(t, play.Of(skat.Rules{}), scene.Game,
		tabletest.Config{Seats: 3, Deals: 4, AnySum: true},
		tabletest.Config{Seats: 4, Deals: 4, AnySum: true, Options: options{"score": "seeger-fabian", "kontra": "any", "bock": "lost60+grandhand+kontra+re", "null-overbid": "lose"}},
		tabletest.Config{Seats: 3, Deals: 4, AnySum: true, Options: options{"ramsch": "schieber", "early": "prove", "concede": "one", "score": "seeger", "seats-draw": "on"}},
		tabletest.Config{Seats: 3, Deals: 4, AnySum: true, Options: options{"ramsch": "simple", "kontra": "bid18", "concede": "off", "claim": "off", "score": "bierlachs"}},
	)
}
