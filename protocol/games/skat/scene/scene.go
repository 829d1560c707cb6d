// Package scene is how Skat is shown and put into words, those of docs/spec/90-skat.md and 91
// (protocol/scene). A score sheet is a Skatliste: each player has a column with the points after each
// own game, and below it the sums of the scoring system.
package scene

import (
	"cmp"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
)

var rules skat.Rules

// Presentation implements scene.Presentation.
type Presentation struct{}

// Words implements scene.Presentation.
func (Presentation) Words() scene.Words { return allWords }

var allWords = scene.Words{
	Texts:   texts.ByTag(),
	Face:    parseFace,
	Players: players,
	Terms:   terms,
}

type gamePosition = scene.GamePosition[skat.State]

// players are the players of a deal: forehand, middlehand, rearhand.
const players = len(skat.Deal{}.Seats)

// parseFace reads a card of the pack: "10C".
func parseFace(name string) (scene.Face, bool) {
	f, err := skat.ParseFace(name)
	if err != nil {
		return scene.Face{}, false
	}
	rank, suit := name[:len(name)-1], name[len(name)-1:]
	called := scene.Text("rank", rank)
	if hasText("rank." + rank) {
		called = scene.NoteArg("rank", scene.Say("rank."+rank))
	}
	return scene.Face{
		Words: scene.Say("card", called, scene.NoteArg("suit", suitNote(skat.Class(suit)))),
		Suit:  suit, Rank: rank, Order: faceOrder(skat.Grand, f), Typed: []string{suit + rank, rank + suit},
	}, true
}

// faceOrder is the rank of a card in a sorted hand: trumps first, then the suits, each from the
// highest.
func faceOrder(g skat.Game, f skat.Face) int {
	class := g.Class(card.Face(f))
	higher := 0
	for _, other := range g.Cards(class).Faces() {
		if g.Beats(other, card.Face(f)) {
			higher++
		}
	}
	return skat.DeckSize*(1+slices.Index(skat.Suits, class)) + higher
}

// sortedCards are the cards of a hand, sorted for a game; backs come last.
func sortedCards(g skat.Game, cards []scene.ShownCard) []scene.ShownCard {
	place := func(c scene.ShownCard) int {
		if f, err := skat.ParseFace(c.Face); err == nil {
			return faceOrder(g, f)
		}
		return skat.DeckSize * skat.DeckSize
	}
	return slices.SortedStableFunc(slices.Values(cards), func(x, y scene.ShownCard) int { return cmp.Compare(place(x), place(y)) })
}

// suitNames are the keys of the names of suits.
var suitNames = map[skat.Class]string{skat.Clubs: "clubs", skat.Spades: "spades", skat.Hearts: "hearts", skat.Diamonds: "diamonds"}

func suitNote(c skat.Class) scene.Note { return scene.Say("suit." + suitNames[c]) }

// gameNote is the name of a game: of its suit, grand, or null.
func gameNote(g skat.Game) scene.Note {
	if name, suited := suitNames[skat.Class(g)]; suited {
		return scene.Say("suit." + name)
	}
	return scene.Say("game." + string(g))
}

func hasText(id string) bool {
	_, ok := texts[id]
	return ok || slices.Contains([]string{"rank.J", "rank.Q", "rank.K", "rank.A"}, id) // of package scene
}

// commas joins notes by commas; there must be at least one.
func commas(list []scene.Note) scene.Note { return scene.JoinNotes("with.besides", list) }

// facesArg lists cards in the order of the pack.
func facesArg(name string, set card.Set) scene.Arg {
	var names []string
	for _, f := range skat.Faces(set) {
		names = append(names, f.String())
	}
	return scene.Cards(name, names...)
}
