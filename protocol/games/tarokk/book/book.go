// Package book is the book of Hungarian tarokk: its rule sets, and records of deals
// as text (packages ruleset and record beside it).
package book

import (
	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// Book is what tarokk has.
var Book = withRecords(book.Book{Game: tarokk.Rules{}.Name(), Presets: ruleset.Presets(), RuleSet: ruleSet, Events: []book.Event{cup}})

// cup is a cup with the tariff of tournaments, whose last round is a final. Deals, rounds and
// ties are the club's word.
var cup = book.Event{Name: "tarokk-cup", Options: map[string]string{"preset": "cup"}, Deals: 8, Rounds: 3, Sizes: []int{4},
	Seating: []string{"random", "random", "ranked"}, Ties: []string{"direct", "last", "shared"}}

func ruleSet(c table.Config) ([]book.Option, error) {
	r, err := ruleset.Parse(c)
	if err != nil {
		return nil, err
	}
	var list []book.Option
	for _, o := range ruleset.Options() {
		means := map[string]string{"en": o.Meaning, "de": meanings[o.Name][0], "hu": meanings[o.Name][1]}
		list = append(list, book.Option{Name: o.Name, Value: o.Value(r), Source: o.Source, Values: o.Values, Meaning: means})
	}
	return list, nil
}
