package scene

import (
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Claim implements scene.Presentation.
func (Presentation) Claim(c table.Condition) scene.Claim {
	why := scene.Say("claim." + c.Claim)
	return scene.Claim{ID: c.Claim, What: conditionNote(c), Group: scene.Say("group." + c.Group), Why: &why}
}

// conditionNote puts a condition into words from its set and its bounds.
func conditionNote(c table.Condition) scene.Note {
	switch {
	case c.Max == 0:
		return noneNote(c.Set)
	case c.Max >= len(c.Cards) && c.Min == c.Set.Len():
		return scene.Say("claim.has", facesArg("cards", c.Set))
	}
	return scene.AnyClaim(c).What
}

// noneNote says that there is no card of a set: by the name of the set, or card by card.
func noneNote(set card.Set) scene.Note {
	if set == skat.Jacks {
		return scene.Say("none.jack")
	}
	for _, g := range skat.Games {
		for _, class := range append(skat.Suits, skat.Trump) {
			switch {
			case set != g.Cards(class):
			case class == skat.Trump:
				return scene.Say("none.trump")
			default:
				return scene.Say("none.suit", scene.NoteArg("suit", suitNote(class)))
			}
		}
	}
	return scene.Say("none.cards", facesArg("cards", set))
}

// chapters are the subjects of the rules, each with the number of its first rule.
var chapters = []struct {
	from int
	key  string
}{
	{1, "cards"}, {8, "deals"}, {14, "bidding"}, {23, "skat"}, {32, "play"}, {38, "value"}, {55, "early"}, {62, "score"}, {69, "ramsch"},
	{74, "kontra"}, {77, "bock"},
}

// lastRule is the highest rule number.
const lastRule = 79

// proofs are the subjects of the proofs in the catalogue, by the first letter of the id.
var proofs = map[string]string{"P": "play", "M": "value", "D": "ramsch", "O": "skat", "C": "early", "E": "early"}

// Rule implements scene.Presentation, by the chapter of the rule's number.
func (Presentation) Rule(id string) scene.Note {
	series, rest, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(strings.TrimPrefix(rest, "R-"))
	switch key, proof := proofs[series]; {
	case series == "OPT" && rest != "":
		return scene.Say("rule.option")
	case proof && rest != "":
		return scene.Say("rule." + key)
	case series != "SK" || err != nil || n < 1 || n > lastRule:
		return scene.Note{}
	}
	key := ""
	for _, c := range chapters {
		if c.from <= n {
			key = c.key
		}
	}
	return scene.Say("rule." + key)
}
