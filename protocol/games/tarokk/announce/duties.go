package announce

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// proveDutiesMet ends a turn with the proofs that its speaker had no duty to say more.
func (t *turn) proveDutiesMet() {
	if t.mustCount() && t.Counts[t.seat] == 0 && !t.LE7[t.seat] { // SK-7
		t.prove(claim.AtLeast("A-LE7", 2, claim.Hand, deck.Plain))
		t.LE7[t.seat] = true
	}
	if t.first() && t.seat == t.Ultimo && t.find(score.Item{Side: score.Dec, Figure: score.Ultimo}) < 0 {
		nine := map[ruleset.UltimoDuty]claim.Group{ruleset.DutyDealt: claim.Dealt, ruleset.DutyExchanged: claim.Hand}[t.rules.UltimoDuty]
		t.prove(claim.AtLeast("A-ULTI", 1, nine, deck.BigHonours))
	}
	if t.mayOweContra() && !t.forced && (t.Items[0].Contra == 0 || t.rules.ForcedContra == ruleset.ContraSpoken) {
		t.prove(claim.Every("A-DCONTRA", claim.TarokkOf, deck.Not(card.SetOf(*t.Called))))
	}
}

// mustCount reports whether this turn obliges its speaker to announce a count
// of eight or nine: by a pagátultimó, by the first contra of one (R-CNT-3,
// AMB-14), or under count-pais by any figure or contra.
func (t *turn) mustCount() bool {
	for i, a := range t.Items {
		announced := i >= len(t.before.Items)
		ultimo := a.Item.Figure == score.Ultimo && (announced || a.Contra == 1)
		if (announced || t.contraedNow(i)) && (ultimo || t.rules.CountPais) {
			return true
		}
	}
	return false
}

// mayOweContra reports whether, for all that is public, the called card may lie
// in the discard of the speaker, who then must contra the game (R-CALL-8,
// AMB-09, SK-8). After a binding invit or a yielded game it cannot: its holder
// is known (R-CONV-14).
//
// The discard is known to be of T2 to T20 (D-CLASS), so that A-DCONTRA need not
// say it again: "none is the called card" is a tenth of the size.
func (t *turn) mayOweContra() bool {
	return t.first() && t.seat != t.Declarer && t.Tarokks[t.seat] > 0 &&
		t.before.Items[0].Contra == 0 && !t.partnerKnown() && !slices.Contains(t.Opened, *t.Called) &&
		(*t.Called != deck.XX || t.rules.DiscardXX == ruleset.XXAllowed)
}

// compulsory is a contra of the game that says why it is made
// (OPT-FORCED-CONTRA-SPOKEN). The called card lies in the speaker's discard, so
// the declarer is alone and all sides are public (R-CALL-7).
func (t *turn) compulsory(item string) error {
	switch {
	case t.rules.ForcedContra != ruleset.ContraSpoken:
		return fmt.Errorf("OPT-FORCED-CONTRA-SPOKEN: a compulsory contra is not spoken of at this table")
	case item != score.TheGame.String():
		return fmt.Errorf("R-CALL-8: only the game has a compulsory contra, and not %.30q", item)
	case !t.mayOweContra():
		return fmt.Errorf("R-CALL-8, AMB-09: %c has no duty to contra the game", letter(t.seat))
	}
	t.prove(claim.AtLeast("A-DCONTRA", 1, claim.TarokkOf, card.SetOf(*t.Called)))
	t.State, t.forced = t.revealRest(), true
	return t.contra(item)
}
