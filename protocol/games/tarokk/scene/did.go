package scene

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// moveNote is what a move did, worded to follow a name. The rules may have refused the move.
func moveNote(s tarokk.State, seat table.Seat, m tarokk.Move) scene.Note {
	switch {
	case m.Call != nil:
		return didCallNote(s, seat, m)
	case m.Say != nil:
		return speechNote(s, *m.Say)
	case m.Play != nil:
		return playNote(*m.Play)
	case m.Packet != nil:
		return scene.Say("did.packet", scene.Number("n", *m.Packet+1))
	case m.Discard != nil:
		return scene.Say("did.discard", scene.Number("n", len(*m.Discard)))
	case m.Disclose != nil:
		return disclosureNote(*m.Disclose)
	case m.Annul != nil && *m.Annul != "":
		return knownNote("did.annul." + *m.Annul)
	case m.Annul != nil:
		return scene.Say("did.annul")
	case m.Open != nil:
		return scene.Say("did.turn", scene.Number("n", len(*m.Open)))
	case m.Fee != nil && len(*m.Fee) == 0:
		return scene.Say("did.fee.0")
	case m.Fee != nil:
		return scene.Say("did.fee", scene.Cards("cards", *m.Fee...))
	case m.Wish != nil:
		return knownNote("did.wish." + *m.Wish)
	}
	return yesNo(m)
}

func yesNo(m tarokk.Move) scene.Note {
	for _, said := range []struct {
		id  string
		yes *bool
	}{{"knock", m.Knock}, {"confirm", m.Confirm}, {"trial", m.Trial}, {"claim", m.Claim}} {
		if said.yes != nil {
			return scene.Say("did." + said.id + "." + strconv.FormatBool(*said.yes))
		}
	}
	return scene.Say("did.unknown")
}

// knownNote is the note of that id, or a general one if there is no text for it, as a foul move can
// cause.
func knownNote(id string) scene.Note {
	if !hasText(id) {
		id = "did.unknown"
	}
	return scene.Say(id)
}

func hasText(id string) bool {
	_, ok := texts[id]
	return ok
}

// didCallNote is a bid, and what it shows: a tarokk, or that the game is yielded.
func didCallNote(s tarokk.State, seat table.Seat, m tarokk.Move) scene.Note {
	bid := knownNote("did.call." + string(*m.Call))
	p := slices.Index(s.Deal.Seats[:], seat)
	if p < 0 {
		return bid
	}
	switch after, claims, err := s.Deal.Auction.ApplyCall(s.Rules, p, *m.Call); {
	case err != nil:
	case after.Invit != nil && s.Deal.Auction.Invit == nil:
		return scene.BothNotes(bid, scene.Say("did.call."+invitKey(*after.Invit), scene.Card("card", tarokk.FaceName(after.Invit.Card))))
	case len(claims) > 0 && claims[0].ID == "B-YIELD":
		return scene.BothNotes(bid, scene.Say("did.call.yield"))
	}
	return bid
}

// invitKey says whether an invit has shown its card, or would show it only if the bidding went on so.
func invitKey(i tarokk.Invit) string {
	if i.Proved {
		return "invit"
	}
	return "would"
}

// joinNotes joins notes by semicolons; there must be at least one.
func joinNotes(list []scene.Note) scene.Note { return scene.JoinNotes("and.then", list) }

func disclosureNote(d tarokk.Disclosure) scene.Note {
	if d.Tarokks == "" {
		return scene.Say("did.disclose.0")
	}
	return scene.Say("did.disclose", scene.Number("n", len(d.Tarokks)))
}

func playNote(p tarokk.Play) scene.Note {
	note := scene.Say("did.play", scene.Card("card", p.Face))
	if p.Side == tarokk.DeclarerSide.String() || p.Side == tarokk.DefenderSide.String() {
		return scene.BothNotes(note, scene.Say("did.play.side", scene.NoteArg("side", scene.Say("side."+p.Side))))
	}
	return note
}

// speechNote is a turn of the announcements.
func speechNote(s tarokk.State, say tarokk.Speech) scene.Note {
	var list []scene.Note
	if say.Discards != nil {
		list = append(list, disclosureNote(*say.Discards))
	}
	if len(say.Turn) == 0 {
		return joinNotes(append(list, scene.Say("did.say.pass")))
	}
	var said []scene.Note
	for _, text := range say.Turn {
		said = append(said, statementNote(s, text))
	}
	return joinNotes(append(list, scene.Say("did.say", scene.NoteArg("what", joinNotes(said)))))
}

func statementNote(s tarokk.State, text string) scene.Note {
	kind, object, _ := strings.Cut(text, ":")
	switch {
	case kind == "call":
		return scene.Say("says.call", scene.Card("card", object))
	case kind == "count" && hasText("says.count."+object):
		return scene.Say("says.count." + object)
	case kind == "fig" && hasText("figure."+object):
		return scene.Say("figure." + object)
	case kind == "compulsory":
		return scene.Say("says.compulsory")
	case kind == "contra":
		return contraNote(s, object)
	}
	return scene.Say("quote", scene.Text("text", text))
}

// contraNote is the next step on an item.
func contraNote(s tarokk.State, object string) scene.Note {
	item, err := tarokk.ParseItem(object)
	if err != nil || s.Deal.Announce == nil {
		return scene.Say("quote", scene.Text("text", object))
	}
	step := 1
	for _, a := range s.Deal.Announce.Items {
		if a.Item == item {
			step = min(a.Contra, 4) + 1
		}
	}
	return scene.Say("says.contra", scene.NoteArg("contra", ladderStep(step)), scene.NoteArg("item", itemNote(item)))
}

// ladderStep is a step of the ladder, 1 to 5 (R-CON-2).
func ladderStep(n int) scene.Note { return scene.Say("contra." + strconv.Itoa(n)) }

func itemNote(i tarokk.Item) scene.Note {
	if i == tarokk.TheGame {
		return scene.Say("figure.game")
	}
	return scene.Say("item", scene.NoteArg("figure", scene.Say("figure."+string(i.Figure))), scene.NoteArg("side", sideNote(i.Side)))
}

func sideNote(s tarokk.Side) scene.Note { return scene.Say("side." + s.String()) }
