package skat

import (
	"strconv"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Reason names the main reason for a move that [Rules.Choose] chose, such as "play.smear"; it is empty
// for a move that had to be made.
func (Rules) Reason(s State, v table.View, m Move) string {
	b := newBot(s, v, s.Deal.player(v.Seat))
	switch {
	case m.Call != nil && *m.Call == PassCall:
		return "bid.weak"
	case m.Call != nil:
		return "bid"
	case m.Choose != nil:
		return "choose." + *m.Choose
	case m.Aside != nil:
		return "aside"
	case m.Announce != nil:
		return "announce"
	case m.Kontra != nil:
		return "double." + strconv.FormatBool(*m.Kontra)
	case m.Re != nil:
		return "double." + strconv.FormatBool(*m.Re)
	case m.Agree != nil:
		return "agree." + strconv.FormatBool(*m.Agree)
	case m.Answer != nil:
		return "answer." + *m.Answer
	case m.Claim != nil:
		return "claim"
	case m.Concede != nil:
		return "concede"
	case m.Play != nil:
		return "play." + b.trickSituation(s.Deal.SeenFaces().Union(b.aside)).reason(card.Face(m.Play.Face))
	}
	return ""
}

// reason is what cardWorth weighed most when the player chose f.
func (at TrickSituation) reason(f card.Face) string {
	_, holder := at.holder(f)
	trump := at.Game.Class(f) == Trump
	switch {
	case at.Declarer == Nobody || at.Game == Null && at.Player == at.Declarer:
		if at.takeChance(f) > 0.5 {
			return "burden"
		}
		return "under"
	case at.Game == Null:
		return "null"
	case len(at.Trick) == 0 && trump && at.Player == at.Declarer:
		return "draw"
	case len(at.Trick) == 0 && at.gain(f) > 0:
		return "lead"
	case len(at.Trick) == 0:
		return "wait"
	case at.gain(f) <= 0:
		return "cheap"
	case holder != at.Player:
		return "smear"
	}
	return "take"
}
