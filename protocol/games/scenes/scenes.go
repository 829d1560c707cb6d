// Package scenes is the catalogue of presentations: how games are shown and put
// into words. A game's own is the folder scene in its folder and one line here, and
// passes scenetest.Run; a game without one has the generic presentation.
package scenes

import (
	fivecarddraw "github.com/pakli/pakli/protocol/games/fivecarddraw/scene"
	schwarzerpeter "github.com/pakli/pakli/protocol/games/schwarzerpeter/scene"
	skat "github.com/pakli/pakli/protocol/games/skat/scene"
	tarokk "github.com/pakli/pakli/protocol/games/tarokk/scene"
	"github.com/pakli/pakli/protocol/scene"
)

var catalogue = []scene.Game{
	tarokk.Game,
	schwarzerpeter.Game,
	skat.Game,
	fivecarddraw.Game,
}

// Lookup returns the presentation of the game with that name, "<game>/v<N>".
func Lookup(name string) scene.Game {
	for _, g := range catalogue {
		if g.Name() == name {
			return g
		}
	}
	return scene.Generic(name)
}
