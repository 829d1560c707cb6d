// Package book is the book of Hungarian tarokk: its rule sets, and records of deals
// as text (packages ruleset and record beside it).
package book

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/record"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// Book is what tarokk has.
var Book = book.Book{
	Game: tarokk.Rules{}.Name(), Presets: ruleset.Presets(), RuleSet: ruleSet,
	Record: func(id string, names []string, c table.Config) book.Record {
		return book.Of[tarokk.State, tarokk.Move](record.NewRecorder(id, names, c))
	},
	Score: score, MaxBytes: record.MaxBytes, Example: example,
}

//go:embed example.tarokk
var example string

func ruleSet(c table.Config) ([]book.Option, error) {
	r, err := ruleset.Parse(c)
	if err != nil {
		return nil, err
	}
	var list []book.Option
	for _, o := range ruleset.Options() {
		list = append(list, book.Option{Name: o.Name, Value: o.Value(r), Source: o.Source, Values: o.Values, Meaning: o.Meaning})
	}
	return list, nil
}

func score(text []byte) (book.Scored, error) {
	session, err := record.Parse(text)
	if err != nil {
		return book.Scored{}, err
	}
	report, err := record.Score(session)
	if err != nil {
		return book.Scored{}, err
	}
	return book.Scored{Report: report, Broken: report.Verdict == record.Broken, Unfinished: report.Verdict == record.Unfinished}, nil
}
