package record

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/game"
)

//go:embed example.txt
var example string

// Records are the records of five-card draw.
var Records = game.NewRecords(rules, example, NewRecorder, game.ScoreWhole(MaxBytes, func(text []byte) (game.ScoreResult, error) {
	r, err := Score(text)
	if err != nil {
		return game.ScoreResult{}, err
	}
	return game.ScoreResult{Report: r, Broken: len(r.Findings) > 0, Unfinished: r.Stops != ""}, nil
}))
