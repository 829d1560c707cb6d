package scene

import (
	"regexp"
	"testing"

	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var shown = scene.NewGame(schwarzerpeter.Rules{}.Name(), Presentation{})

var configs = []tabletest.Config{
	{Seats: 3, Deals: 2},
	{Seats: 3, Deals: 1, Options: map[string]string{"keep-pairs": "true", "last-holder": "wins"}},
	{Seats: 2, Deals: 1, Options: map[string]string{"rules": "article"}},
}

// A move that nobody can pick, a card that is shown to whom it is hidden from, words
// that are missing.
func TestScene(t *testing.T) {
	scenetest.Run(t, play.NewGame(schwarzerpeter.Rules{}), shown, configs...)
}

// The same of the presentation that every game has which has none of its own.
func TestGeneric(t *testing.T) {
	rules := play.NewGame(schwarzerpeter.Rules{})
	scenetest.Run(t, rules, scene.Generic(rules.Name()), configs[0])
}

// A text that one language lacks, that is left in English, or that says less; a rule that is named and told nowhere.
func TestTexts(t *testing.T) {
	scenetest.CheckTexts(t, texts.ByTag(), regexp.MustCompile(`^(pair)$`))
	scenetest.CheckRulebook(t, texts.ByTag())
}
