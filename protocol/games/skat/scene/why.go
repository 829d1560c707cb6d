package scene

import (
	"errors"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
)

// why says why a move is barred, and what could be done instead.
func (t seat) why(m skat.Move, err error) scene.Note {
	d := t.State.Deal
	var untrue *skat.Untrue
	switch {
	case errors.As(err, &untrue) && m.Play != nil:
		return t.follow()
	case m.Play != nil && ruleIn(err) == "SK-R-33":
		return t.follow()
	case m.Call != nil && d.Auction.Phase == skat.ForehandAlone:
		return scene.Say("why.SK-R-19")
	case m.Call != nil && int(*m.Call) <= d.Auction.Last:
		return scene.Say("why.bid", scene.Number("last", d.Auction.Last))
	case m.Announce != nil && m.Announce.Game == skat.Null && ruleIn(err) == "SK-R-29":
		c := skat.Contract{Game: skat.Null, Hand: m.Announce.Discard == nil, Ouvert: m.Announce.Ouvert}
		return scene.Say("why.null", scene.Number("value", c.OfNull()), scene.Number("bid", d.Bid))
	case m.Claim != nil && ruleIn(err) == "SK-R-59" && !t.hasOffered():
		return scene.Say("why.claim.level", scene.NoteArg("level", levelNote(*d.Contract, m.Claim.Level)))
	case (m.Claim != nil || m.Concede != nil) && t.hasOffered():
		return scene.Say("why.offered")
	}
	return forbidden(ruleIn(err))
}

// hasOffered reports whether the seat has made an offer or a claim during this trick.
func (t seat) hasOffered() bool {
	d := t.State.Deal
	current := len(d.Tricks)
	if current == 0 || len(d.Tricks[current-1].Faces) == players {
		current++
	}
	return d.Offered[t.p] >= current
}

// follow says that the class led must be followed, and with which cards.
func (t seat) follow() scene.Note {
	d := t.State.Deal
	led := card.Face(d.Tricks[len(d.Tricks)-1].Faces[0])
	class := d.Game().Class(led)
	var can []string
	for _, c := range t.heldCards() {
		if f := t.face(c); d.Game().Class(card.Face(f)) == class {
			can = append(can, f.String())
		}
	}
	if class == skat.Trump {
		return scene.Say("why.trump", scene.Cards("cards", can...))
	}
	return scene.Say("why.follow", scene.NoteArg("suit", suitNote(class)), scene.Cards("cards", can...))
}

// ruleIn is the number of the first rule of this game in an error, or empty.
func ruleIn(err error) string {
	list := scene.RulesIn(err.Error())
	i := slices.IndexFunc(list, func(rule string) bool { return strings.HasPrefix(rule, "SK-R-") || strings.HasPrefix(rule, "OPT-") })
	if i < 0 {
		return ""
	}
	return list[i]
}

// forbidden says that the rules forbid a move whatever the cards are.
func forbidden(rule string) scene.Note {
	if hasText("why." + rule) {
		return scene.Say("why." + rule)
	}
	return scene.Say("why.rule", scene.Rule("rule", rule), scene.NoteArg("about", Presentation{}.Rule(rule)))
}

// Reason implements scene.Advising.
func (Presentation) Reason(a gamePosition, m skat.Move) scene.Note {
	if reason := rules.Reason(a.State, a.View, m); reason != "" {
		return scene.Say("reason." + reason)
	}
	return scene.Note{}
}
