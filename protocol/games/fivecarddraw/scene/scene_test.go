package scene

import (
	"regexp"
	"testing"

	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

var shown = scene.NewGame(rules.Name(), Presentation{})

type options = map[string]string

// A move that nobody can pick, an amount that may be bet and cannot be named, a card that is
// shown to whom it is hidden from, words that are missing.
func TestScene(t *testing.T) {
	scenetest.Run(t, play.NewGame(fivecarddraw.Rules{}), shown,
		tabletest.Config{Seats: 3, Deals: 3},
		tabletest.Config{Seats: 2, Deals: 2, Options: options{"rules": "by-email"}},
		tabletest.Config{Seats: 4, Deals: 4, Options: options{"limit": "none", "stack": "30", "small-blind": "1", "big-blind": "2", "draw": "one-by-one"}},
		tabletest.Config{Seats: 6, Deals: 3, Options: options{"limit": "pot", "stack": "9", "payout": "places", "showdown": "all"}},
		tabletest.Config{Seats: 3, Deals: 6, Options: options{"openers": "jacks", "exchange": "3"}},
		tabletest.Config{Seats: 3, Deals: 2, Suite: clear.DeferredSuite{}, Options: options{"disclose": "deal", "limit": "none", "stack": "9"}},
	)
}

// A text that one language lacks, that is left in English, or that says less; a rule that is named and told nowhere.
func TestTexts(t *testing.T) {
	scenetest.CheckTexts(t, texts.ByTag(), regexp.MustCompile(`^$`))
	scenetest.CheckRulebook(t, texts.ByTag())
}
