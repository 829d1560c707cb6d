// Package records is the catalogue of written records of deals. A game may have none. They
// are not in that of package games, so that what judges or shows tables does not link them:
// no table needs them.
package records

import (
	"slices"

	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	drawrecord "github.com/pakli/pakli/protocol/games/fivecarddraw/record"
	"github.com/pakli/pakli/protocol/games/skat"
	skatrecord "github.com/pakli/pakli/protocol/games/skat/record"
	"github.com/pakli/pakli/protocol/games/tarokk"
	tarokkrecord "github.com/pakli/pakli/protocol/games/tarokk/record"
)

var catalogue = []game.Records{
	game.NewRecords(tarokk.Rules{}, tarokkrecord.Records{}),
	game.NewRecords(skat.Rules{}, skatrecord.Records{}),
	game.NewRecords(fivecarddraw.Rules{}, drawrecord.Records{}),
}

// Catalogue returns the records of every game that has them.
func Catalogue() []game.Records { return slices.Clone(catalogue) }

// Lookup returns the records of the game with that name, "<game>/v<N>".
func Lookup(name string) (game.Records, bool) {
	i := slices.IndexFunc(catalogue, func(r game.Records) bool { return r.Game() == name })
	if i < 0 {
		return nil, false
	}
	return catalogue[i], true
}
