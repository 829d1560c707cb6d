package report

import (
	"encoding/json"
	"strings"

	"github.com/pakli/pakli/protocol/table"
)

// game puts a game into words. What it gets was accepted by the rules, unless it
// says otherwise; it returns text, never markup.
type game interface {
	// Card is a face in words, by its name in the deck.
	Card(l Language, face string) string
	// Move is what a move did, in the past, to stand after a name: "played XII".
	// The rules may have refused it: then after is nil, and what cannot be read
	// is called a move.
	Move(l Language, before, after *table.State, seat table.Seat, move json.RawMessage) string
	// Claim is a condition in a few words ("no spade"), the cards that it is about
	// ("the rest of the hand"), and why the game asks for it.
	Claim(l Language, c table.Condition) (short, group, why string)
	// Rule says of what a rule is, by its number, or nothing.
	Rule(l Language, rule string) string
	// Sheets are the deals that are over in s.
	Sheets(l Language, s *table.State) []Sheet
}

// gameOf returns the words of a game.
func gameOf(name string) game {
	switch base, _, _ := strings.Cut(name, "/"); base {
	case "tarokk":
		return tarokkWords{}
	case "schwarzer-peter":
		return peterWords{}
	}
	return anyGame{}
}

// anyGame is a game of which nothing is known here: its moves are shown as they
// were written.
type anyGame struct{}

func (anyGame) Card(_ Language, face string) string { return face }

func (anyGame) Move(l Language, _, _ *table.State, _ table.Seat, move json.RawMessage) string {
	return l.say("did.move", "move", string(move))
}

func (anyGame) Claim(l Language, c table.Condition) (short, group, why string) {
	return l.say("claim.any", "min", c.Min, "max", c.Max, "size", c.Set.Len()), l.say("group.any"), ""
}

func (anyGame) Rule(Language, string) string { return "" }

func (anyGame) Sheets(Language, *table.State) []Sheet { return nil }
