//go:build !js

package book

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/record"
	"github.com/pakli/pakli/protocol/table"
)

// withRecords is a book that writes and scores records of deals.
func withRecords(b book.Book) book.Book {
	b.Record = func(id string, names []string, c table.Config) book.Record {
		return book.NewRecord[tarokk.State, tarokk.Move](record.NewRecorder(id, names, c))
	}
	b.Score, b.MaxBytes, b.Example = scoreRecord, record.MaxBytes, example
	return b
}

//go:embed example.tarokk
var example string

func scoreRecord(text []byte) (book.ScoreResult, error) {
	session, err := record.Parse(text)
	if err != nil {
		return book.ScoreResult{}, err
	}
	report, err := record.Score(session)
	if err != nil {
		return book.ScoreResult{}, err
	}
	return book.ScoreResult{Report: report, Broken: report.Verdict == record.Broken, Unfinished: report.Verdict == record.Unfinished}, nil
}
