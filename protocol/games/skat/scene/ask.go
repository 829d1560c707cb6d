package scene

import (
	"slices"
	"strconv"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

type choice = scene.Choice[skat.Move]

// Ask implements scene.Presentation.
func (Presentation) Ask(a gamePosition) scene.Ask {
	t := askedSeat(a)
	switch a.State.Stage {
	case skat.Announcing, skat.PassingOn:
		return t.answerExchange(nil).Ask
	}
	ask := scene.OfferChoices(t.prompt(), t.choices())
	ask.May = a.State.Stage == skat.Playing && a.State.Deal.OnTurn() != t.p
	ask.Alone = t.decidesNothing(ask)
	return ask
}

// Answer implements scene.Presentation.
func (Presentation) Answer(a gamePosition, picked []scene.Pick) scene.Answer[skat.Move] {
	t := askedSeat(a)
	switch a.State.Stage {
	case skat.Announcing, skat.PassingOn:
		return t.answerExchange(picked)
	}
	return scene.TakeChoice(t.choices(), picked)
}

// seat is a seat that may move.
type seat struct {
	gamePosition
	p int // its player in the deal
}

func askedSeat(a gamePosition) seat { return seat{a, slices.Index(a.State.Deal.Seats[:], *a.Seat)} }

func (t seat) prompt() scene.Note {
	d := t.State.Deal
	switch s := t.State.Stage; {
	case s == skat.Bidding && d.Auction.Turn == d.Auction.Hearer:
		return scene.Say("ask.hear", scene.SeatArg("seat", d.Seats[d.Auction.Sayer]), scene.Number("bid", d.Auction.Last))
	case s == skat.Bidding && d.Auction.Phase == skat.ForehandAlone:
		return scene.Say("ask.alone")
	case s == skat.Bidding:
		return scene.Say("ask.say", scene.SeatArg("seat", d.Seats[d.Auction.Hearer]))
	case s == skat.Choosing:
		return scene.Say("ask.choose", scene.Number("bid", d.Bid))
	case s == skat.Agreeing:
		return scene.Say("two.sentences", scene.NoteArg("a", offerNote(d, *d.Offer)), scene.NoteArg("b", scene.Say("ask.agree")))
	case s == skat.Answering:
		return scene.Say("two.sentences", scene.NoteArg("a", offerNote(d, *d.Offer)), scene.NoteArg("b", scene.Say("ask.accept")))
	case s == skat.Playing && d.OnTurn() != t.p:
		return scene.Say("ask.may", scene.SeatArg("seat", onTurn(d)))
	case s == skat.Playing && (len(d.Tricks) == 0 || len(d.Tricks[len(d.Tricks)-1].Faces) == players):
		return scene.Say("ask", scene.NoteArg("task", scene.Say("task.lead")))
	}
	return scene.Say("ask", scene.NoteArg("task", taskNote(t.State.Stage)))
}

// decidesNothing reports whether an honest player has no choice: something must be shown, or only one
// card is left.
func (t seat) decidesNothing(ask scene.Ask) bool {
	switch t.State.Stage {
	case skat.Opening, skat.Laying, skat.Proving:
		return true
	case skat.Playing:
		return len(ask.FreeParts()) == 1 && len(t.State.Deal.Hands[t.p]) == 1 && !ask.May
	}
	return false
}

// choices are the moves that take one pick, including those that are barred.
func (t seat) choices() []choice {
	switch t.State.Stage {
	case skat.Bidding:
		return t.bids()
	case skat.Choosing:
		return t.wordChoices("choose", []string{skat.Take, skat.Hand}, func(m *skat.Move, word string) { m.Choose = &word })
	case skat.Pushing:
		return t.wordChoices("choose", []string{skat.Take, skat.Push}, func(m *skat.Move, word string) { m.Choose = &word })
	case skat.Doubling:
		return t.yesNo("kontra", func(m *skat.Move, b *bool) { m.Kontra = b })
	case skat.Redoubling:
		return t.yesNo("re", func(m *skat.Move, b *bool) { m.Re = b })
	case skat.Agreeing:
		return t.yesNo("agree", func(m *skat.Move, b *bool) { m.Agree = b })
	case skat.Answering:
		return t.wordChoices("answer", []string{skat.Accept, skat.PlayOn}, func(m *skat.Move, word string) { m.Answer = &word })
	case skat.Playing:
		return append(t.plays(), t.endings()...)
	}
	var list []choice
	for _, m := range rules.Moves(t.State, t.View) { // what must be shown is one move
		id := taskNote(t.State.Stage)
		list = append(list, t.choice("show", "show", id, m))
	}
	return list
}

// choice is a move to pick. It is barred if the rules forbid it or its player could not prove it.
func (t seat) choice(pick, group string, label scene.Note, m skat.Move) choice {
	c := choice{Part: scene.Part{Pick: scene.Pick(pick), Label: label, Group: group}, Move: m}
	if err := rules.Check(t.State, t.View, m); err != nil {
		why := t.why(m, err)
		c.Why = &why
	}
	return c
}

// wordChoices are choices of one word each; Hand, Push and Accept ask for confirmation.
func (t seat) wordChoices(group string, words []string, set func(*skat.Move, string)) []choice {
	var list []choice
	for _, word := range words {
		var m skat.Move
		set(&m, word)
		c := t.choice(group+":"+word, group, scene.Say("pick."+group+"."+word), m)
		c.Weighs = word == skat.Hand || word == skat.Push || word == skat.Accept
		list = append(list, c)
	}
	return list
}

// yesNo are two choices; the first asks for confirmation.
func (t seat) yesNo(id string, set func(*skat.Move, *bool)) []choice {
	list := scene.YesNo(id, set, t.choice)
	list[0].Weighs = true
	return list
}

// near is the number of next values offered directly; bidding higher asks for confirmation.
const near = 4

// bids are the calls: the answer or the next values, the pass, and apart from these all the higher
// values.
func (t seat) bids() []choice {
	a := t.State.Deal.Auction
	call := func(c skat.Call, group string) choice {
		return t.choice("bid:"+c.String(), group, label(c), skat.Move{Call: &c})
	}
	if a.Turn == a.Hearer {
		return []choice{call(skat.YesCall, "bid"), call(skat.PassCall, "bid")}
	}
	var next, others []choice
	for _, v := range skat.BidValues {
		c := call(skat.Call(v), "bid")
		if c.Why == nil && len(next) < near {
			next = append(next, c)
			continue
		}
		c.Group, c.Weighs = "jump", true
		others = append(others, c)
	}
	return slices.Concat(next, []choice{call(skat.PassCall, "bid")}, others)
}

// label is a call as it is offered and typed.
func label(c skat.Call) scene.Note {
	switch c {
	case skat.PassCall, skat.YesCall:
		return scene.Say("pick.bid." + c.String())
	}
	return callNote(c)
}

// face is the face of a card, as far as the viewer knows it.
func (t seat) face(c table.Card) skat.Face { return skat.Face(t.View.Faces[c]) }

// heldCards are the cards of the viewer's hand, sorted.
func (t seat) heldCards() []table.Card {
	g := t.State.Deal.Game()
	return slices.SortedFunc(slices.Values(t.State.Deal.Hands[t.p]), func(x, y table.Card) int { return faceOrder(g, t.face(x)) - faceOrder(g, t.face(y)) })
}

func (t seat) plays() (list []choice) {
	d := t.State.Deal
	if d.OnTurn() != t.p {
		return nil
	}
	for _, place := range t.heldCards() {
		f := t.face(place)
		c := t.choice("play:"+f.String(), "play", scene.Say("pick.play", scene.Card("card", f.String())), skat.Move{Play: &skat.Play{Card: place, Face: f}})
		c.Place = &place
		list = append(list, c)
	}
	return list
}

// endings are the ways to end a deal early, without those that the table's options rule out.
func (t seat) endings() (list []choice) {
	d := t.State.Deal
	if d.Ramsch {
		return nil
	}
	if t.State.Rules.Concede != skat.OptOff {
		id := "pick.concede.defender"
		if t.p == d.Declarer {
			id = "pick.concede.declarer"
		}
		list = append(list, t.choice("concede", "end", scene.Say(id), skat.Move{Concede: new(true)}))
	}
	if t.p == d.Declarer && t.p == d.OnTurn() && t.State.Rules.Claim != skat.OptOff {
		for level := max(d.Contract.Ann, skat.Normal); level <= skat.Schwarz; level++ {
			if d.Contract.Game == skat.Null && level > skat.Normal {
				break
			}
			id := "pick.claim." + strconv.Itoa(level)
			if d.Contract.Game == skat.Null {
				id = "pick.claim.null"
			}
			list = append(list, t.choice("claim:"+strconv.Itoa(level), "end", scene.Say(id), skat.Move{Claim: &skat.Claim{Level: level, Faces: t.closedFaces()}}))
		}
	}
	for i := range list {
		list[i].Weighs = true
	}
	return list
}

// closedFaces are the viewer's cards that a claim turns up, in the order of their places.
func (t seat) closedFaces() []skat.Face {
	list := []skat.Face{}
	for _, c := range t.State.Deal.Hands[t.p] {
		if !t.State.Deal.OpenHand {
			list = append(list, t.face(c))
		}
	}
	return list
}

// twelve are the cards that the player holds or has laid aside.
func (t seat) twelve() (s card.Set) {
	for _, c := range t.State.Deal.Hands[t.p] {
		s = s.AddFace(t.View.Faces[c])
	}
	return s
}
