package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
)

// reasons are the rules behind the conditions of the catalogue
// (docs/spec/62-tarokk-proofs.md), and what a player does who breaks them.
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

// reason is the rule behind a condition that does not hold, or may not; what the
// player does then; and the line in which it was done.
func (r *referee) reason(t turn, id string, c table.Condition) (rule, text string, at int) {
	switch known := reasons[id]; {
	case id == "D-CLASS":
		return r.discardReason(t, c)
	case id == "P":
		rule, text = r.playReason(t, c)
		return rule, text, t.at
	case id == "N" && c.Set == deck.PlainDiscards:
		return "R-ANN-2", "annuls and discarded a tarokk", t.at
	case id == "A-LE7" && r.state.Rules.CountPais:
		return "OPT-COUNT-PAIS", known.text, t.at
	default:
		return known.rule, known.text, t.at
	}
}

// against are the cards that stand against a condition that all be in its set.
func (r *referee) against(c table.Condition) []card.Face {
	var list []card.Face
	for _, place := range c.Cards {
		if f, known := r.faces[place]; known && !c.Set.Has(f) {
			list = append(list, f)
		}
	}
	return list
}

// discardReason tells a card that may not be discarded from one that was not
// disclosed as what it is.
func (r *referee) discardReason(t turn, c table.Condition) (rule, text string, at int) {
	at = r.at("discard", t.player)
	for _, f := range r.against(c) {
		name := r.cardName(f)
		must := r.state.Deal.Outcome.MustCall
		switch {
		case !deck.Discardable.Has(f):
			return "R-DISC-2", "discards " + name + ", a king or an honour", at
		case must != nil && f == *must:
			return "R-DISC-3", "discards " + name + ", which must be called", at
		case f == deck.XX && r.state.Rules.DiscardXX != "allowed":
			return "OPT-DISC-XX", "discards " + name, at
		}
	}
	return "R-DISC-6", "discards another number of tarokks than was said", t.at
}

// playReason tells a revoke from a pagát that had to be kept.
func (r *referee) playReason(t turn, c table.Condition) (rule, text string) {
	if n := c.Set.Len(); n == 1 || n == deck.Size-1 {
		return "R-PLAY-7", "plays the pagát early and is bound by an announced pagátultimó"
	}
	held := r.against(c)
	tarokks := !slices.ContainsFunc(held, func(f card.Face) bool { return !deck.IsTarokk(f) })
	text = fmt.Sprintf("plays %s and still holds %s", t.move.Play.Face, cardNames(held, r.session.redLow()))
	if t.move.Play.Face == deck.Name(deck.Pagat) && tarokks {
		return "R-PLAY-6", text
	}
	return "R-PLAY-3", text
}

// checkSpent refuses calls after the auction and turns after the announcements.
func (r *referee) checkSpent() error {
	stage := r.state.Stage
	if l := r.deal.find("bids", Nobody); l != nil && stage != tarokk.Bidding && stage != tarokk.Knocking && r.bids < len(l.Words) {
		return r.late(l, l.Words[r.bids])
	}
	if says := r.deal.all("say"); stage == tarokk.Playing && r.says < len(says) {
		return r.late(says[r.says], "")
	}
	return nil
}

// late is a line for which the deal has no place any more.
func (r *referee) late(l *Line, word string) error {
	k, _ := keywordOf(l.Key)
	text := strings.TrimSpace("the deal has no place for the line " + l.Key + " " + word)
	return r.breach(l.At, Nobody, k.rule, "%s", text)
}

// checkRest refuses what the record tells of a deal after it was over.
func (r *referee) checkRest() error {
	if l := r.deal.find("bids", Nobody); l != nil && r.bids < len(l.Words) {
		return r.late(l, l.Words[r.bids])
	}
	how := r.state.Past[len(r.state.Past)-1].How
	for i := range r.deal.Lines {
		l := &r.deal.Lines[i]
		k, order := keywordOf(l.Key)
		played := l.Key == "say" || l.Key == "trick"
		switch {
		case order < 5 || l.Key == "between" || l.Key == "result" || l.Key == "claim":
		case played && how != "played":
			return r.breach(l.At, Nobody, overRule(how), "the deal was over before: %s", how)
		case !played && !r.used[fmt.Sprint(l.Key, l.Seat)]:
			return r.breach(l.At, l.Seat, k.rule, "the deal has no place for the line %s", l.Key)
		}
	}
	return r.checkClaims()
}

// overRule is the rule that ended a deal before it was played.
func overRule(how string) string {
	switch how {
	case "passed":
		return "R-BID-12"
	case "annulled":
		return "R-ANN-5"
	case "trial lost":
		return "R-BID-16"
	}
	return "OPT-CONV-COMMIT"
}

// checkClaims refuses a late count of a player who may not claim one.
func (r *referee) checkClaims() error {
	l := r.deal.find("claim", Nobody)
	if l == nil {
		return nil
	}
	for _, seat := range l.Words {
		if !r.used["claim "+seat] {
			return r.breach(l.At, strings.Index(seatNames, seat), "R-CNT-5", "may not claim a count after play")
		}
	}
	return nil
}
