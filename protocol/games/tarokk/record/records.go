package record

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/tarokk"
)

//go:embed example.tarokk
var example string

// Records are the records of tarokk.
var Records = game.NewRecords(tarokk.Rules{}, example, NewRecorder, game.ScoreWhole(MaxBytes, func(text []byte) (game.ScoreResult, error) {
	session, err := Parse(text)
	if err != nil {
		return game.ScoreResult{}, err
	}
	report, err := Score(session)
	if err != nil {
		return game.ScoreResult{}, err
	}
	return game.ScoreResult{Report: report, Broken: report.Verdict == Broken, Unfinished: report.Verdict == Unfinished}, nil
}))
