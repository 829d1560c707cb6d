// Package book is what a game may have besides its rules and how it is shown: rule
// sets that people compare, and a written record of deals that can be scored again. A
// game's own is the folder book in its folder and one line in protocol/games/books.
// No verdict rests on it.
package book

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Book is what a game has; its name alone is always there.
type Book struct {
	Game    string
	Presets []string // names of rule sets, the usual one first
	// Demo are the options with which the game is shown to who gives none.
	Demo map[string]string
	// RuleSet lists the options of a rule set with their values, in the order in which
	// a game meets them, or says what is wrong with it.
	RuleSet func(c table.Config) ([]Option, error)
	// Record begins the record of a table with these seats.
	Record func(id string, names []string, c table.Config) Record
	// Score replays a record and says what it comes to. It reads no more than MaxBytes.
	Score    func(text []byte) (ScoreResult, error)
	MaxBytes int64
	// Stream stands in place of Score for records of any length: it scores each game as it
	// is read, and tells of those that differ from their record, or of all.
	Stream  func(in io.Reader, all bool, tell func(fmt.Stringer) error) (ScoreResult, error)
	Example string // a record of one deal, as a person types it
	Events  []Event
}

// Event is an event of the game as clubs hold it, in the words of 10.12. What depends on the
// club has a value here that it may change.
type Event struct {
	Name    string
	Options map[string]string
	Deals   int
	Rounds  int
	Sizes   []int
	Seating []string
	Ties    []string
}

// Option is an option of a rule set.
type Option struct {
	Name, Value string
	Source      string            // where the specification speaks of it
	Values      []string          // that it may have; none: any
	Meaning     map[string]string // by BCP 47 tag, in Markdown
}

// ScoreResult is what a record comes to. Its report is text, and encodes as JSON.
type ScoreResult struct {
	Report     fmt.Stringer
	Broken     bool // a rule was broken
	Unfinished bool // the record stops short
}

// Recorder writes the moves of a table down. S and M are those of its rules.
type Recorder[S, M any] interface {
	Move(before S, seat table.Seat, m M, after S)
	End(last S)    // after all moves: a deal may end with a step of the protocol
	Deals() int    // that are over
	Text() []byte  // for people
	Lines() []byte // a game a line, in the form of other programs; nil: there is none
}

// Record is a [Recorder] with the types of state and move hidden.
type Record interface {
	// AddMove writes a move down that led from one state to the other.
	AddMove(before, after *table.State, seat table.Seat, move json.RawMessage) error
	// Close takes in the table as it stands after all its messages.
	Close(last *table.State) error
	Deals() int    // that are over
	Text() []byte  // for people
	Lines() []byte // a game a line, in the form of other programs; nil: there is none
}

// NewRecord makes a recorder a Record.
func NewRecord[S, M any](r Recorder[S, M]) Record { return untypedRecord[S, M]{r} }

type untypedRecord[S, M any] struct{ Recorder[S, M] }

func (h untypedRecord[S, M]) AddMove(before, after *table.State, seat table.Seat, move json.RawMessage) error {
	var m M
	if err := wire.DecodeMove(move, &m); err != nil {
		return err
	}
	was, err := publicState[S](before)
	if err != nil {
		return err
	}
	is, err := publicState[S](after)
	if err != nil {
		return err
	}
	h.Move(was, seat, m, is)
	return nil
}

func (h untypedRecord[S, M]) Close(last *table.State) error {
	is, err := publicState[S](last)
	if err == nil {
		h.End(is)
	}
	return err
}

func publicState[S any](s *table.State) (S, error) {
	is, ok := table.Public[S](s)
	if !ok {
		return is, fmt.Errorf("a table of %s cannot be recorded as one of another game", s.Genesis().Game)
	}
	return is, nil
}
