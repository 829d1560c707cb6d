package organiser

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/scene"
)

//go:embed texts.json
var rows []byte

var languages = scene.ReadTexts(rows).ByTag()

// DescribeTerms returns the terms of an event in a language, one a line, without its name, game and
// people. None of them can be changed once the event is announced.
func DescribeTerms(e *bulletin.Event, tag string) (list []string) {
	l := scene.LanguageOrEnglish(tag)
	l = l.WithTexts(languages[l.Tag])
	add := func(term string, values ...any) { list = append(list, l.Say(term, values...)) }
	if add("rounds", "rounds", e.Rounds, "deals", e.Deals); len(e.Sizes) == 1 {
		add("sizes.1", "size", e.Sizes[0])
	} else {
		add("sizes.2", "size", e.Sizes[0], "other", e.Sizes[1])
	}
	for i := 0; i < len(e.Seating); {
		j := i
		for j < len(e.Seating) && e.Seating[j] == e.Seating[i] {
			j++
		}
		if key := "seating." + string(e.Seating[i]); j == i+1 {
			add(key+".one", "from", j)
		} else {
			add(key, "from", i+1, "to", j)
		}
		i = j
	}
	if e.Apart {
		add("apart")
		if e.Draw == bulletin.DrawTable {
			add("apart.groups")
		}
	}
	add("draw."+e.Draw, "n", e.Drawers)
	var places []string
	for _, n := range e.Places {
		places = append(places, strconv.Itoa(n))
	}
	add("score."+e.Score, "places", strings.Join(places, ", "))
	for _, t := range e.Ties {
		add("tie." + string(t))
	}
	if e.Bye.Average {
		add("bye.average")
	} else {
		add("bye.points", "n", e.Bye.Points)
	}
	add("substitute." + e.Substitute)
	add("fouls." + string(e.Fouls))
	add("late."+string(e.Ends.Late), "n", e.Ends.Forfeit)
	if e.Ends.Resign {
		add("resign")
	}
	if e.Ends.Agree {
		add("agree")
	}
	if c := e.Clock; c.IsNone() {
		add("clock.none")
	} else {
		add("clock", "keepers", len(c.Keepers), "quorum", c.Quorum, "move", c.Move, "bank", c.Bank, "increment", c.Increment)
	}
	if add("max", "n", e.Registration.Max); e.Registration.Late > 1 {
		add("enter.late", "n", e.Registration.Late)
	} else {
		add("enter.first")
	}
	if e.Registration.Door != "" {
		name, _, _ := strings.Cut(e.Registration.Door, "+")
		add("door", "name", name)
	}
	if e.Protest > 0 {
		add("protest", "n", e.Protest)
	}
	add("arbiters", "n", len(e.Arbiters), "jury", len(e.Jury))
	return list
}
