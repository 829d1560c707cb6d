package scene

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
)

type choice = scene.Choice[tarokk.Move]

// Ask implements scene.Presentation.
func (Presentation) Ask(a gamePosition) scene.Ask {
	switch a.State.Stage {
	case tarokk.Discarding:
		return askedSeat(a).askDiscards("")
	case tarokk.Announcing:
		return askedSeat(a).askStatements(nil)
	}
	list := askedSeat(a).moveChoices()
	ask := scene.OfferChoices(taskPrompt(a.State), list)
	ask.Alone = askedSeat(a).decidesNothing(ask)
	return ask
}

// Answer implements scene.Presentation.
func (Presentation) Answer(a gamePosition, picked []scene.Pick) scene.Answer[tarokk.Move] {
	switch a.State.Stage {
	case tarokk.Discarding:
		return askedSeat(a).answerDiscards(picked)
	case tarokk.Announcing:
		return askedSeat(a).answerStatements(picked)
	}
	return scene.TakeChoice(askedSeat(a).moveChoices(), picked)
}

// seat is a seat that owes a move.
type seat struct {
	gamePosition
	p int // its player in the deal, or -1
}

func askedSeat(a gamePosition) seat { return seat{a, slices.Index(a.State.Deal.Seats[:], *a.Seat)} }

func taskPrompt(s tarokk.State) scene.Note {
	task := taskNote(s.Stage)
	if s.Stage == tarokk.Playing && (len(s.Deal.Tricks) == 0 || len(s.Deal.Tricks[len(s.Deal.Tricks)-1].Faces) == players) {
		task = scene.Say("task.lead")
	}
	return scene.Say("ask", scene.NoteArg("task", task))
}

// decidesNothing reports whether an honest player has no choice: something must be shown, or only one
// card is left. A bid is always left to the player, even if only one is possible; and a player who may
// not annul is asked like the others, since an immediate answer would give him away.
func (t seat) decidesNothing(ask scene.Ask) bool {
	switch t.State.Stage {
	case tarokk.Bidding, tarokk.Between, tarokk.Annulling, tarokk.AnnullingFirst:
		return false
	case tarokk.Playing:
		return len(t.State.Deal.Held[t.p]) == 1
	}
	return len(ask.FreeParts()) == 1
}

// moveChoices are the moves that take one pick, including those that are barred.
func (t seat) moveChoices() []choice {
	switch t.State.Stage {
	case tarokk.Bidding:
		return t.bidChoices()
	case tarokk.Playing:
		return t.playChoices()
	case tarokk.Knocking:
		return t.knockChoices()
	case tarokk.AnnullingFirst, tarokk.Annulling:
		return t.annulChoices()
	case tarokk.Confirming:
		return t.yesNo("confirm", func(m *tarokk.Move, b *bool) { m.Confirm = b })
	case tarokk.Trying:
		return t.yesNo("trial", func(m *tarokk.Move, b *bool) { m.Trial = b })
	case tarokk.Claiming:
		return t.yesNo("claim", func(m *tarokk.Move, b *bool) { m.Claim = b })
	}
	var list []choice
	for _, m := range rules.Moves(t.State, t.View) {
		switch {
		case m.Wish != nil:
			list = append(list, t.newChoice("wish:"+*m.Wish, "wish", scene.Say("pick.wish."+*m.Wish), m))
		case m.Disclose != nil:
			list = append(list, t.newChoice("disclose", "disclose", scene.Say("task.disclose"), m))
		case m.Open != nil:
			list = append(list, t.newChoice("open", "open", scene.Say("task.open"), m))
		default:
			list = append(list, t.newChoice("fee", "fee", scene.Say("task.fee"), m))
		}
	}
	return list
}

// newChoice is a move to pick. It is barred if the rules forbid it or its player could not prove it.
func (t seat) newChoice(pick, group string, label scene.Note, m tarokk.Move) choice {
	c := choice{Part: scene.Part{Pick: scene.Pick(pick), Label: label, Group: group}, Move: m}
	if err := rules.Check(t.State, t.View, m); err != nil {
		why := t.whyNot(m, err)
		c.Why = &why
	}
	return c
}

func (t seat) yesNo(id string, set func(*tarokk.Move, *bool)) []choice {
	return scene.YesNo(id, set, t.newChoice)
}

func (t seat) knockChoices() []choice {
	if !t.State.Deal.Knocked {
		return t.yesNo("knock", func(m *tarokk.Move, b *bool) { m.Knock = b })
	}
	var list []choice
	for n := range players {
		list = append(list, t.newChoice("packet:"+strconv.Itoa(n+1), "packet", scene.Say("pick.packet", scene.Number("n", n+1)), tarokk.Move{Packet: &n}))
	}
	return list
}

func (t seat) annulChoices() []choice {
	list := []choice{t.newChoice("annul:none", "annul", scene.Say("pick.annul.none"), tarokk.Move{Annul: new("")})}
	for _, hand := range strings.Split(t.State.Rules.AnnulHands, "") {
		c := t.newChoice("annul:"+hand, "annul", scene.Say("pick.annul", scene.NoteArg("hand", scene.Say("hand."+hand))), tarokk.Move{Annul: &hand})
		c.Weighs = true
		list = append(list, c)
	}
	return list
}

