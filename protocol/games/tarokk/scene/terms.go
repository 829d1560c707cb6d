package scene

import (
	_ "embed"
	"encoding/json"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// terms are those of tarokk.
var terms = scene.Terms{Presets: tarokk.PresetNames(), RuleSet: ruleSet, Events: []scene.Event{cup}, Forfeit: 10}

// cup is a cup with the tariff of tournaments, whose last round is a final. Deals, rounds and
// ties are the club's word.
var cup = scene.Event{Name: "tarokk-cup", Options: map[string]string{"preset": "cup"}, Deals: 8, Rounds: 3, Sizes: []int{4},
	Seating: []string{"random", "random", "ranked"}, Ties: []string{"direct", "last", "shared"}}

//go:embed meanings.json
var meaningTexts []byte

// meanings are those of the options in German and Hungarian; ruleset.go has the
// English ones, which the specification quotes.
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
