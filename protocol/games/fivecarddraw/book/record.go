//go:build !js

package book

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/record"
	"github.com/pakli/pakli/protocol/table"
)

//go:embed example.txt
var example string

// withRecords is a book that writes and scores records of deals.
func withRecords(b book.Book) book.Book {
	b.Record = func(id string, names []string, c table.Config) book.Record {
		return book.NewRecord[fivecarddraw.State, fivecarddraw.Move](record.NewRecorder(id, names, c))
	}
	b.Score, b.MaxBytes, b.Example = scoreRecord, record.MaxBytes, example
	return b
}

func scoreRecord(text []byte) (book.ScoreResult, error) {
	r, err := record.Score(text)
	if err != nil {
		return book.ScoreResult{}, err
	}
	return book.ScoreResult{Report: r, Broken: len(r.Findings) > 0, Unfinished: r.Stops != ""}, nil
}
