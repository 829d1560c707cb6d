package terminal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/wire"
)

var rules tarokk.Rules

// Ask implements Face.
func (f tarokkFace) Ask(p Position) Question {
	t := f.see(p)
	moves := rules.Moves(t.State, p.View)
	slices.SortStableFunc(moves, func(a, b tarokk.Move) int { return byHand(t.first(a), t.first(b)) })
	q := Question{Help: helpOf[t.Stage], Forced: t.forced(moves)}
	switch t.Stage {
	case tarokk.Discarding:
		q.Text, q.Choices = t.askDiscard(moves)
	case tarokk.Announcing:
		q.Text, q.Choices = t.askAnnounce(moves)
	case tarokk.Playing:
		q.Text, q.Choices = t.askPlay(moves)
	default:
		q.Text = "You are to " + tasks[t.Stage] + "."
		if bids := t.bidding(); bids != "" && t.Stage == tarokk.Bidding {
			q.Text = bids + ". " + q.Text
		}
		for _, m := range moves {
			q.Choices = append(q.Choices, Choice{t.say(m), t.note(m)})
		}
	}
	return q
}

// first is the card that a move is about, if it is about one.
func (t seen) first(m tarokk.Move) card.Face {
	letters := ""
	switch {
	case m.Play != nil:
		letters = m.Play.Card
	case m.Discard != nil:
		letters = *m.Discard
	}
	if letters == "" {
		return 0
	}
	return t.face(letters[0])
}

// forced is the only move there is, where an honest player decides nothing: what
// must be shown is shown, and the last card is played. A call, a discard and an
// announcement are a player's own, even if there is but one; and whoever may not
// annul is asked like the others, since an answer at once would tell them.
func (t seen) forced(moves []tarokk.Move) json.RawMessage {
	switch t.Stage {
	case tarokk.Bidding, tarokk.Discarding, tarokk.Announcing, tarokk.Between, tarokk.Annulling, tarokk.AnnullingFirst:
		return nil
	case tarokk.Playing:
		if len(t.Deal.Held[t.me()]) > 1 {
			return nil
		}
	}
	if len(moves) != 1 {
		return nil
	}
	raw, err := wire.EncodeBody(moves[0])
	if err != nil {
		return nil
	}
	return raw
}

// note says what a move means.
func (t seen) note(m tarokk.Move) string {
	switch {
	case m.Call != nil:
		return t.callNote(*m.Call)
	case m.Annul != nil && *m.Annul != "":
		return "throw the deal in, R-ANN-1"
	case m.Claim != nil && *m.Claim:
		return "your tarokks, from your partner, R-CNT-5"
	}
	return ""
}

// callNote is what a call shows, and what it draws and is worth.
func (t seen) callNote(c auction.Call) string {
	p := t.me()
	next, _, err := t.Deal.Auction.Apply(t.Rules, p, c)
	if err != nil {
		return ""
	}
	var notes []string
	if c.Level() >= 0 {
		notes = append(notes, fmt.Sprintf("draws %d, worth %d", auction.Draw(c.Level(), p)[p], score.Base(c.Level())))
	}
	if i := next.Invit; i != nil && t.Deal.Auction.Invit == nil {
		notes = append(notes, fmt.Sprintf("invit: shows the %s", deck.Roman(i.Card)))
	}
	if _, over := next.Speaker(t.Rules); over && c == auction.Pass && next.Outcome(t.Rules).Yielder == p {
		notes = append(notes, "yields the game: shows the XX")
	}
	return strings.Join(notes, "; ")
}

func (t seen) askDiscard(moves []tarokk.Move) (string, []Choice) {
	p, n := t.me(), t.drawn(t.me())
	var may []card.Face
	for _, letter := range t.Deal.Held[p] {
		if slices.ContainsFunc(moves, func(m tarokk.Move) bool { return strings.ContainsRune(*m.Discard, letter) }) {
			may = append(may, t.face(byte(letter)))
		}
	}
	text := fmt.Sprintf("You drew %d and discard %d of: %s", n, n, t.faces(may))
	if n > 1 {
		return text, nil
	}
	var choices []Choice
	for _, m := range moves {
		choices = append(choices, Choice{Say: t.say(m)})
	}
	return text, choices
}

// face is the own card behind a letter.
func (t seen) face(letter byte) card.Face { return t.at.View.Faces[t.Deal.Cards[t.me()][letter-'a']] }

// askAnnounce lists single statements: all that can be said at once are too many
// to read.
func (t seen) askAnnounce(moves []tarokk.Move) (string, []Choice) {
	text := "You announce; several things may be said in one turn."
	if t.Deal.Announce.Called == nil {
		text = "You are the declarer: call a tarokk, and announce what you like."
	} else if list := t.announced(); list != "" {
		text = list + ". " + text
	}
	var choices []Choice
	for _, m := range moves {
		if turn := m.Say.Turn; len(turn) <= 1 || len(turn) == 2 && strings.HasPrefix(turn[0], "count:") {
			choices = append(choices, Choice{t.say(m), t.sayNote(m.Say.Turn)})
		}
	}
	if len(choices) > 0 {
		return text, choices
	}
	for _, m := range moves {
		choices = append(choices, Choice{Say: t.say(m)})
	}
	return text, choices
}

// sayNote says for whom a figure is, and what a statement shows of its speaker.
func (t seen) sayNote(turn []string) string {
	a := *t.Deal.Announce
	if len(turn) == 0 || a.Called == nil {
		return ""
	}
	next, _, err := a.Turn(t.Rules, t.me(), turn)
	if side := next.Sides[t.me()]; err == nil && a.Sides[t.me()] == score.Unknown && side != score.Unknown {
		return "shows that you are of the " + sideName(side)
	}
	return ""
}

func (t seen) askPlay(moves []tarokk.Move) (string, []Choice) {
	text := "You lead."
	tricks := t.Deal.Tricks
	if n := len(tricks); n > 0 && len(tricks[n-1].Faces) < 4 {
		text = fmt.Sprintf("Trick %d: %s. You play.", n, t.trick(tricks[n-1]))
	}
	var choices []Choice
	for _, m := range moves {
		choices = append(choices, Choice{t.say(m), strings.TrimPrefix(t.sideShown(m.Play.Side), ", ")})
	}
	return text, choices
}

// helpOf explains the words of a stage.
var helpOf = map[tarokk.Stage]string{
	tarokk.Bidding: "A call is pass, hold, three, two, one or solo, or its number in the list.\n",
	tarokk.Discarding: `Name the cards: discard HQ DR IV. Suits are H D C S (or their symbols), ranks
K Q R J and A or 10; tarokks are numerals, I to XXI and SKIZ.
`,
	tarokk.Announcing: `Say pass, or in any order that the rules allow, parted by commas or spaces:
call XX                          the declarer's call, first of all
count 8, count 9                 the tarokks in your hand
trull kings double volat ultimo xxi
                                 figures, for the side that spoke last or yours
contra game, contra ultimo       and so rekontra and further; where both sides
                                 announced: contra def ultimo
compulsory                       the contra of who discarded the called card
For instance: contra game, trull
`,
	tarokk.Playing: `Name the card: XIX, HK, play H10. With the pagat you may have to add dec or def,
the side that you show by it.
`,
}
