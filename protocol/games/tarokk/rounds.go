package tarokk

import (
	"errors"
	"slices"
)

// Rounds are the double rounds that run: the number of deals that each has left, the next to end first.
// No method changes it in place. A table begins with an empty list.
type Rounds []int

// maxRounds is a house rule: at most sixteen double rounds run at once, the last sixteen, so that
// payments stay numbers of ordinary size.
const maxRounds = 16

// Multiplier is 2 for each running double round (R-ROUND-2).
func (d Rounds) Multiplier() int { return 1 << len(d) }

// thrownIn is R-ROUND-3 by each value of OPT-THROWIN: the rounds after a deal that was thrown in while
// double rounds ran, at a table of so many members.
var thrownIn = map[ThrowIn]func(d Rounds, members int) Rounds{
	RoundsOverlap: func(d Rounds, members int) Rounds { return append(slices.Clone(d), members) },
	RoundsQueue:   func(d Rounds, members int) Rounds { return Rounds{d[0] + members} },
	RoundsQuad:    func(_ Rounds, members int) Rounds { return Rounds{members, members} },
}

// ThrownIn are the rounds after a deal that four passes or an annulment ended (R-ROUND-1, R-ROUND-3).
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

// AfterDeal are the rounds after a deal that was scored, which includes a lost trial (R-BID-17).
func (d Rounds) AfterDeal() Rounds {
	rest := Rounds{}
	for _, left := range d {
		if left > 1 {
			rest = append(rest, left-1)
		}
	}
	return rest
}

// Redeals reports whether the same dealer deals again after a deal was thrown in (R-DEAL-5). Without
// double rounds the deal passes on (OPT-THROWIN).
func Redeals(r RuleSet) bool { return r.ThrowIn != NoDoubleRound }

// SessionEnding is how far "the skíz deals, does not deal" has come, the procedure by which members end
// a session (R-SESS-1 to R-SESS-3). Its zero value is a session whose end nobody has declared.
//
// A turn is the time during which one member deals. It ends when the deal passes on, after one deal or
// after several that were thrown in.
type SessionEnding struct {
	Declared bool `json:"declared"`
	Observed bool `json:"observed"` // the holder of the skíz is known
	Left     int  `json:"left"`     // number of turns until the end, once Observed
}

// NoSkiz is the place of a skíz that nobody was seen to hold, because the deal was thrown in or was a
// lost trial.
const NoSkiz = -1

// DeclareEnd declares the end; there can be only one declaration at a time.
func (e SessionEnding) DeclareEnd() (SessionEnding, error) {
	if e.Declared {
		return e, errors.New("R-SESS-1: the end of the session has been declared before")
	}
	return SessionEnding{Declared: true}, nil
}

// EndTurn ends a dealer's turn at a table of so many members. skiz is the number of seats,
// counter-clockwise, from the dealer to the player who held the skíz after the exchange, or NoSkiz.
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

// LastDeal counts turns from the observed one, which is number 1: the turn in which the holder of the
// skíz deals, and the last, in which his left neighbour deals (R-SESS-2).
func LastDeal(members, skiz int) (skizDeals, last int) { return skiz + 1, skiz + members }
