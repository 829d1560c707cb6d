package scene

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

type choice = scene.Choice[fivecarddraw.Move]

type answer = scene.Answer[fivecarddraw.Move]

// Ask implements scene.Presentation.
func (Presentation) Ask(a gamePosition) scene.Ask {
	switch a.State.Stage {
	case fivecarddraw.Exchanging:
		return askDiscards(a, nil)
	case fivecarddraw.Picking:
		return askPlaces(a, nil)
	}
	ask := scene.OfferChoices(prompt(a), choices(a))
	ask.Alone = a.State.Stage == fivecarddraw.Showing && len(ask.Parts) == 1
	return ask
}

// Answer implements scene.Presentation.
func (Presentation) Answer(a gamePosition, picked []scene.Pick) answer {
	switch a.State.Stage {
	case fivecarddraw.Exchanging:
		return answerExchange(a, picked)
	case fivecarddraw.Picking:
		return answerPick(a, picked)
	}
	if total, named := pickedTotal(picked); named && isBetting(a.State.Stage) {
		return answerTotal(a, total)
	}
	return scene.TakeChoice(choices(a), picked)
}

func prompt(a gamePosition) scene.Note {
	s := a.State
	if !isBetting(s.Stage) {
		return scene.Say("ask." + string(s.Stage))
	}
	if b := s.Bounds(*a.Seat); b.Call > 0 {
		return scene.Say("ask.call", scene.Number("chips", b.Call), scene.Number("pot", s.InMiddle()))
	}
	return scene.Say("ask.bet", scene.Number("pot", s.InMiddle()))
}

// choices returns the moves of one pick.
func choices(a gamePosition) (list []choice) {
	if isBetting(a.State.Stage) {
		return bets(a)
	}
	for _, m := range rules.Moves(a.State, a.View) {
		c := choice{Part: scene.Part{Group: "show"}, Move: m}
		switch {
		case m.Muck:
			c.Pick, c.Label, c.Weighs = "muck", scene.Say("pick.muck"), true
		case m.Show != nil:
			c.Pick, c.Label = "show", scene.Say("pick.show")
		case len(*m.Openers) == 0:
			c.Pick, c.Label, c.Weighs = "openers:none", scene.Say("pick.noopeners"), true
		default:
			c.Pick, c.Label = "openers:show", scene.Say("pick.openers", cardsArg("cards", *m.Openers))
		}
		list = append(list, c)
	}
	return list
}

// bets returns the moves to fold, to check or call, and to bet the least total, that of the pot and
// everything that the seat has. Any total from the least to the greatest may be named instead.
func bets(a gamePosition) []choice {
	s, b := a.State, a.State.Bounds(*a.Seat)
	list := []choice{{Part: scene.Part{Pick: "fold", Label: scene.Say("pick.fold"), Group: "bet"}, Move: fivecarddraw.Move{Fold: true}, Weighs: b.Call == 0}}
	if b.Call == 0 {
		list = append(list, choice{Part: scene.Part{Pick: "check", Label: scene.Say("pick.check"), Group: "bet"}, Move: fivecarddraw.Move{Check: true}})
	} else {
		list = append(list, choice{Part: scene.Part{Pick: "call", Label: scene.Say("pick.call", scene.Number("chips", b.Call)), Group: "bet"}, Move: fivecarddraw.Move{Call: true}})
	}
	all := s.Deal.Round.Chips[*a.Seat] + s.Chips[*a.Seat]
	for i, total := range totals(s, *a.Seat) {
		c := choice{Part: totalPart(s, total), Move: fivecarddraw.Move{To: total}, Weighs: total == all}
		if i == 0 && b.Greatest > b.Least {
			c.Range = &scene.Range{Least: b.Least, Greatest: b.Greatest}
		}
		if total == all {
			c.Means = []scene.Note{scene.Say("means.allin")}
		}
		list = append(list, c)
	}
	if b.Least == 0 {
		why := scene.Say("why.raise")
		list = append(list, choice{Part: scene.Part{Pick: "to", Label: scene.Say("pick.raise.any"), Group: "bet", Why: &why}})
	}
	return list
}

func totalPart(s fivecarddraw.State, total int) scene.Part {
	id := "pick.raise"
	if s.Deal.Round.Height == 0 {
		id = "pick.bet"
	}
	return scene.Part{Pick: scene.Pick("to:" + strconv.Itoa(total)), Label: scene.Say(id, scene.Number("chips", total)), Group: "bet"}
}

// totals returns the least total, that of the pot and the greatest, as far as they differ.
func totals(s fivecarddraw.State, seat table.Seat) []int {
	b := s.Bounds(seat)
	if b.Least == 0 {
		return nil
	}
	pot := s.Deal.Round.Height + s.InMiddle() + b.Call
	return slices.Compact([]int{b.Least, min(max(pot, b.Least), b.Greatest), b.Greatest})
}

