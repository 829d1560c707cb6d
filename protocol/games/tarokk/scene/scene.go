// Package scene is how Hungarian tarokk is shown and put into words: those of
// docs/spec/61-tarokk.md and 62 (protocol/scene).
package scene

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/scene"
)

// Game is the presentation.
var Game = scene.Of[tarokk.State, tarokk.Move](rules.Name(), presentation{}, scene.Words{
	Texts: texts.ByTag(),
	Face:  face,
})

var rules tarokk.Rules

type presentation struct{}

// face is a card of either pack: "XII", "king of spades".
func face(name string) (scene.Face, bool) {
	f, err := deck.Parse(name)
	if err != nil {
		return scene.Face{}, false
	}
	order := (int(deck.SuitOf(f))+1)%5*deck.Size - int(f) // tarokks first, and each suit from its highest
	if deck.IsTarokk(f) {
		return trump(f, order), true
	}
	rank := strings.Replace(name[1:], "T", "10", 1)
	return scene.Face{
		Words: scene.Say("card", scene.That("rank", scene.Say("rank."+name[1:])), scene.That("suit", scene.Say("suit."+deck.SuitOf(f).String()))),
		Suit:  name[:1], Rank: rank, Order: order, Typed: []string{name[:1] + rank, rank + name[:1], name},
	}, true
}

func trump(f card.Face, order int) scene.Face {
	t := scene.Face{Words: scene.Say("text", scene.Text("text", deck.Roman(f))), Suit: "T", Rank: deck.Roman(f), Honour: deck.Honours.Has(f), Order: order,
		Typed: []string{deck.Roman(f), deck.Name(f), strings.TrimPrefix(deck.Name(f), "T")}}
	switch f {
	case deck.Skiz:
		t.Words, t.Rank = scene.Say("skiz"), ""
	case deck.Pagat:
		t.Words = scene.Say("pagat")
	}
	return t
}

// faces lists cards, the highest first.
func faces(name string, set card.Set) scene.Arg {
	var names []string
	for _, f := range slices.Backward(set.Faces()) {
		names = append(names, deck.Name(f))
	}
	return scene.Cards(name, names...)
}
