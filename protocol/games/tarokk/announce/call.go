package announce

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

// mostAbove is how many of the nine cards can be tarokks above a called one:
// the declarer has an honour too (R-BID-4, R-BID-16), and it is not among them.
const mostAbove = 8

// Calls lists the tarokks that the declarer may call as far as anybody can see.
// Which of those below the XX he really may call, without a free call, is for
// C-BELOW to prove.
func (s State) Calls(r ruleset.Rules) []card.Face {
	return slices.DeleteFunc(deck.TarokkDiscards.Faces(), func(f card.Face) bool { return s.mayCall(r, f) != nil })
}

// mayCall refuses a call that is illegal whatever the declarer holds.
func (s State) mayCall(r ruleset.Rules, f card.Face) error {
	switch {
	case s.Called != nil:
		return fmt.Errorf("R-CALL-1: %s has been called, there is one call in a deal", deck.Name(*s.Called))
	case !deck.TarokkDiscards.Has(f):
		return fmt.Errorf("R-CALL-5: %s cannot be called: only T2 to T20 can", deck.Name(f))
	case s.MustCall != nil && f != *s.MustCall:
		return fmt.Errorf("R-CALL-6: %s must be called, and not %s", deck.Name(*s.MustCall), deck.Name(f))
	case !s.mustProve(r, f):
		return nil
	case slices.Contains(s.Opened, f):
		return fmt.Errorf("R-CALL-4, AMB-07: %s lies face up in the declarer's discard and counts as his", deck.Name(f))
	case s.above(f).Len() > mostAbove:
		return fmt.Errorf("R-CALL-3: no hand has room for all tarokks from the XX down to above %s", deck.Name(f))
	}
	return nil
}

// mustProve reports whether a call rests on the declarer's hand (62.4.5): calling
// the XX never does, nor does a forced or a free call (C-XX, C-FORCED, C-FREE).
func (s State) mustProve(r ruleset.Rules, f card.Face) bool {
	return s.MustCall == nil && f != deck.XX && !s.freeCall(r)
}

// freeCall reports whether a tarokk in another player's discard frees the call
// (R-CALL-5).
func (s State) freeCall(r ruleset.Rules) bool {
	others := s.Tarokks
	others[s.Declarer] = 0
	return r.FreeCall == ruleset.FreeCallAny && others != [4]int{}
}

// above is M: the tarokks from the one above f to the XX that the declarer must
// hold to call f (R-CALL-3), without those that lie in his discard for all to
// see (R-CALL-4).
func (s State) above(f card.Face) card.Set {
	var m card.Set
	for g := f + 1; g <= deck.XX; g++ {
		m = m.With(g)
	}
	return m.Without(card.SetOf(s.Opened...))
}

// below states C-BELOW: f is the highest tarokk below the XX that is not the
// declarer's.
func (s State) below(f card.Face) []claim.Claim {
	lacks := claim.Every("C-BELOW", claim.Hand, deck.Not(card.SetOf(f)))
	m := s.above(f)
	if m.Len() == 0 {
		return []claim.Claim{lacks}
	}
	return []claim.Claim{claim.AtLeast("C-BELOW", m.Len(), claim.Hand, m), lacks}
}