func (t seat) bidChoices() []choice {
	var list []choice
	for _, c := range []tarokk.Call{tarokk.PassCall, tarokk.HoldCall, tarokk.BidThree, tarokk.BidTwo, tarokk.BidOne, tarokk.BidSolo} {
		bid := t.newChoice("bid:"+string(c), "bid", scene.Say("bid."+string(c)), tarokk.Move{Call: &c})
		bid.Means, bid.Weighs = t.bidMeans(c), c != tarokk.PassCall
		list = append(list, bid)
	}
	return list
}

// bidMeans is what a bid draws, what it is worth, and what it shows.
func (t seat) bidMeans(c tarokk.Call) (list []scene.Note) {
	d := t.State.Deal
	next, _, err := d.Auction.ApplyCall(t.State.Rules, t.p, c)
	if err != nil {
		return nil
	}
	if l := c.Level(); l >= 0 {
		list = append(list, scene.Say("means.bid", scene.Number("draws", tarokk.DrawCounts(l, t.p)[t.p]), scene.Number("worth", tarokk.BaseValue(l))))
	}
	if i := next.Invit; i != nil && d.Auction.Invit == nil {
		list = append(list, scene.Say("means."+invitKey(*i), scene.Card("card", tarokk.FaceName(i.Card))))
	}
	if _, over := next.Speaker(t.State.Rules); over && c == tarokk.PassCall && next.Outcome(t.State.Rules).Yielder == t.p {
		list = append(list, scene.Say("means.yield", scene.Card("card", tarokk.FaceName(tarokk.XX))))
	}
	return list
}

// cardName is the name of the viewer's card behind a letter.
func (t seat) cardName(letter byte) string {
	return t.Table.FaceName(t.View.Faces[t.State.Deal.CardAt(t.p, letter)])
}

// sortedLetters are the letters of the viewer's hand, in the order of its cards.
func (t seat) sortedLetters() []byte {
	return slices.SortedStableFunc(slices.Values([]byte(t.State.Deal.Held[t.p])), func(a, b byte) int {
		return faceOrder(t.cardName(a)) - faceOrder(t.cardName(b))
	})
}

func (t seat) playChoices() []choice {
	var list []choice
	for _, letter := range t.sortedLetters() {
		play := tarokk.Play{Card: string(letter), Face: t.cardName(letter)}
		list = append(list, t.playChoice(play))
		for _, side := range []tarokk.Side{tarokk.DeclarerSide, tarokk.DefenderSide} {
			play.Side = side.String()
			if f, _ := tarokk.ParseFace(play.Face); f == tarokk.Pagat && rules.Check(t.State, t.View, tarokk.Move{Play: &play}) == nil {
				list = append(list, t.playChoice(play))
			}
		}
	}
	return list
}

func (t seat) playChoice(p tarokk.Play) choice {
	pick, label := "play:"+p.Card, scene.Say("pick.play", scene.Card("card", p.Face))
	if p.Side != "" {
		pick += ":" + strings.ToLower(p.Side)
		label = scene.BothNotes(label, scene.Say("pick.play."+strings.ToLower(p.Side)))
	}
	c := t.newChoice(pick, "play", label, tarokk.Move{Play: &p})
	c.Place = &t.State.Deal.Cards[t.p][p.Card[0]-'a']
	if p.Side != "" {
		c.Place, c.Weighs = nil, true
		c.Means = []scene.Note{scene.Say("means.side", scene.NoteArg("side", scene.Say("side."+p.Side)))}
	}
	return c
}

// askDiscards asks for the cards still to be discarded after those picked.
func (t seat) askDiscards(picked string) scene.Ask {
	d := t.State.Deal
	n := d.CountDrawn(t.p) - len(picked)
	if n == 0 && picked == "" {
		return scene.Ask{Prompt: taskPrompt(t.State), Parts: []scene.Part{{Pick: "discard:none", Label: scene.Say("pick.discard.none"), Group: "discard"}}, Alone: true}
	}
	ask := scene.Ask{Prompt: scene.Say("ask.discard", scene.Number("n", n))}
	may := t.State.DiscardableCards()
	for _, letter := range t.sortedLetters() {
		if strings.IndexByte(picked, letter) >= 0 || n == 0 {
			continue
		}
		part := scene.Part{Pick: scene.Pick("discard:" + string(letter)), Label: scene.Say("pick.discard", scene.Card("card", t.cardName(letter))),
			Place: &d.Cards[t.p][letter-'a'], Group: "discard"}
		if !may.Has(t.View.Faces[*part.Place]) {
			part.Why = t.whyKept(letter)
		}
		ask.Parts = append(ask.Parts, part)
	}
	return ask
}

func (t seat) answerDiscards(picked []scene.Pick) scene.Answer[tarokk.Move] {
	var letters string
	var says []scene.Note
	for _, pick := range picked {
		part, ok := t.askDiscards(letters).FindPart(pick)
		if !ok {
			return scene.Answer[tarokk.Move]{}
		}
		if pick != "discard:none" {
			letters += strings.TrimPrefix(string(pick), "discard:")
		}
		says = append(says, part.Label)
	}
	list := []byte(letters)
	slices.Sort(list)
	m := tarokk.Move{Discard: new(string(list))}
	answer := scene.Answer[tarokk.Move]{Ask: t.askDiscards(letters), Says: scene.Say("list", scene.Notes("list", says...)), Weighs: true}
	if rules.Check(t.State, t.View, m) == nil && len(picked) > 0 {
		answer.Move, answer.Ask = &m, scene.Ask{}
	}
	return answer
}
