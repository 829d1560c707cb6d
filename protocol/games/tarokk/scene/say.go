package scene

import (
	"errors"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// speechMove is a turn with these statements, and the true disclosure if one is due.
func (t seat) speechMove(said []string) tarokk.Move {
	s := tarokk.Speech{Turn: append([]string{}, said...)}
	if !t.State.Deal.Discards[t.p].Said {
		before := t.State
		before.Stage = tarokk.Disclosing
		s.Discards = rules.Moves(before, t.View)[0].Disclose
	}
	return tarokk.Move{Say: &s}
}

// askStatements asks for the next statement of this turn. Silence ends a turn; at its beginning it is
// an answer too.
func (t seat) askStatements(said []string) scene.Ask {
	ask := scene.Ask{Prompt: taskPrompt(t.State)}
	if t.State.Deal.Announce.Called == nil && len(said) == 0 {
		ask.Prompt = scene.Say("ask.call")
	}
	for _, text := range t.candidateStatements(said) {
		ask.Parts = append(ask.Parts, t.statementPart(said, text))
	}
	if len(said) == 0 {
		pass := scene.Part{Pick: "pass", Label: scene.Say("bid.pass"), Group: "announce"}
		if err := rules.Check(t.State, t.View, t.speechMove(nil)); err != nil {
			why := t.whyNot(t.speechMove(nil), err)
			pass.Why = &why
		}
		ask.Parts = append([]scene.Part{pass}, ask.Parts...)
	}
	return ask
}

// candidateStatements are all the statements about anything that exists, except those already made.
func (t seat) candidateStatements(said []string) []string {
	a := t.State.Deal.Announce
	list := []string{"count:8", "count:9"}
	if a.Called == nil && t.p == a.Declarer {
		for n := 20; n >= 2; n-- {
			list = append(list, "call:"+tarokk.FaceName(tarokk.NthTarokk(n)))
		}
	}
	for _, i := range a.Items {
		list = append(list, "contra:"+i.Item.String())
	}
	if t.State.Rules.ForcedContra == tarokk.ContraSpoken {
		list = append(list, "compulsory:game")
	}
	for _, f := range tarokk.Figures {
		list = append(list, "fig:"+string(f))
	}
	return slices.DeleteFunc(list, func(text string) bool { return slices.Contains(said, text) })
}

func (t seat) statementPart(said []string, text string) scene.Part {
	kind, _, _ := strings.Cut(text, ":")
	part := scene.Part{Pick: scene.Pick(text), Label: t.statementLabel(text), Group: map[string]string{"call": "call", "contra": "contra", "compulsory": "contra"}[kind]}
	if part.Group == "" {
		part.Group = "announce"
	}
	turn := slices.Concat(said, []string{text})
	if err := t.checkBeginning(turn); err != nil {
		why := t.whyNot(t.speechMove(turn), err)
		part.Why = &why
		return part
	}
	if kind == "fig" || kind == "contra" {
		part.Means = append(part.Means, statementNote(t.State, text))
	}
	part.Means = append(part.Means, t.shownSide(turn)...)
	return part
}

// statementLabel is a statement as it is offered and typed.
func (t seat) statementLabel(text string) scene.Note {
	kind, object, _ := strings.Cut(text, ":")
	switch kind {
	case "call":
		return scene.Say("pick.call", scene.Card("card", object))
	case "count":
		return scene.Say("pick.count", scene.Text("number", object))
	case "fig":
		return scene.Say("short." + object)
	case "compulsory":
		return scene.Say("pick.compulsory")
	}
	item, _ := tarokk.ParseItem(object)
	figure := scene.NoteArg("figure", scene.Say("short."+string(item.Figure)))
	both := slices.ContainsFunc(t.State.Deal.Announce.Items, func(i tarokk.AnnouncedItem) bool {
		return i.Item.Figure == item.Figure && i.Item.Side != item.Side
	})
	if both {
		return scene.Say("pick.contra.of", figure, scene.Text("side", strings.ToLower(item.Side.String())))
	}
	return scene.Say("pick.contra", figure)
}

// shownSide says which side the speaker would show by a turn.
func (t seat) shownSide(turn []string) []scene.Note {
	a := *t.State.Deal.Announce
	next, _, err := a.TakeTurn(t.State.Rules, t.p, turn)
	if of := next.Sides[t.p]; err == nil && a.Sides[t.p] == tarokk.UnknownSide && of != tarokk.UnknownSide {
		return []scene.Note{scene.Say("means.side", scene.NoteArg("side", sideNote(of)))}
	}
	return nil
}

// checkBeginning says why a turn cannot begin with these statements, if nothing that may follow repairs
// the fault. Only missing statements can be supplied later: the call, and the duties that a turn must
// meet at its end.
func (t seat) checkBeginning(turn []string) error {
	err := rules.Check(t.State, t.View, t.speechMove(turn))
	repairs := t.repairStatements(turn, err)
	for _, text := range repairs {
		inner := t.checkBeginning(slices.Concat(turn, []string{text}))
		if inner == nil {
			return nil
		}
		if t.hasCalled(turn) {
			continue
		}
		err = inner // what else is wrong with a turn that lacks the call
	}
	return err
}

// hasCalled reports whether the partner call was made, or is not for the speaker to make.
func (t seat) hasCalled(turn []string) bool {
	a := t.State.Deal.Announce
	return a.Called != nil || t.p != a.Declarer || slices.ContainsFunc(turn, func(s string) bool { return strings.HasPrefix(s, "call:") })
}

// repairStatements are the statements that may repair a turn.
func (t seat) repairStatements(turn []string, err error) []string {
	var untrue *tarokk.Untrue
	a := t.State.Deal.Announce
	switch {
	case err == nil:
		return nil
	case !t.hasCalled(turn):
		if len(a.NextStatements(t.State.Rules, t.p, turn...)) == 0 {
			return nil
		}
		return slices.DeleteFunc(t.candidateStatements(turn), func(s string) bool { return !strings.HasPrefix(s, "call:") })
	case errors.As(err, &untrue) && slices.Contains([]string{"A-LE7", "A-ULTI", "A-DCONTRA"}, untrue.Claim):
		may := a.NextStatements(t.State.Rules, t.p, turn...)
		return slices.DeleteFunc([]string{"fig:" + string(tarokk.Ultimo), "contra:game", "compulsory:game", "count:8", "count:9"}, func(s string) bool {
			return !slices.Contains(may, s)
		})
	}
	return nil
}

func (t seat) answerStatements(picked []scene.Pick) scene.Answer[tarokk.Move] {
	var turn []string
	var says []scene.Note
	weighs := true
	for _, pick := range picked {
		part, ok := t.askStatements(turn).FindPart(pick)
		if !ok || len(says) > len(turn) {
			return scene.Answer[tarokk.Move]{}
		}
		if says = append(says, part.Label); pick != "pass" {
			turn = append(turn, string(pick))
		} else {
			weighs = false
		}
	}
	answer := scene.Answer[tarokk.Move]{Says: scene.Say("list", scene.Notes("list", says...)), Weighs: weighs}
	if weighs {
		answer.Ask = t.askStatements(turn)
	}
	if m := t.speechMove(turn); len(picked) > 0 && rules.Check(t.State, t.View, m) == nil {
		answer.Move = &m
	}
	return answer
}

// named are the sets that have names, each before its parts.
var named = []struct {
	name string
	set  card.Set
}{
	{"plain", tarokk.Plain}, {"tarokk", tarokk.Tarokks}, {"king", tarokk.Kings}, {"honour", tarokk.Honours}, {"big", tarokk.BigHonours},
	{"hearts", tarokk.CardsOf(tarokk.Hearts)}, {"diamonds", tarokk.CardsOf(tarokk.Diamonds)}, {"clubs", tarokk.CardsOf(tarokk.Clubs)}, {"spades", tarokk.CardsOf(tarokk.Spades)},
}

// Claim implements scene.Presentation.
func (Presentation) Claim(c table.Condition) scene.Claim {
	why := scene.Say("claim." + c.Claim)
	return scene.Claim{ID: c.Claim, What: conditionNote(c), Group: scene.Say("group." + c.Group), Why: &why}
}

// conditionNote puts a condition into words from its set and its bounds.
func conditionNote(c table.Condition) scene.Note {
	atLeast := c.Max >= len(c.Cards)
	switch {
	case c.Min >= len(c.Cards):
		return noneNote(tarokk.AllBut(c.Set))
	case atLeast && c.Min == c.Set.Len():
		return scene.Say("claim.has", facesArg("cards", c.Set))
	}
	for _, s := range named {
		switch {
		case s.set != c.Set:
		case atLeast && c.Min == 1:
			return scene.Say("one." + s.name)
		case atLeast:
			return scene.Say("claim.least", scene.Number("n", c.Min), scene.NoteArg("what", scene.Say("many."+s.name)))
		case c.Min == c.Max:
			return scene.Say("claim.exactly", scene.Number("n", c.Min), scene.NoteArg("what", scene.Say("many."+s.name)))
		}
	}
	return scene.AnyClaim(c).What
}

// noneNote says that there is no card of a set: by the names of the sets that make it up, and the rest
// card by card.
func noneNote(set card.Set) scene.Note {
	var list []scene.Note
	for _, s := range named {
		if left := set.Minus(s.set); left.Len() == set.Len()-s.set.Len() {
			list, set = append(list, scene.Say("none."+s.name)), left
		}
	}
	for _, f := range set.Faces() {
		list = append(list, scene.Say("none.card", scene.Card("card", tarokk.FaceName(f))))
	}
	return scene.Say("list", scene.Notes("list", list...))
}

// Rule implements scene.Presentation, by the chapter that the rule's number names.
func (Presentation) Rule(id string) scene.Note {
	chapter := id
	if i := strings.LastIndexByte(id, '-'); i > 0 && strings.HasPrefix(id, "R-") {
		chapter = id[:i]
	} else if strings.HasPrefix(id, "OPT-") {
		chapter = "OPT"
	}
	if !hasText("rule." + chapter) {
		return scene.Note{}
	}
	return scene.Say("rule." + chapter)
}
