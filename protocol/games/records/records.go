// Package records is the catalogue of written records of deals, which not every game has. They are not
// in package games, so that programs that judge or show tables do not link them: no table needs them.
package records

import (
	"slices"

	"github.com/pakli/pakli/protocol/game"
	fivecarddraw "github.com/pakli/pakli/protocol/games/fivecarddraw/record"
	skat "github.com/pakli/pakli/protocol/games/skat/record"
	tarokk "github.com/pakli/pakli/protocol/games/tarokk/record"
)

var catalogue = []game.Records{tarokk.Records, skat.Records, fivecarddraw.Records}

// Catalogue returns the records of all games that have them.
func Catalogue() []game.Records { return slices.Clone(catalogue) }

// Lookup returns the records of the game with that name, "<game>/v<N>".
func Lookup(name string) (game.Records, bool) {
	i := slices.IndexFunc(catalogue, func(r game.Records) bool { return r.Game == name })
	if i < 0 {
		return game.Records{}, false
	}
	return catalogue[i], true
}
