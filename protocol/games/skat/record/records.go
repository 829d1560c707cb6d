package record

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table"
)

// Records implements game.TypedRecords.
type Records struct{}

// Begin implements game.TypedRecords.
func (Records) Begin(id string, names []string, c table.Config) game.Recorder[skat.State, skat.Move] {
	return NewRecorder(id, names, c)
}

//go:embed example.sgf
var example string

// Example implements game.TypedRecords.
func (Records) Example() string { return example }

// Score implements game.TypedRecords. A record may have any length: it is scored as it is read.
func (Records) Score(in io.Reader, all bool, tell func(fmt.Stringer) error) (game.ScoreResult, error) {
	sum, err := ScoreAll(in, func(s *Scoring) error {
		if !all && s.Agrees() {
			return nil
		}
		return tell(s)
	})
	if err != nil {
		return game.ScoreResult{}, err
	}
	return game.ScoreResult{Report: sum, Broken: sum.IsBroken(), Unfinished: sum.HasUnfinished()}, nil
}
