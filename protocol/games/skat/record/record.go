// Package record is the game record of Skat: deals as lines of the International
// Skat Server's SGF, one game a line, or as text that people read and write; and a
// scorer who replays them (docs/spec/95-skat-record.md).
//
// A [Deal] is one game with everything that was said and played, in its order.
// [ParseLine] and [Deal.Line] read and write the server's form, [ParseText] and [Text]
// the readable one; what either writes is read as the same deal. [Score] replays a deal
// by the rules of Skat and lists where the recorded result differs from the computed
// one, each with its rule. [ScoreAll] does so for a stream of any length: every line is
// a game of its own, a broken one is named, and memory is bounded by one line. A
// [Recorder] makes records of the moves of a table.
package record

import (
	"github.com/pakli/pakli/protocol/games/skat"
)

// The players of a deal.
const (
	World = iota - 1 // nobody, or the dealer's hand
	Forehand
	Middlehand
	Rearhand
	players
)

const (
	handSize = 10
	skatSize = 2
)

// Unknown stands for a card that the record does not name.
const Unknown = skat.Face(skat.DeckSize)

// Deal is one game. Cards are in the order in which they were dealt: ten each for forehand, middlehand
// and rearhand, and the skat.
type Deal struct {
	Place    string // free text
	Comment  string
	Series   string // names the table
	ID       string // names the deal
	Date     string
	View     string // whose cards alone the record tells; empty if it tells all
	Players  [players]string
	Ratings  [players]string
	Cards    []skat.Face
	Moves    []Move
	Recorded *Result
}

// Move is something that a player, or the world, said or did.
type Move struct {
	Who    int
	Verb   Verb
	Number int       // the value of a bid; the player who left or ran out of time
	Game   skat.Game // the game announced
	Hand   bool
	Level  int // the level announced or claimed: 1 Schneider, 2 Schwarz
	Ouvert bool
	Cards  []skat.Face
}

// Verb is the kind of a move.
type Verb string

// The verbs.
const (
	Bid      Verb = "bid"
	Yes      Verb = "yes"
	Pass     Verb = "pass"
	Take     Verb = "take"     // the skat
	Skat     Verb = "skat"     // by the world: the cards that he takes
	Announce Verb = "announce" // Cards are two discards if he took the skat, then ten cards if they lie open
	Discard  Verb = "discard"  // in a move of its own, after the announcement
	Play     Verb = "play"
	Concede  Verb = "concede"
	Show     Verb = "show"    // the declarer lays his cards open
	Timeout  Verb = "timeout" // by the world: a player ran out of time
	Leave    Verb = "leave"   // by the world: a player left
)

// Unsaid is a number that a result does not tell.
const Unsaid = maxNumber + 1

// Result is what a record says about the end of a deal.
type Result struct {
	Passed    bool   // passed in; nothing else is set
	Declarer  int    // or World
	Outcome   string // win, loss or penalty
	Value     int    // classic score of the declarer (SK-R-62)
	Matadors  int    // negative if without; Unsaid if not told, like Points and Tricks
	Overbid   bool
	Points    int // card points of the declarer
	Tricks    int
	Schneider bool
	Schwarz   bool
	Penalties [players]int
	Left      int // a player, or World
	TimedOut  int
	Conceded  bool
}

// find returns the index of the first move with a verb, or -1.
func (d *Deal) find(v Verb) int {
	for i, m := range d.Moves {
		if m.Verb == v {
			return i
		}
	}
	return -1
}
