package scene

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// did is what a move did, to stand after a name. The rules may have refused it.
func did(s tarokk.State, seat table.Seat, m tarokk.Move) scene.Note {
	switch {
	case m.Call != nil:
		return called(s, seat, m)
	case m.Say != nil:
		return spoke(s, *m.Say)
	case m.Play != nil:
		return played(*m.Play)
	case m.Packet != nil:
		return scene.Say("did.packet", scene.Number("n", *m.Packet+1))
	case m.Discard != nil:
		return scene.Say("did.discard", scene.Number("n", len(*m.Discard)))
	case m.Disclose != nil:
		return disclosed(*m.Disclose)
	case m.Annul != nil && *m.Annul != "":
		return known("did.annul." + *m.Annul)
	case m.Annul != nil:
		return scene.Say("did.annul")
	case m.Open != nil:
		return scene.Say("did.turn", scene.Number("n", len(*m.Open)))
	case m.Fee != nil && len(*m.Fee) == 0:
		return scene.Say("did.fee.0")
	case m.Fee != nil:
		return scene.Say("did.fee", scene.Cards("cards", *m.Fee...))
	case m.Wish != nil:
		return known("did.wish." + *m.Wish)
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

// known is a note whose text a foul move may ask for in vain.
func known(id string) scene.Note {
	if !has(id) {
		id = "did.unknown"
	}
	return scene.Say(id)
}

func has(id string) bool {
	_, ok := texts[id]
	return ok
}

// called is a bid, and what it shows: a tarokk, or that the game is yielded.
func called(s tarokk.State, seat table.Seat, m tarokk.Move) scene.Note {
	bid := known("did.call." + string(*m.Call))
	p := slices.Index(s.Deal.Seats[:], seat)
	if p < 0 {
		return bid
	}
	switch after, claims, err := s.Deal.Auction.Apply(s.Rules, p, *m.Call); {
	case err != nil:
	case after.Invit != nil && s.Deal.Auction.Invit == nil:
		return both(bid, scene.Say("did.call."+invits(*after.Invit), scene.Card("card", deck.Name(after.Invit.Card))))
	case len(claims) > 0 && claims[0].ID == "B-YIELD":
		return both(bid, scene.Say("did.call.yield"))
	}
	return bid
}

// invits is whether an invit shows its card, or only would if play went on from it.
func invits(i auction.Invit) string {
	if i.Proved {
		return "invit"
	}
	return "would"
}

func both(a, b scene.Note) scene.Note {
	return scene.Say("both", scene.That("a", a), scene.That("b", b))
}

// then are notes with semicolons between them, one at least.
func then(list []scene.Note) scene.Note {
	if len(list) == 1 {
		return list[0]
	}
	return scene.Say("and.then", scene.That("a", list[0]), scene.That("b", then(list[1:])))
}

func disclosed(d tarokk.Disclosure) scene.Note {
	if d.Tarokks == "" {
		return scene.Say("did.disclose.0")
	}
	return scene.Say("did.disclose", scene.Number("n", len(d.Tarokks)))
}

func played(p tarokk.Play) scene.Note {
	note := scene.Say("did.play", scene.Card("card", p.Face))
	if p.Side == score.Dec.String() || p.Side == score.Def.String() {
		return both(note, scene.Say("did.play.side", scene.That("side", scene.Say("side."+p.Side))))
	}
	return note
}

// spoke is a turn of the announcements.
func spoke(s tarokk.State, say tarokk.Speech) scene.Note {
	var list []scene.Note
	if say.Discards != nil {
		list = append(list, disclosed(*say.Discards))
	}
	if len(say.Turn) == 0 {
		return then(append(list, scene.Say("did.say.pass")))
	}
	var said []scene.Note
	for _, text := range say.Turn {
		said = append(said, statement(s, text))
	}
	return then(append(list, scene.Say("did.say", scene.That("what", then(said)))))
}

func statement(s tarokk.State, text string) scene.Note {
	kind, object, _ := strings.Cut(text, ":")
	switch {
	case kind == "call":
		return scene.Say("says.call", scene.Card("card", object))
	case kind == "count" && has("says.count."+object):
		return scene.Say("says.count." + object)
	case kind == "fig" && has("figure."+object):
		return scene.Say("figure." + object)
	case kind == "compulsory":
		return scene.Say("says.compulsory")
	case kind == "contra":
		return contra(s, object)
	}
	return scene.Say("quote", scene.Text("text", text))
}

// contra is the next step on an item.
func contra(s tarokk.State, object string) scene.Note {
	item, err := score.ParseItem(object)
	if err != nil || s.Deal.Announce == nil {
		return scene.Say("quote", scene.Text("text", object))
	}
	step := 1
	for _, a := range s.Deal.Announce.Items {
		if a.Item == item {
			step = min(a.Contra, 4) + 1
		}
	}
	return scene.Say("says.contra", scene.That("contra", ladderStep(step)), scene.That("item", itemNote(item)))
}

// ladderStep is a step of the ladder, 1 to 5 (R-CON-2).
func ladderStep(n int) scene.Note { return scene.Say("contra." + strconv.Itoa(n)) }

func itemNote(i score.Item) scene.Note {
	if i == score.TheGame {
		return scene.Say("figure.game")
	}
	return scene.Say("item", scene.That("figure", scene.Say("figure."+string(i.Figure))), scene.That("side", side(i.Side)))
}

func side(s score.Side) scene.Note { return scene.Say("side." + s.String()) }
