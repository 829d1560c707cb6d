package record

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/skat"
)

//go:embed example.sgf
var example string

// Records are the records of Skat. A record may have any length, since it is scored while it is read.
var Records = game.NewRecords(skat.Rules{}, example, NewRecorder, func(in io.Reader, all bool, tell func(fmt.Stringer) error) (game.ScoreResult, error) {
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
})
