package tarokk

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
)

// mostAbove is the greatest number of tarokks above a called one that nine cards can contain: the
// declarer also has an honour (R-BID-4, R-BID-16), which is not among them.
const mostAbove = 8

// CallableTarokks lists the tarokks that the declarer may call by what is public. Those below the XX
// need the proof C-BELOW unless the call is free.
func (s Announcements) CallableTarokks(r RuleSet) []card.Face {
	return slices.DeleteFunc(TarokkDiscards.Faces(), func(f card.Face) bool { return s.mayCall(r, f) != nil })
}

// mayCall says why a call is illegal whatever the declarer holds.
func (s Announcements) mayCall(r RuleSet, f card.Face) error {
	switch {
	case s.Called != nil:
		return fmt.Errorf("R-CALL-1: %s has been called, there is one call in a deal", FaceName(*s.Called))
	case !TarokkDiscards.Has(f):
		return fmt.Errorf("R-CALL-5: %s cannot be called: only T2 to T20 can", FaceName(f))
	case s.MustCall != nil && f != *s.MustCall:
		return fmt.Errorf("R-CALL-6: %s must be called, and not %s", FaceName(*s.MustCall), FaceName(f))
	case !s.mustProve(r, f):
		return nil
	case slices.Contains(s.Opened, f):
		return fmt.Errorf("R-CALL-4, AMB-07: %s lies face up in the declarer's discard and counts as his", FaceName(f))
	case s.neededAbove(f).Len() > mostAbove:
		return fmt.Errorf("R-CALL-3: no hand has room for all tarokks from the XX down to above %s", FaceName(f))
	}
	return nil
}

// mustProve reports whether a call rests on the declarer's hand (62.4.5). Calling the XX never does,
// nor does a forced or a free call (C-XX, C-FORCED, C-FREE).
func (s Announcements) mustProve(r RuleSet, f card.Face) bool {
	return s.MustCall == nil && f != XX && !s.freeCall(r)
}

// freeCall reports whether a tarokk in another player's discard frees the call (R-CALL-5).
func (s Announcements) freeCall(r RuleSet) bool {
	others := s.Tarokks
	others[s.Declarer] = 0
	return r.FreeCall == FreeCallAny && others != [4]int{}
}

// neededAbove is M: the tarokks above f, up to the XX, that the declarer must hold in order to call f
// (R-CALL-3), without those that lie face up in his discard (R-CALL-4).
func (s Announcements) neededAbove(f card.Face) card.Set {
	var m card.Set
	for g := f + 1; g <= XX; g++ {
		m = m.AddFace(g)
	}
	return m.Minus(card.SetOf(s.Opened...))
}

// belowClaims are C-BELOW: f is the highest tarokk below the XX that the declarer does not have.
func (s Announcements) belowClaims(f card.Face) []Claim {
	lacks := EveryCard("C-BELOW", LastHand, AllBut(card.SetOf(f)))
	m := s.neededAbove(f)
	if m.Len() == 0 {
		return []Claim{lacks}
	}
	return []Claim{AtLeast("C-BELOW", m.Len(), LastHand, m), lacks}
}

// proveDutiesMet ends a turn with the proofs that its speaker was not obliged to say more.
func (t *turn) proveDutiesMet() {
	if t.mustCount() && t.Counts[t.seat] == 0 && !t.LE7[t.seat] { // SK-7
		t.addClaims(AtLeast("A-LE7", 2, LastHand, Plain))
		t.LE7[t.seat] = true
	}
	if t.isFirstTurn() && t.seat == t.Ultimo && t.findItem(Item{Side: DeclarerSide, Figure: Ultimo}) < 0 {
		nine := map[UltimoDuty]Group{DutyDealt: DealtHand, DutyExchanged: LastHand}[t.rules.UltimoDuty]
		t.addClaims(AtLeast("A-ULTI", 1, nine, BigHonours))
	}
	if t.mayOweContra() && !t.forced && (t.Items[0].Contra == 0 || t.rules.ForcedContra == ContraSpoken) {
		t.addClaims(EveryCard("A-DCONTRA", TarokkDiscarded, AllBut(card.SetOf(*t.Called))))
	}
}

// mustCount reports whether this turn obliges its speaker to announce a count
// of eight or nine: by a pagátultimó, by the first contra of one (R-CNT-3,
// AMB-14), or under count-pais by any figure or contra.
func (t *turn) mustCount() bool {
	for i, a := range t.Items {
		announced := i >= len(t.before.Items)
		ultimo := a.Item.Figure == Ultimo && (announced || a.Contra == 1)
		if (announced || t.contraedNow(i)) && (ultimo || t.rules.CountPais) {
			return true
		}
	}
	return false
}

// mayOweContra reports whether, as far as is public, the called card may lie in the speaker's discard,
// so that he must contra the game (R-CALL-8, AMB-09, SK-8). After a binding invit or a yielded game it
// cannot, because its holder is known (R-CONV-14).
//
// D-CLASS has already proved that the discard is of T2 to T20, so A-DCONTRA need not prove it again:
// "none is the called card" is a tenth of the size.
func (t *turn) mayOweContra() bool {
	return t.isFirstTurn() && t.seat != t.Declarer && t.Tarokks[t.seat] > 0 &&
		t.before.Items[0].Contra == 0 && !t.partnerKnown() && !slices.Contains(t.Opened, *t.Called) &&
		(*t.Called != XX || t.rules.DiscardXX == XXAllowed)
}

// compulsoryContra is a contra of the game that states its reason (OPT-FORCED-CONTRA-SPOKEN). The
// called card lies in the speaker's discard, so the declarer is alone and all sides are public
// (R-CALL-7).
func (t *turn) compulsoryContra(item string) error {
	switch {
	case t.rules.ForcedContra != ContraSpoken:
		return fmt.Errorf("OPT-FORCED-CONTRA-SPOKEN: a compulsory contra is not spoken of at this table")
	case item != TheGame.String():
		return fmt.Errorf("R-CALL-8: only the game has a compulsory contra, and not %.30q", item)
	case !t.mayOweContra():
		return fmt.Errorf("R-CALL-8, AMB-09: %c has no duty to contra the game", seatLetter(t.seat))
	}
	t.addClaims(AtLeast("A-DCONTRA", 1, TarokkDiscarded, card.SetOf(*t.Called)))
	t.Announcements, t.forced = t.revealRest(), true
	return t.makeContra(item)
}
