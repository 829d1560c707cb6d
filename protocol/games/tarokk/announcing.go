package tarokk

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// beginAnnouncing begins the announcements (R-ANC-1).
func (s State) beginAnnouncing() State {
	o := s.Deal.Outcome
	a := NewAnnouncements(PublicFacts{
		Declarer: o.Declarer, MustCall: o.MustCall, Partner: o.Partner, Ultimo: o.Ultimo,
		Tarokks: s.Deal.tarokksDiscarded(), Opened: s.Deal.openOf(o.Declarer).Faces(),
	})
	s.Deal.Announce, s.Stage = &a, Announcing
	return s
}

// announcing waits for a turn of the announcements. Under OPT-DISC-ANNOUNCE a player's first turn also
// says what he discarded.
type announcing struct{ State }

func (a announcing) awaitedSeats() []table.Seat {
	p, _ := a.Deal.Announce.Speaker()
	return a.Deal.seatsOf(p)
}

func (a announcing) applyMove(p int, m Move) (State, table.Terms, error) {
	say, talk := *m.Say, *a.Deal.Announce
	var told table.Terms
	switch due := !a.Deal.Discards[p].Said; {
	case say.Turn == nil:
		return a.State, table.Terms{}, fmt.Errorf("R-ANC-2: the turn is missing")
	case due != (say.Discards != nil):
		return a.State, table.Terms{}, fmt.Errorf("OPT-DISC-ANNOUNCE: discards are disclosed in the first turn and in no other")
	case due:
		var err error
		if a.State, told, err = (disclosing{a.State}).applyDisclosure(p, *say.Discards); err != nil {
			return a.State, table.Terms{}, err
		}
		talk.PublicFacts.Tarokks = a.Deal.tarokksDiscarded()
		talk.PublicFacts.Opened = a.Deal.openOf(a.Deal.Outcome.Declarer).Faces()
	}
	talk, claims, err := talk.TakeTurn(a.Rules, p, say.Turn)
	if err != nil {
		return a.State, table.Terms{}, err
	}
	a.Deal.Announce = &talk
	terms := a.Deal.claimTerms(p, claims)
	terms.Open, terms.Prove = told.Open, slices.Concat(told.Prove, terms.Prove)
	if _, over := talk.Speaker(); over {
		a.Stage = Playing
	}
	return a.State, terms, nil
}

// possibleMoves are turns of one statement, or of a contra and a statement, each with and without the
// hand's count before it; and the pass.
func (a announcing) possibleMoves(p int, v table.View) []Move {
	talk, discards := *a.Deal.Announce, a.dueDisclosure(p, v)
	if discards != nil {
		talk.PublicFacts.Tarokks[p] = len(discards.Tarokks)
	}
	var turns [][]string
	for _, opening := range a.turnOpenings(talk, p, v) {
		turns = append(turns, opening)
		for _, first := range talk.NextStatements(a.Rules, p) {
			turns = append(turns, slices.Concat(opening, []string{first}))
			for _, second := range talk.NextStatements(a.Rules, p, slices.Concat(opening, []string{first})...) {
				turns = append(turns, slices.Concat(opening, []string{first, second}))
			}
		}
	}
	return movesFrom(turns, func(m *Move, turn []string) { m.Say = &Speech{Turn: turn, Discards: discards} })
}

// dueDisclosure is what the turn of p must say about the discards; nil if nothing.
func (a announcing) dueDisclosure(p int, v table.View) *Disclosure {
	if a.Deal.Discards[p].Said {
		return nil
	}
	d := disclosing{a.State}.trueDisclosure(p, v)
	return &d
}

// turnOpenings are the possible beginnings of a turn: nothing or the count, then the declarer's call.
func (a announcing) turnOpenings(talk Announcements, p int, v table.View) [][]string {
	counts := [][]string{{}}
	if n := shared.CommonFaces(facesAt(v.Faces, a.Deal.CardsAt(p, a.Deal.Held[p])), Tarokks).Len(); n >= handSize-1 {
		counts = append(counts, []string{countStatement(n)})
	}
	if p != talk.Declarer || talk.Called != nil {
		return counts
	}
	return withCalls(counts, talk.CallableTarokks(a.Rules))
}

// withCalls are all the beginnings, with each of the calls appended.
func withCalls(beginnings [][]string, calls []card.Face) (list [][]string) {
	for _, b := range beginnings {
		for _, f := range calls {
			list = append(list, slices.Concat(b, []string{"call:" + FaceName(f)}))
		}
	}
	return list
}

// countStatement is the statement that announces a count of n.
func countStatement(n int) string { return fmt.Sprintf("count:%d", n) }
