package game

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Records are the written records of a game: they are written from a table's moves, replayed and
// scored. No verdict rests on them.
type Records struct {
	Game    string // "<game>/v<N>"
	Example string // the record of one deal as a person types it
	// Begin begins the record of a table with these seats.
	Begin func(id string, names []string, c table.Config) Record
	Score Scorer
}

// Scorer replays a record and says what it comes to. For a record of many games, it calls tell for each
// game that differs from what was written down, or if all is true for every game.
type Scorer func(in io.Reader, all bool, tell func(fmt.Stringer) error) (ScoreResult, error)

// ScoreResult is what a record comes to. Its report is text, and also encodes as JSON.
type ScoreResult struct {
	Report     fmt.Stringer
	Broken     bool // a rule was broken
	Unfinished bool // the record ends early
}

// Recorder writes down the moves of a table. S and M are the types of its rules.
type Recorder[S, M any] interface {
	Move(before S, seat table.Seat, m M, after S)
	End(last S) // called after all moves: a deal may end with a step of the protocol
	WrittenRecord
}

// WrittenRecord is what was written down.
type WrittenRecord interface {
	Deals() int    // how many are finished
	Text() []byte  // for people
	Lines() []byte // one game a line, in the form of other programs; nil: there is no such form
}

// Record is a [Recorder] with the types of state and move hidden.
type Record interface {
	// AddMove writes down a move that led from one state to the other.
	AddMove(before, after *table.State, seat table.Seat, move json.RawMessage) error
	// Close takes the table as it stands after all its messages.
	Close(last *table.State) error
	WrittenRecord
}

// NewRecords returns the records of the game with these rules.
func NewRecords[S, M any, R Recorder[S, M]](rules table.Rules[S, M], example string, begin func(id string, names []string, c table.Config) R, score Scorer) Records {
	erased := func(id string, names []string, c table.Config) Record { return NewRecord[S, M](begin(id, names, c)) }
	return Records{Game: rules.Name(), Example: example, Begin: erased, Score: score}
}

// ScoreWhole returns a Scorer that scores a record as a whole. It reads one byte more than most, which
// score refuses.
func ScoreWhole(most int64, score func(text []byte) (ScoreResult, error)) Scorer {
	return func(in io.Reader, _ bool, _ func(fmt.Stringer) error) (ScoreResult, error) {
		text, err := io.ReadAll(io.LimitReader(in, most+1))
		if err != nil {
			return ScoreResult{}, err
		}
		return score(text)
	}
}

// NewRecord makes a Record of a recorder.
func NewRecord[S, M any](r Recorder[S, M]) Record { return erasedRecord[S, M]{r} }

type erasedRecord[S, M any] struct{ Recorder[S, M] }

func (r erasedRecord[S, M]) AddMove(before, after *table.State, seat table.Seat, move json.RawMessage) error {
	var m M
	if err := wire.DecodeCanonical(move, &m); err != nil {
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
	r.Move(was, seat, m, is)
	return nil
}

func (r erasedRecord[S, M]) Close(last *table.State) error {
	is, err := publicState[S](last)
	if err == nil {
		r.End(is)
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