// pickedTotal returns a total that was picked or typed.
func pickedTotal(picked []scene.Pick) (total int, named bool) {
	if len(picked) != 1 {
		return 0, false
	}
	digits, is := strings.CutPrefix(string(picked[0]), "to:")
	total, err := strconv.Atoi(digits)
	return total, is && err == nil && strconv.Itoa(total) == digits
}

func answerTotal(a gamePosition, total int) answer {
	b := a.State.Bounds(*a.Seat)
	if b.Least == 0 || total < b.Least || total > b.Greatest {
		return answer{}
	}
	all := a.State.Deal.Round.Chips[*a.Seat] + a.State.Chips[*a.Seat]
	return answer{Move: &fivecarddraw.Move{To: total}, Says: totalPart(a.State, total).Label, Weighs: total == all}
}

// askDiscards asks which cards are put away, after some already picked.
func askDiscards(a gamePosition, away []table.Card) scene.Ask {
	most := a.State.Exchangeable()
	ask := scene.Ask{Prompt: scene.Say("ask.exchange", scene.Number("n", most-len(away)))}
	if len(away) == 0 {
		ask.Parts = append(ask.Parts, scene.Part{Pick: "pat", Label: scene.Say("pick.pat"), Group: "discard"})
	}
	for _, c := range sortedHand(a.HandZone(*a.Seat, a.State.Deal.Hands[*a.Seat])).Cards {
		if slices.Contains(away, c.Place) || len(away) == most {
			continue
		}
		place := c.Place
		ask.Parts = append(ask.Parts, scene.Part{Pick: scene.Pick("discard:" + strconv.Itoa(int(place))),
			Label: scene.Say("pick.discard", scene.Card("card", c.Face)), Place: &place, Group: "discard"})
	}
	return ask
}

// answerExchange returns what some picks amount to: after each, the cards picked so far may be put
// away.
func answerExchange(a gamePosition, picked []scene.Pick) answer {
	away := []table.Card{}
	var says scene.Note
	for i, p := range picked {
		part, found := askDiscards(a, away).FindPart(p)
		if !found || part.Place == nil && len(picked) > 1 {
			return answer{}
		}
		if part.Place != nil {
			away = append(away, *part.Place)
		}
		if i == 0 {
			says = part.Label
		} else {
			says = scene.Say("with.besides", scene.NoteArg("a", says), scene.NoteArg("b", part.Label))
		}
	}
	list := slices.Sorted(slices.Values(away))
	if list == nil {
		list = []table.Card{}
	}
	given := answer{Move: &fivecarddraw.Move{Discard: &list}, Says: says, Weighs: true}
	if len(away) > 0 && len(away) < a.State.Exchangeable() {
		given.Ask = askDiscards(a, away)
	}
	return given
}

// askPlaces asks which places the other seat gets (FD-R-35). Nobody can read them, so the first are as
// good as any.
func askPlaces(a gamePosition, chosen []table.Card) scene.Ask {
	n := len(firstFreePlaces(a))
	ask := scene.Ask{Prompt: scene.Say("ask.pick", scene.Number("n", n-len(chosen)))}
	if len(chosen) == 0 {
		ask.Parts = append(ask.Parts, scene.Part{Pick: "any", Label: scene.Say("pick.any"), Group: "pick"})
	}
	for c := range table.Card(a.Table.Cards()) {
		if a.State.Deal.IsFree(c) && !slices.Contains(chosen, c) {
			ask.Parts = append(ask.Parts, scene.Part{Pick: scene.Pick("pick:" + strconv.Itoa(int(c))), Label: scene.Say("pick.place", scene.Number("place", int(c)+1)), Group: "pick"})
		}
	}
	return ask
}

// firstFreePlaces returns the first places that may be picked.
func firstFreePlaces(a gamePosition) []table.Card { return rules.Moves(a.State, a.View)[0].Pick }

func answerPick(a gamePosition, picked []scene.Pick) answer {
	first := firstFreePlaces(a)
	if len(picked) == 1 && picked[0] == "any" {
		return answer{Move: &fivecarddraw.Move{Pick: first}, Says: scene.Say("pick.any")}
	}
	var chosen []table.Card
	for _, p := range picked {
		digits, _ := strings.CutPrefix(string(p), "pick:")
		n, err := strconv.Atoi(digits)
		if _, found := askPlaces(a, chosen).FindPart(p); !found || err != nil {
			return answer{}
		}
		chosen = append(chosen, table.Card(n))
	}
	given := answer{Says: scene.Say("did.pick", scene.Number("n", len(chosen)))}
	switch slices.Sort(chosen); {
	case len(chosen) > len(first):
		return answer{}
	case len(chosen) == len(first):
		given.Move = &fivecarddraw.Move{Pick: chosen}
	default:
		given.Ask = askPlaces(a, chosen)
	}
	return given
}

// Reason implements scene.Advising.
func (Presentation) Reason(a gamePosition, m fivecarddraw.Move) scene.Note {
	if reason := rules.Reason(a.State, a.View, m); reason != "" {
		return scene.Say("reason." + reason)
	}
	return scene.Note{}
}
