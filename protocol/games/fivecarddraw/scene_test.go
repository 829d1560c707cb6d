package fivecarddraw_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	presentation "github.com/pakli/pakli/protocol/games/fivecarddraw/scene"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var shown = scene.NewGame(game.Name(), presentation.Presentation{})

// An answer that says of three cards put away the last twice.
func TestSaysWhatIsPutAway(t *testing.T) {
	played, err := tabletest.New(eager, tabletest.Config{Seats: 2}, 1)
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
	walk(says)
	testmust.Holdf(t, len(seen) == 3, "of %v it says %v", picked, seen)
}

// Cards that come to the stock again, and are shown to whom they are hidden from.
func TestSceneOfReshuffledStock(t *testing.T) {
	scenetest.Run(t, eager, shown, tabletest.Config{Seats: 6, Options: options{"reshuffle": "discards"}})
}
