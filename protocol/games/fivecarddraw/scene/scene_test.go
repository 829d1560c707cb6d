package scene

import (
	"regexp"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

var shown = scene.NewGame(rules.Name(), Presentation{})

type options = map[string]string

// An answer that says of three cards put away the last twice.
func TestSaysWhatIsPutAway(t *testing.T) {
	played, err := tabletest.New(play.NewGame(drawtest.Eager{}), tabletest.Config{Seats: 2}, 1)
	for s := (fivecarddraw.State{}); err == nil && s.Stage != fivecarddraw.Exchanging; s, _ = table.Public[fivecarddraw.State](played.State) {
		err = played.Play(1)
	}
	testmust.Do(t, err)
	at := scene.SeatPosition(played.State, played.View(played.State.Duties()[0].Seats[0]))
	var picked []scene.Pick
	for _, part := range shown.Ask(at).Parts[1:4] {
		picked = append(picked, part.Pick)
	}
	says := shown.Answer(at, picked).Says
	seen := map[string]bool{}
	var walk func(n scene.Note)
	walk = func(n scene.Note) {
		for _, a := range n.Args {
			if a.Face != "" {
				seen[a.Face] = true
			}
			if a.Note != nil {
				walk(*a.Note)
			}
		}
	}
	if walk(says); len(seen) != 3 {
		t.Errorf("of %v it says %v", picked, seen)
	}
}

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
	scenetest.Run(t, play.NewGame(drawtest.Eager{}), shown, tabletest.Config{Seats: 6, Options: options{"reshuffle": "discards"}})
}

// A text that one language lacks, that is left in English, or that says less.
func TestTexts(t *testing.T) {
	scenetest.CheckTexts(t, texts.ByTag(), regexp.MustCompile(`^$`))
}
