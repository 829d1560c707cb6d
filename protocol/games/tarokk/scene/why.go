package scene

import (
	"errors"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
)

// whyNot says why a move is barred: the rule that forbids it, or what its player could not prove.
func (t seat) whyNot(m tarokk.Move, err error) scene.Note {
	var u *tarokk.Untrue
	if !errors.As(err, &u) {
		return forbiddenNote(ruleIn(err))
	}
	switch t.State.Stage {
	case tarokk.Bidding:
		return t.whyNotCall(u)
	case tarokk.Announcing:
		return t.whyNotSay(u)
	case tarokk.Playing:
		return t.whyNotPlay(m, u)
	case tarokk.Annulling, tarokk.AnnullingFirst:
		return scene.Say("why.annul", scene.NoteArg("hand", scene.Say("hand."+*m.Annul)))
	}
	return unprovedNote(u)
}

// ruleIn is the number of the first rule of this game in an error, or empty.
func ruleIn(err error) string {
	for _, rule := range scene.RulesIn(err.Error()) {
		switch series, _, _ := strings.Cut(rule, "-"); series {
		case "R", "OPT", "BGA":
			return rule
		}
	}
	return ""
}

// forbiddenNote says that the rules forbid a move whatever the cards are: in words of its own, or by
// the chapter of the rule.
func forbiddenNote(rule string) scene.Note {
	if hasText("why." + rule) {
		return scene.Say("why." + rule)
	}
	return scene.Say("why.rule", scene.Rule("rule", rule), scene.NoteArg("about", Presentation{}.Rule(rule)))
}

// unprovedNote puts a false condition into words.
func unprovedNote(u *tarokk.Untrue) scene.Note {
	return scene.Say("why.claim", scene.NoteArg("group", scene.Say("group."+u.Group)), scene.NoteArg("what", conditionNote(u.Condition)), scene.NoteArg("why", scene.Say("claim."+u.Claim)))
}

func (t seat) handArg(list []card.Face) scene.Arg {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = tarokk.FaceNameIn(t.State.Rules.RedLow, f)
	}
	slices.SortFunc(names, func(a, b string) int { return faceOrder(a) - faceOrder(b) })
	return scene.Cards("cards", names...)
}

// wrongCards are the cards that break the condition.
func (t seat) wrongCards(u *tarokk.Untrue) scene.Arg {
	return t.handArg(slices.DeleteFunc(slices.Clone(u.Faces), u.Set.Has))
}

func onlyCard(s card.Set) (card.Face, bool) {
	if s.Len() != 1 {
		return 0, false
	}
	return s.Faces()[0], true
}

func oneCard(f card.Face) scene.Arg { return scene.Card("card", tarokk.FaceName(f)) }

func (t seat) whyNotCall(u *tarokk.Untrue) scene.Note {
	f, one := onlyCard(u.Set)
	switch {
	case u.Set == tarokk.Honours:
		return scene.Say("why.bid.honour", facesArg("cards", u.Set))
	case u.Set == tarokk.BigHonours:
		return scene.Say("why.bid.big", facesArg("cards", u.Set))
	case f == tarokk.XX && one:
		return scene.Say("why.bid.yield", oneCard(f))
	case one:
		return scene.Say("why.bid.invit", oneCard(f))
	}
	return unprovedNote(u)
}

// whyKept says why a card may not be discarded.
func (t seat) whyKept(letter byte) *scene.Note {
	f := t.View.Faces[t.State.Deal.CardAt(t.p, letter)]
	id := "why.discard.promised"
	if tarokk.Honours.Has(f) || tarokk.Kings.Has(f) {
		id = "why.discard.high"
	}
	note := scene.Say(id, scene.Card("card", t.cardName(letter)))
	return &note
}

// whyNotSay distinguishes the claims of the announcements by their ids.
func (t seat) whyNotSay(u *tarokk.Untrue) scene.Note {
	switch called := t.State.Deal.Announce.Called; u.Claim {
	case "A-ULTI":
		return scene.Say("why.say.ultimo")
	case "A-8", "A-9":
		return scene.Say("why.say.count", t.handArg(u.Faces))
	case "A-LE7":
		return scene.Say("why.say.mustcount")
	case "C-BELOW":
		return scene.Say("why.say.below")
	case "A-PART":
		return scene.Say("why.say.partner", oneCard(*called))
	case "A-OPP":
		return scene.Say("why.say.opponent", oneCard(*called))
	case "A-DCONTRA":
		if f, one := onlyCard(u.Set); one {
			return scene.Say("why.say.nocontra", oneCard(f))
		}
		return scene.Say("why.say.mustcontra", oneCard(*called))
	}
	return unprovedNote(u)
}

func (t seat) whyNotPlay(m tarokk.Move, u *tarokk.Untrue) scene.Note {
	f, _ := tarokk.ParseFace(m.Play.Face)
	tricks := t.State.Deal.Tricks
	if m.Play.Side != "" || len(tricks) == 0 {
		return scene.Say("why.play.side")
	}
	led, _ := tarokk.ParseFace(tricks[len(tricks)-1].Faces[0])
	follows := tarokk.CardsOf(tarokk.SuitOf(led))
	can := slices.ContainsFunc(u.Faces, follows.Has)
	switch {
	case f == tarokk.Pagat && (tarokk.IsTarokk(led) || !can):
		return scene.Say("why.play.pagat", t.wrongCards(u))
	case can && tarokk.IsTarokk(led):
		return scene.Say("why.play.tarokk", t.wrongCards(u))
	case can:
		return scene.Say("why.play.follow", t.wrongCards(u), scene.NoteArg("suit", scene.Say("suit."+tarokk.SuitOf(led).String())))
	}
	return scene.Say("why.play.trump", t.wrongCards(u))
}
