package scene

import (
	_ "embed"
	"encoding/json"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// terms are the terms of tarokk.
var terms = scene.Terms{Presets: tarokk.PresetNames(), RuleSet: ruleSet, Events: []scene.Event{cup}, Forfeit: 10}

// cup is a tournament by the cup tariff, whose last round is a final. The numbers of deals and rounds
// and the tie-breaks are those that clubs use.
var cup = scene.Event{Name: "tarokk-cup", Options: map[string]string{"preset": "cup"}, Deals: 8, Rounds: 3, Sizes: []int{4},
	Seating: []string{"random", "random", "ranked"}, Ties: []string{"direct", "last", "shared"}}

//go:embed meanings.json
var meaningTexts []byte

// meanings are the meanings of the options in German and Hungarian. The English ones are in ruleset.go,
// and the specification quotes them.
var meanings = func() (texts map[string][2]string) {
	if err := json.Unmarshal(meaningTexts, &texts); err != nil {
		panic(err)
	}
	return texts
}()

func ruleSet(c table.Config) ([]scene.Option, error) {
	r, err := tarokk.ParseRuleSet(c)
	if err != nil {
		return nil, err
	}
	var list []scene.Option
	for _, o := range tarokk.Options() {
		means := map[string]string{"en": o.Meaning, "de": meanings[o.Name][0], "hu": meanings[o.Name][1]}
		list = append(list, scene.Option{Name: o.Name, Value: o.Value(r), Source: o.Source, Values: o.Values, Meaning: means})
	}
	return list, nil
}
