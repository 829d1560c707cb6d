package tarokk

import (
	"errors"
	"slices"
)

// Rounds are the running double rounds: how many deals each has left, the next
// to end first. It is a value: its methods change nothing in place. A table
// begins with an empty list.
type Rounds []int

// maxRounds is the house rule that at most sixteen double rounds run at once, so
// that what is paid stays a number of ordinary size. Of more, the last sixteen
// run.
const maxRounds = 16

// Multiplier is 2 for each running double round (R-ROUND-2).
func (d Rounds) Multiplier() int { return 1 << len(d) }

// thrownIn is R-ROUND-3 as OPT-THROWIN has it: what runs after a deal that was
// thrown in while double rounds ran, at a table of so many members.
var thrownIn = map[ThrowIn]func(d Rounds, members int) Rounds{
	RoundsOverlap: func(d Rounds, members int) Rounds { return append(slices.Clone(d), members) },
	RoundsQueue:   func(d Rounds, members int) Rounds { return Rounds{d[0] + members} },
	RoundsQuad:    func(_ Rounds, members int) Rounds { return Rounds{members, members} },
}

// ThrownIn is the list after a deal that four passes or an annulment ended
// (R-ROUND-1, R-ROUND-3).
func (d Rounds) ThrownIn(r RuleSet, members int) Rounds {
	switch {
	case !Redeals(r):
		return d
	case len(d) == 0:
		return Rounds{members}
	}
	all := thrownIn[r.ThrowIn](d, members)
	return all[max(0, len(all)-maxRounds):]
}

// AfterDeal is the list after a deal that was scored, a lost trial too
// (R-BID-17).
func (d Rounds) AfterDeal() Rounds {
	rest := Rounds{}
	for _, left := range d {
		if left > 1 {
			rest = append(rest, left-1)
		}
	}
	return rest
}

// Redeals reports whether after a thrown-in deal the same dealer deals again
// (R-DEAL-5). Without double rounds the deal passes on (OPT-THROWIN).
func Redeals(r RuleSet) bool { return r.ThrowIn != NoDoubleRound }

// SessionEnding is how far "the skíz deals, does not deal" has come, by which members
// end a session (R-SESS-1 to R-SESS-3). Its zero value is a session whose end
// nobody has declared.
//
// A turn is the time that one member deals: it ends when the deal passes on, whether
// after one deal or after some that were thrown in.
type SessionEnding struct {
	Declared bool `json:"declared"`
	Observed bool `json:"observed"` // it is known who has the skíz
	Left     int  `json:"left"`     // turns until the end, once Observed
}

// NoSkiz is the place of a skíz that nobody was seen to hold: the deal was
// thrown in, or a lost trial.
const NoSkiz = -1

// DeclareEnd announces the end; only one declaration can run.
func (e SessionEnding) DeclareEnd() (SessionEnding, error) {
	if e.Declared {
		return e, errors.New("R-SESS-1: the end of the session has been declared before")
	}
	return SessionEnding{Declared: true}, nil
}

// EndTurn ends a dealer's turn at a table of so many members. skiz is how many
// seats counter-clockwise from the dealer the player sat who held the skíz after
// the exchange, or NoSkiz.
func (e SessionEnding) EndTurn(members, skiz int) SessionEnding {
	switch {
	case e.Observed:
		e.Left--
	case e.Declared && skiz != NoSkiz:
		_, last := LastDeal(members, skiz)
		e.Observed, e.Left = true, last-1
	}
	return e
}

// IsOver reports whether the last dealer's turn has ended.
func (e SessionEnding) IsOver() bool { return e.Observed && e.Left == 0 }

// LastDeal counts the turns from the observed one, which is number 1: when the
// holder of the skíz deals, and when his left neighbour deals last (R-SESS-2).
func LastDeal(members, skiz int) (skizDeals, last int) { return skiz + 1, skiz + members }
