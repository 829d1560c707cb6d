package scene

import (
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// named are the sets that have a name, the larger before their parts.
var named = []struct {
	name string
	set  card.Set
}{
	{"plain", deck.Plain}, {"tarokk", deck.Tarokks}, {"king", deck.Kings}, {"honour", deck.Honours}, {"big", deck.BigHonours},
	{"hearts", deck.Of(deck.Hearts)}, {"diamonds", deck.Of(deck.Diamonds)}, {"clubs", deck.Of(deck.Clubs)}, {"spades", deck.Of(deck.Spades)},
}

// Claim implements scene.Presentation.
func (presentation) Claim(c table.Condition) scene.Claim {
	why := scene.Say("claim." + c.Claim)
	return scene.Claim{ID: c.Claim, What: what(c), Group: scene.Say("group." + c.Group), Why: &why}
}

// what says a condition from its set and its bounds.
func what(c table.Condition) scene.Note {
	atLeast := c.Max >= len(c.Cards)
	switch {
	case c.Min >= len(c.Cards):
		return none(deck.Not(c.Set))
	case atLeast && c.Min == c.Set.Len():
		return scene.Say("claim.has", faces("cards", c.Set))
	}
	for _, s := range named {
		switch {
		case s.set != c.Set:
		case atLeast && c.Min == 1:
			return scene.Say("one." + s.name)
		case atLeast:
			return scene.Say("claim.least", scene.Number("n", c.Min), scene.That("what", scene.Say("many."+s.name)))
		case c.Min == c.Max:
			return scene.Say("claim.exactly", scene.Number("n", c.Min), scene.That("what", scene.Say("many."+s.name)))
		}
	}
	return scene.AnyClaim(c).What
}

// none says that there is no card of a set: by the names of the sets that make it
// up, and of what is left over card by card.
func none(set card.Set) scene.Note {
	var list []scene.Note
	for _, s := range named {
		if left := set.Without(s.set); left.Len() == set.Len()-s.set.Len() {
			list, set = append(list, scene.Say("none."+s.name)), left
		}
	}
	for _, f := range set.Faces() {
		list = append(list, scene.Say("none.card", scene.Card("card", deck.Name(f))))
	}
	return scene.Say("list", scene.Notes("list", list...))
}

// Rule implements scene.Presentation: by the chapter that the rule's number names.
func (presentation) Rule(id string) scene.Note {
	chapter := id
	if i := strings.LastIndexByte(id, '-'); i > 0 && strings.HasPrefix(id, "R-") {
		chapter = id[:i]
	} else if strings.HasPrefix(id, "OPT-") {
		chapter = "OPT"
	}
	if !has("rule." + chapter) {
		return scene.Note{}
	}
	return scene.Say("rule." + chapter)
}
