package scene

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// aside is the number of cards that are laid aside.
const aside = 2

// exchangePicks are the picks of an exchange, in this order: two cards, unless the skat stays where it
// is, then the game, and what is announced with it.
type exchangePicks struct {
	cards  []table.Card
	game   skat.Game
	ann    int
	ouvert bool
}

// answerExchange is the answer to picks of the discard and the announcement, which are one statement
// (SK-R-27), or of two cards passed on (SK-R-72).
func (t seat) answerExchange(picked []scene.Pick) scene.Answer[skat.Move] {
	var p exchangePicks
	var says []scene.Note
	for _, pick := range picked {
		part, ok := t.askAfter(p).FindPart(pick)
		if !ok {
			return scene.Answer[skat.Move]{}
		}
		says, p = append(says, part.Label), p.withPick(pick, part.Place)
	}
	answer := scene.Answer[skat.Move]{Ask: t.askAfter(p), Weighs: true}
	if len(says) > 0 {
		answer.Says = commas(says)
	}
	if m, whole := t.pickedMove(p); whole && rules.Check(t.State, t.View, m) == nil {
		answer.Move = &m
	}
	return answer
}

func (p exchangePicks) withPick(pick scene.Pick, place *table.Card) exchangePicks {
	kind, object, _ := strings.Cut(string(pick), ":")
	switch kind {
	case "discard":
		p.cards = append(slices.Clip(p.cards), *place)
	case "game":
		p.game = skat.Game(object)
	case "ann":
		p.ann, _ = strconv.Atoi(object)
	case "ouvert":
		if p.ouvert = true; p.game != skat.Null {
			p.ann = skat.Schwarz // SK-R-44
		}
	}
	return p
}

// needsDiscard reports whether two cards are to be laid aside.
func (t seat) needsDiscard() bool { return len(t.State.Deal.Hands[t.p]) == 10+aside }

// pickedMove is the move that the picks make; whole reports whether it is complete.
func (t seat) pickedMove(p exchangePicks) (m skat.Move, whole bool) {
	var pair *skat.Pair
	if t.needsDiscard() {
		if len(p.cards) < aside {
			return m, false
		}
		pair = &skat.Pair{min(p.cards[0], p.cards[1]), max(p.cards[0], p.cards[1])}
	}
	if t.State.Stage == skat.PassingOn {
		return skat.Move{Aside: pair}, true
	}
	return skat.Move{Announce: &skat.Announcement{Discard: pair, Game: p.game, Ann: p.ann, Ouvert: p.ouvert}}, p.game != ""
}

// askAfter asks what may follow the picks.
func (t seat) askAfter(p exchangePicks) scene.Ask {
	switch {
	case t.needsDiscard() && len(p.cards) < aside:
		return t.askDiscards(p.cards)
	case t.State.Stage == skat.PassingOn:
		return scene.Ask{}
	case p.game == "":
		return t.askGame(p)
	case p.ann == skat.Normal && !p.ouvert:
		return t.additions(p)
	}
	return scene.Ask{}
}

func (t seat) askDiscards(picked []table.Card) scene.Ask {
	group := "discard"
	if t.State.Stage == skat.PassingOn {
		group = "aside"
	}
	ask := scene.Ask{Prompt: scene.Say("ask."+group, scene.Number("n", aside-len(picked)))}
	for _, place := range t.heldCards() {
		if slices.Contains(picked, place) {
			continue
		}
		f := t.face(place)
		part := scene.Part{Pick: scene.Pick("discard:" + strconv.Itoa(int(place))), Label: scene.Say("pick.discard", scene.Card("card", f.String())), Place: &place, Group: group}
		if t.State.Stage == skat.PassingOn && skat.Jacks.Has(card.Face(f)) {
			why := scene.Say("why.jack")
			part.Why = &why
		}
		ask.Parts = append(ask.Parts, part)
	}
	return ask
}

func (t seat) askGame(p exchangePicks) scene.Ask {
	ask := scene.Ask{Prompt: scene.Say("ask.game", scene.Number("bid", t.State.Deal.Bid))}
	for _, g := range skat.Games {
		p.game = g
		part := scene.Part{Pick: scene.Pick("game:" + string(g)), Label: gameNote(g), Group: "game", Means: []scene.Note{t.worth(g)}}
		part.Why = t.barredNote(p)
		if part.Why != nil && len(t.additions(p).FreeParts()) > 0 {
			part.Why = nil // together with an announcement it is allowed
		}
		ask.Parts = append(ask.Parts, part)
	}
	return ask
}

// barredNote says why what was picked cannot be announced.
func (t seat) barredNote(p exchangePicks) *scene.Note {
	m, _ := t.pickedMove(p)
	err := rules.Check(t.State, t.View, m)
	if err == nil {
		return nil
	}
	why := t.why(m, err)
	return &why
}

// additions asks what else is announced (SK-R-28), for a hand game or a null.
func (t seat) additions(p exchangePicks) scene.Ask {
	ask := scene.Ask{Prompt: scene.Say("ask.announce", scene.NoteArg("game", gameNote(p.game)))}
	add := func(pick, label string) {
		next := p.withPick(scene.Pick(pick), nil)
		ask.Parts = append(ask.Parts, scene.Part{Pick: scene.Pick(pick), Label: scene.Say(label), Group: "announce", Why: t.barredNote(next)})
	}
	switch {
	case p.game == skat.Null:
		add("ouvert:true", "pick.ouvert")
	case !t.needsDiscard():
		add("ann:1", "pick.ann.1")
		add("ann:2", "pick.ann.2")
		add("ouvert:true", "pick.ouvert")
	default:
		return scene.Ask{}
	}
	return ask
}

// worth is the least value of a game with the cards that the player knows. In a hand game the skat may
// change it (SK-R-54).
func (t seat) worth(g skat.Game) scene.Note {
	c := skat.Contract{Game: g, Hand: !t.needsDiscard()}
	if g == skat.Null {
		ouvert := c
		ouvert.Ouvert = true
		return scene.Say("means.null", scene.Number("value", c.OfNull()), scene.Number("ouvert", ouvert.OfNull()))
	}
	m := skat.CountMatadors(g, t.twelve())
	levels := []skat.Level{skat.GameLevel}
	if c.Hand {
		levels = append(levels, skat.HandLevel)
	}
	reached, bid := g.Base()*(m.N+len(levels)), t.State.Deal.Bid
	note := scene.Say("means.value", scene.NoteArg("count", countNote(m, levels)), scene.Number("base", g.Base()), scene.Number("value", reached))
	switch {
	case reached+2*g.Base() < bid && !c.Hand: // Schneider and Schwarz add two levels, which only a hand game can announce
		return scene.BothNotes(note, scene.Say("means.never", scene.Number("bid", bid)))
	case reached < bid:
		return scene.BothNotes(note, scene.Say("means.over", scene.Number("bid", bid)))
	case c.Hand:
		return scene.BothNotes(note, scene.Say("means.hand"))
	}
	return note
}
