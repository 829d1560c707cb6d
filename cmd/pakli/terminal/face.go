// Package terminal seats a person at a table: it shows cards and table as text,
// asks for moves, and explains what was wrong with an answer.
//
// A [Face] is what a game looks like; a game without one of its own is shown by
// its moves as JSON. A [Person] is the conversation, and a [player.Choose]: it
// decides nothing but moves, so keys, shuffles, tokens and permutations are made
// without a word, and what it decides is in the seat's journal before it leaves,
// as every move is.
//
// Nothing here is trusted: a move that a face lets through is checked by the
// rules and rehearsed by the seat like any other.
package terminal

import (
	"encoding/json"
	"strings"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Position is a table as a seat sees it.
type Position struct {
	State *table.State
	View  table.View
}

// Face is how a game is shown and spoken. Texts are whole lines. All methods are
// pure; a Position is of the face's game.
type Face interface {
	// Hand is the seat's own hand.
	Hand(p Position) string
	// Table is what lies open for everybody.
	Table(p Position) string
	// Score is how the deals so far went.
	Score(p Position) string
	// Ask is what the seat owes a move for.
	Ask(p Position) Question
	// Read understands a line as a move that the rules allow and the seat can
	// prove, or says which rule stands against it.
	Read(p Position, line string) (json.RawMessage, error)
	// Course tells what a message did, from the state before it to that after.
	Course(before, after *table.State, m *wire.Message) []string
	// Say is a move as a line that Read understands.
	Say(p Position, move json.RawMessage) string
}

// Question is what a person is asked.
type Question struct {
	Text    string
	Help    string          // on the words of an answer
	Choices []Choice        // moves that may be made; there may be others
	Forced  json.RawMessage // the one answer there is, if nothing is asked
}

// Choice is a line that Read understands, and a remark.
type Choice struct{ Say, Note string }

// For returns the face of a game.
func For(game string, style Style) Face {
	switch base, _, _ := strings.Cut(game, "/"); base {
	case "tarokk":
		return tarokkFace{style}
	case "schwarzer-peter":
		return peterFace{style}
	}
	return plainFace{}
}

// names are the names of seats, in words.
func names(s *table.State, seats []table.Seat) string {
	list := make([]string, len(seats))
	for i, seat := range seats {
		list[i] = s.SeatName(seat)
	}
	return join(list, "and")
}

// shuffled tells of a shuffle.
func shuffled(s *table.State, m *wire.Message) []string {
	if m.Kind != table.Shuffle {
		return nil
	}
	return []string{"  " + s.SeatName(table.Seat(m.Seat)) + " shuffles, and proves it"}
}

// join makes a list of words.
func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// waiting says whom play waits for.
func waiting(s *table.State) string {
	var list []string
	for _, d := range s.Duties() {
		what := "to " + string(d.Kind)
		if d.Kind == table.Move {
			what = "for a move"
		}
		list = append(list, names(s, d.Seats)+" ("+what+")")
	}
	if len(list) == 0 {
		return "The table is over.\n"
	}
	return "Play waits for " + strings.Join(list, ", ") + ".\n"
}
