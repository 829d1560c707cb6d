// Package games is the catalogue of games: what a table may play, a verifier can replay and people are
// shown. Another game is a folder beside schwarzerpeter and a line here; its rules pass tabletest.Run,
// its presentation scenetest.Run.
package games

import (
	"embed"
	"slices"

	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	drawscene "github.com/pakli/pakli/protocol/games/fivecarddraw/scene"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	peterscene "github.com/pakli/pakli/protocol/games/schwarzerpeter/scene"
	"github.com/pakli/pakli/protocol/games/skat"
	skatscene "github.com/pakli/pakli/protocol/games/skat/scene"
	"github.com/pakli/pakli/protocol/games/tarokk"
	tarokkscene "github.com/pakli/pakli/protocol/games/tarokk/scene"
	"github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

var catalogue = []game.Definition{
	game.Define(tarokk.Rules{}, tarokkscene.Presentation{}),
	game.Define(schwarzerpeter.Rules{}, peterscene.Presentation{}),
	game.Define(skat.Rules{}, skatscene.Presentation{}),
	game.Define(fivecarddraw.Rules{}, drawscene.Presentation{}),
	game.Define(toolbox.Rules{}, nil),
	game.Define(Draw{}, nil),
}

// Rulebooks are the rules of the games in a few words, in the folders of their scenes: "skat/scene/rules.json" has
// rules by their numbers, under headings that have none, and what a player is told at the first question of each group;
// all of it in English, German and Hungarian. A program that shows no rules does not link them.
//
//go:embed */scene/rules.json
var Rulebooks embed.FS

// Catalogue returns every game of this version.
func Catalogue() []game.Definition { return slices.Clone(catalogue) }

// Definition returns the game with a name, "<game>/v<N>".
func Definition(name string) (game.Definition, bool) {
	i := slices.IndexFunc(catalogue, func(d game.Definition) bool { return d.Name() == name })
	if i < 0 {
		return game.Definition{}, false
	}
	return catalogue[i], true
}

// Lookup returns the rules of the game with a name.
func Lookup(name string) (table.Game, bool) {
	d, known := Definition(name)
	return d.Rules, known
}

// Scene returns how the game with a name is shown; an unknown game has the generic presentation.
func Scene(name string) scene.Game {
	if d, known := Definition(name); known {
		return d.Scene
	}
	return scene.Generic(name)
}
