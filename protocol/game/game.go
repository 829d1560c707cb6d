// Package game puts together what a game is: its rules with the moves of its bot, and how it is shown.
// It also defines written records of deals ([Records]). All parts share the types of state and move of
// the rules, which the compiler checks. A verdict rests only on the rules.
package game

import (
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// Definition is a game, with the types of its state and its moves hidden.
type Definition struct {
	Rules table.Game // bots can play it too
	Scene scene.Game // the generic presentation if the game has none

	// IsPlayed says that people play the game: it has a presentation of its own.
	IsPlayed bool
}

// Define makes a game of its parts. The presentation may be nil.
func Define[S, M any](rules play.Rules[S, M], presentation scene.Presentation[S, M]) Definition {
	d := Definition{Rules: play.NewGame(rules), Scene: scene.Generic(rules.Name())}
	if presentation != nil {
		d.Scene, d.IsPlayed = scene.NewGame(rules.Name(), presentation), true
	}
	return d
}

// Name returns the name of the rules, "<game>/v<N>".
func (d Definition) Name() string { return d.Rules.Name() }
