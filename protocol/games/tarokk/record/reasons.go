package record

import (
	"fmt"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

// reasons are the rules behind the conditions of the catalogue (docs/spec/62-tarokk-proofs.md), and
// what a player does who breaks them.
var reasons = map[string]struct{ rule, text string }{
	"B-HON":        {"R-BID-4", "bids without an honour"},
	"B-INV17":      {"OPT-CONV-XVII", "invites without the XVII and a big honour"},
	"B-INV18":      {"R-CONV-6", "invites without the XVIII"},
	"B-INV19":      {"R-CONV-6", "invites without the XIX"},
	"B-INV17-FAIL": {"OPT-CONV-COMMIT", "takes an invit back and holds the XVII"},
	"B-INV18-FAIL": {"OPT-CONV-COMMIT", "takes an invit back and holds the XVIII"},
	"B-INV19-FAIL": {"OPT-CONV-COMMIT", "takes an invit back and holds the XIX"},
	"B-YIELD":      {"R-CONV-12", "yields the game without the XX and the honour that it shows"},
	"T-TRIAL-OK":   {"R-BID-16", "has no honour after the draw"},
	"T-TRIAL-FAIL": {"R-BID-16", "has an honour after the draw"},
	"N":            {"R-ANN-1", "annuls without such a hand"},
	"C-BELOW":      {"R-CALL-3", "calls another tarokk than the highest below the XX that is not his"},
	"A-8":          {"R-CNT-1", "announces eight tarokks and has not eight"},
	"A-9":          {"R-CNT-1", "announces nine tarokks and has not nine"},
	"A-LE7":        {"R-CNT-3", "must announce his eight or nine tarokks"},
	"A-ULTI":       {"R-CONV-8", "must announce pagátultimó"},
	"A-DCONTRA":    {"R-CALL-8", "must contra the game, since the called card lies in his discard, and only then may say so"},
	"A-PART":       {"R-SIDE-7", "speaks for the declarer's side without the called card"},
	"A-OPP":        {"R-SIDE-7", "speaks against the declarer with the called card"},
	"E-FEE":        {"OPT-TALON-HONOUR-FEE", "drew other honours from the talon"},
}

// findReason is the rule behind a condition that does not hold, or may not hold; what the player did;
// and the line in which he did it.
func (r *replay) findReason(t turn, id string, c table.Condition) (rule, text string, at int) {
	switch known := reasons[id]; {
	case id == "D-CLASS":
		return r.discardReason(t, c)
	case id == "P":
		rule, text = r.playReason(t, c)
		return rule, text, t.at
	case id == "N" && c.Set == tarokk.PlainDiscards:
		return "R-ANN-2", "annuls and discarded a tarokk", t.at
	case id == "A-LE7" && r.state.Rules.CountPais:
		return "OPT-COUNT-PAIS", known.text, t.at
	default:
		return known.rule, known.text, t.at
	}
}

// contraryCards are the cards of a condition that are not in its set, although all should be.
func (r *replay) contraryCards(c table.Condition) card.Set {
	var list card.Set
	for _, place := range c.Cards {
		if f, known := r.faces[place]; known && !c.Set.Has(f) {
			list = list.AddFace(f)
		}
	}
	return list
}

// discardReason distinguishes a card that may not be discarded from a card that was disclosed wrongly.
func (r *replay) discardReason(t turn, c table.Condition) (rule, text string, at int) {
	at = r.deal.lineNumber("discard", t.player)
	for _, f := range r.contraryCards(c).Faces() {
		name := r.cardName(f)
		must := r.state.Deal.Outcome.MustCall
		switch {
		case !tarokk.Discardable.Has(f):
			return "R-DISC-2", "discards " + name + ", a king or an honour", at
		case must != nil && f == *must:
			return "R-DISC-3", "discards " + name + ", which must be called", at
		case f == tarokk.XX && r.state.Rules.DiscardXX != "allowed":
			return "OPT-DISC-XX", "discards " + name, at
		}
	}
	return "R-DISC-6", "discards another number of tarokks than was said", t.at
}

// playReason distinguishes a revoke from a pagát that had to be kept.
func (r *replay) playReason(t turn, c table.Condition) (rule, text string) {
	if n := c.Set.Len(); n == 1 || n == tarokk.DeckSize-1 {
		return "R-PLAY-7", "plays the pagát early and is bound by an announced pagátultimó"
	}
	held := r.contraryCards(c)
	text = fmt.Sprintf("plays %s and still holds %s", t.move.Play.Face, r.namesOf(held))
	if t.move.Play.Face == tarokk.FaceName(tarokk.Pagat) && held.Minus(tarokk.Tarokks) == unknown {
		return "R-PLAY-6", text
	}
	return "R-PLAY-3", text
}

// firstKeys are the keys of the first lines that a stage may still use. All lines before must have been
// used by then.
var firstKeys = map[tarokk.Stage]string{
	tarokk.Confirming: "confirm", tarokk.Trying: "trial", tarokk.AnnullingFirst: "discard", tarokk.Discarding: "discard",
	tarokk.Disclosing: "disclosed", tarokk.Annulling: "disclosed", tarokk.Announcing: "disclosed",
	tarokk.Playing: "trick", tarokk.Opening: "claim", tarokk.Claiming: "claim", tarokk.Paying: "fee",
}

// checkSpent refuses lines of earlier stages that the deal did not go through.
func (r *replay) checkSpent() error {
	if first, known := firstKeys[r.state.Stage]; known {
		return r.checkUnused(keywordOrder(first), "played")
	}
	return nil
}

// checkUnused refuses lines that were not used, up to a place in the order of keywords, in a deal that
// has ended in the way that how says.
func (r *replay) checkUnused(end int, how string) error {
	says := 0
	for i := range r.deal.Lines {
		l := &r.deal.Lines[i]
		k, place := keywordOf(l.Key), keywordOrder(l.Key)
		used := r.used[fmt.Sprint(l.Key, l.Seat)]
		if l.Key == "say" {
			says++
			used = says <= r.says
		}
		switch {
		case place >= end || k.rule == "":
		case l.Key == "bids" && r.bids < len(l.Words):
			return r.newBreach(l.At, Nobody, k.rule, "the deal has no place for the call %s", l.Words[r.bids])
		case l.Key == "bids" || l.Key == "trick" && how == "played":
		case l.Key == "claim" && how == "played":
			if err := r.checkClaims(l); err != nil {
				return err
			}
		case !used && how != "played" && place > keywordOrder(ends[how].last):
			return r.newBreach(l.At, Nobody, ends[how].rule, "the deal was over before: %s", how)
		case !used && l.Key == "say":
			return r.newBreach(l.At, Nobody, k.rule, "the announcements were over")
		case !used:
			return r.newBreach(l.At, l.Seat, k.rule, "the deal has no place for the line %s", l.Key)
		}
	}
	return nil
}

// ends are the ways in which a deal ends without play, each with its rule and the last line that it may
// use.
var ends = map[string]struct{ rule, last string }{
	"passed": {"R-BID-12", "bids"}, "invit broken": {"OPT-CONV-COMMIT", "confirm"},
	"trial lost": {"R-BID-16", "trial"}, "annulled": {"R-ANN-5", "disclosed"},
}

// checkClaims refuses the late count of a player who may not claim one.
func (r *replay) checkClaims(l *Line) error {
	for _, seat := range l.Words {
		if !r.used["claim "+seat] {
			return r.newBreach(l.At, strings.Index(seatNames, seat), "R-CNT-5", "may not claim a count after play")
		}
	}
	return nil
}
