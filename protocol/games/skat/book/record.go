//go:build !js

package book

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/record"
	"github.com/pakli/pakli/protocol/table"
)

// withRecords is a book that writes and scores records of deals.
func withRecords(b book.Book) book.Book {
	b.Record = func(id string, names []string, c table.Config) book.Record {
		return book.NewRecord[skat.State, skat.Move](record.NewRecorder(id, names, c))
	}
	b.Stream, b.Example = scoreStream, example
	return b
}

//go:embed example.sgf
var example string

func scoreStream(in io.Reader, all bool, tell func(fmt.Stringer) error) (book.ScoreResult, error) {
	sum, err := record.ScoreAll(in, func(s *record.Scoring) error {
		if !all && s.Agrees() {
			return nil
		}
		return tell(s)
	})
	if err != nil {
		return book.ScoreResult{}, err
	}
	return book.ScoreResult{Report: sum, Broken: sum.IsBroken(), Unfinished: sum.HasUnfinished()}, nil
}
