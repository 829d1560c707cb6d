package terminal

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Course implements Face. A deal's own lines are indented.
func (f tarokkFace) Course(before, after *table.State, m *wire.Message) []string {
	old, t := f.see(Position{State: before}), f.see(Position{State: after})
	lines := shuffled(after, m)
	lines = append(lines, old.entered(t)...)
	var body wire.MoveBody
	var move tarokk.Move
	if m.Kind == table.Move && wire.DecodeBody(m.Body, &body) == nil && json.Unmarshal(body.Move, &move) == nil {
		if text := old.did(table.Seat(m.Seat), move, t); text != "" {
			lines = append(lines, "  "+text)
		}
		lines = append(lines, old.followed(t)...)
	}
	for _, d := range t.Past[len(old.Past):] {
		lines = append(lines, old.settled(t, d)...)
	}
	if t.Stage == tarokk.Over && old.Stage != tarokk.Over {
		lines = append(lines, "The session is over. "+strings.TrimSpace(scoreLine(after, t.Scores)))
	}
	return lines
}

// entered tells what protocol steps led to.
func (t seen) entered(next seen) []string {
	switch {
	case t.Stage == next.Stage:
		return nil
	case t.Stage == tarokk.ShowingSeats:
		return []string{"Seats are drawn: " + names(next.at.State, next.Members) + ", counter-clockwise (R-SEAT-4)"}
	case t.Stage == tarokk.Dealing:
		lines := []string{next.heading()}
		return append(lines, "  nine cards each for "+next.players()+"; six in the talon (R-DEAL-2)")
	case t.Stage == tarokk.TalonDraws:
		var list []string
		for p := range next.Deal.Seats {
			list = append(list, fmt.Sprintf("%s %d", next.player(p), next.drawn(p)))
		}
		return []string{"  talon: " + strings.Join(list, ", ") + " (R-TAL-1)"}
	}
	return nil
}

// did is what a player's move says.
func (t seen) did(seat table.Seat, m tarokk.Move, next seen) string {
	who := t.name(seat)
	switch {
	case m.Knock != nil && *m.Knock:
		return who + " knocks"
	case m.Knock != nil:
		return who + " cuts"
	case m.Packet != nil:
		return fmt.Sprintf("%s takes packet %d", who, *m.Packet+1)
	case m.Call != nil:
		return who + ": " + string(*m.Call) + t.meaning(*m.Call, next)
	case m.Annul != nil && *m.Annul == "", m.Claim != nil && !*m.Claim, m.Discard != nil && *m.Discard == "":
		return ""
	case m.Discard != nil:
		return fmt.Sprintf("%s discards %d", who, len(*m.Discard))
	case m.Disclose != nil:
		return who + t.discloses(*m.Disclose)
	case m.Say != nil:
		return who + ": " + t.speech(*m.Say)
	case m.Play != nil && t.Brief:
		return ""
	case m.Play != nil:
		return who + " plays " + t.card(m.Play.Face) + t.sideShown(m.Play.Side)
	case m.Open != nil:
		return who + " turns up " + t.cards(*m.Open)
	case m.Fee != nil && len(*m.Fee) == 0:
		return ""
	}
	return who + ": " + t.say(m)
}

// meaning is what a call shows by convention.
func (t seen) meaning(c auction.Call, next seen) string {
	i := next.Deal.Auction.Invit
	o := next.Deal.Outcome
	switch {
	case t.Deal.Auction.Invit == nil && i != nil:
		return fmt.Sprintf(" (invit with the %s, R-CONV-1)", deck.Roman(i.Card))
	case c == auction.Pass && o != nil && o.Yielder != auction.Nobody:
		return " (yields the game: holds the XX, R-CONV-11)"
	case o != nil && o.Trial:
		return " (trial bid, R-BID-14)"
	}
	return ""
}

func (t seen) discloses(d tarokk.Disclosure) string {
	text := " discarded " + tarokks(len(d.Tarokks))
	if len(d.Open) > 0 {
		text += ": " + t.cards(d.Open)
	}
	return text
}

func (t seen) speech(s tarokk.Speech) string {
	text := "pass"
	if len(s.Turn) > 0 {
		text = t.turn(s.Turn)
	}
	if s.Discards != nil {
		text += " (" + strings.TrimSpace(t.discloses(*s.Discards)) + ")"
	}
	return text
}

func (t seen) sideShown(side string) string {
	switch side {
	case score.Dec.String():
		return ", of the declarer's side"
	case score.Def.String():
		return ", an opponent"
	}
	return ""
}

// followed is what a move brought about.
func (t seen) followed(next seen) []string {
	switch {
	case t.Stage == tarokk.Bidding && next.Stage != tarokk.Bidding && next.Deal.Outcome != nil:
		return []string{"  " + next.game()}
	case t.Stage == tarokk.Announcing && next.Stage == tarokk.Playing:
		return []string{"  " + next.sides()}
	case t.Stage == tarokk.Playing:
		trick := next.Deal.Tricks[len(next.Deal.Tricks)-1]
		switch {
		case len(trick.Faces) < 4:
		case t.Brief:
			return []string{fmt.Sprintf("  trick %d: %s%s", len(next.Deal.Tricks), next.trick(trick), next.taken(trick))}
		default:
			return []string{fmt.Sprintf("  trick %d is taken by %s", len(next.Deal.Tricks), next.player(winner(trick)))}
		}
	}
	return nil
}

// settled is the sheet of a deal in words. t is the state before its last
// message, in which the deal still is.
func (t seen) settled(next seen, d tarokk.Settled) []string {
	lines := []string{fmt.Sprintf("  %s", next.how(d))}
	if d.Sheet != nil {
		for _, l := range d.Sheet.Lines {
			lines = append(lines, fmt.Sprintf("    %-10s %s: %d for the %s", l.Rule, t.scored(l), l.Points, sideName(l.For)))
		}
		lines = append(lines, fmt.Sprintf("    %-10s together %+d for the declarer's side", "R-SC-18", d.Sheet.V))
	}
	if a := t.Deal.Announce; a != nil {
		for p, n := range a.Counts {
			if n > 0 {
				lines = append(lines, fmt.Sprintf("    %-10s %d tarokks: %s gets %d from each other player", "R-PAY-3", n, t.player(p), n-7))
			}
		}
	}
	if d.Multiplier > 1 && d.Declarer != nil {
		lines = append(lines, fmt.Sprintf("    %-10s payments %s%d in the double round", "R-PAY-7", t.times(), d.Multiplier))
	}
	lines = append(lines, "  payments: "+points(next.at.State, d.Payments))
	if len(next.Rounds) > len(t.Rounds) {
		lines = append(lines, "  a double round begins (R-ROUND-1)")
	}
	return lines
}

// scored is a line of the sheet.
func (t seen) scored(l score.Line) string {
	text := figures[l.Item.Figure]
	if l.Item != score.TheGame {
		text += " of the " + sideName(l.Item.Side)
	}
	if l.Announced {
		text += " announced,"
	}
	if l.Contra > 0 {
		text += " " + ladder[l.Contra] + ","
	}
	if l.Made {
		return strings.TrimSuffix(text, ",") + " won"
	}
	return strings.TrimSuffix(text, ",") + " lost"
}
