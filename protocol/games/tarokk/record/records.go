package record

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

// Records implements game.TypedRecords.
type Records struct{}

// Begin implements game.TypedRecords.
func (Records) Begin(id string, names []string, c table.Config) game.Recorder[tarokk.State, tarokk.Move] {
	return NewRecorder(id, names, c)
}

//go:embed example.tarokk
var example string

// Example implements game.TypedRecords.
func (Records) Example() string { return example }

// Score implements game.TypedRecords: a record is scored as a whole.
func (Records) Score(in io.Reader, _ bool, _ func(fmt.Stringer) error) (game.ScoreResult, error) {
	text, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err != nil {
		return game.ScoreResult{}, err
	}
	session, err := Parse(text)
	if err != nil {
		return game.ScoreResult{}, err
	}
	report, err := Score(session)
	if err != nil {
		return game.ScoreResult{}, err
	}
	return game.ScoreResult{Report: report, Broken: report.Verdict == Broken, Unfinished: report.Verdict == Unfinished}, nil
}
