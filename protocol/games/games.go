// Package games is the catalogue of games: what a table may play and a
// verifier can replay. A further game is one folder beside schwarzerpeter and
// one line here; every game passes tabletest.Run.
package games

import (
	"slices"

	"github.com/pakli/pakli/protocol/games/draw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

var catalogue = []table.Game{
	play.NewGame(tarokk.Rules{}),
	play.NewGame(schwarzerpeter.Rules{}),
	play.NewGame(skat.Rules{}),
	play.NewGame(fivecarddraw.Rules{}),
	play.NewGame(toolbox.Rules{}),
	play.NewGame(draw.Rules{}),
}

// Catalogue returns every game of this version.
func Catalogue() []table.Game { return slices.Clone(catalogue) }

// Lookup returns the game of that name, "<game>/v<N>".
func Lookup(name string) (table.Game, bool) {
	for _, g := range catalogue {
		if g.Name() == name {
			return g, true
		}
	}
	return nil, false
}
