package record

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
)

// Records implements game.TypedRecords.
type Records struct{}

// Begin implements game.TypedRecords.
func (Records) Begin(id string, names []string, c table.Config) game.Recorder[fivecarddraw.State, fivecarddraw.Move] {
	return NewRecorder(id, names, c)
}

//go:embed example.txt
var example string

// Example implements game.TypedRecords.
func (Records) Example() string { return example }

// Score implements game.TypedRecords: a record is scored as a whole.
func (Records) Score(in io.Reader, _ bool, _ func(fmt.Stringer) error) (game.ScoreResult, error) {
	text, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err != nil {
		return game.ScoreResult{}, err
	}
	r, err := Score(text)
	if err != nil {
		return game.ScoreResult{}, err
	}
	return game.ScoreResult{Report: r, Broken: len(r.Findings) > 0, Unfinished: r.Stops != ""}, nil
}
