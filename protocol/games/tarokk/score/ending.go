package score

import "errors"

// Ending is how far "the skíz deals, does not deal" has come, by which members
// end a session (R-SESS-1 to R-SESS-3). Its zero value is a session whose end
// nobody has declared.
//
// A turn is the time that one member deals: it ends when the deal passes on, whether
// after one deal or after some that were thrown in.
type Ending struct {
	Declared bool `json:"declared"`
	Observed bool `json:"observed"` // it is known who has the skíz
	Left     int  `json:"left"`     // turns until the end, once Observed
}

// NoSkiz is the place of a skíz that nobody was seen to hold: the deal was
// thrown in, or a lost trial.
const NoSkiz = -1

// Declare announces the end; only one declaration can run.
func (e Ending) Declare() (Ending, error) {
	if e.Declared {
		return e, errors.New("R-SESS-1: the end of the session has been declared before")
	}
	return Ending{Declared: true}, nil
}

// Turn ends a dealer's turn at a table of so many members. skiz is how many
// seats counter-clockwise from the dealer the player sat who held the skíz after
// the exchange, or NoSkiz.
func (e Ending) Turn(members, skiz int) Ending {
	switch {
	case e.Observed:
		e.Left--
	case e.Declared && skiz != NoSkiz:
		_, last := LastDeal(members, skiz)
		e.Observed, e.Left = true, last-1
	}
	return e
}

// Over reports whether the last dealer's turn has ended.
func (e Ending) Over() bool { return e.Observed && e.Left == 0 }

// LastDeal counts the turns from the observed one, which is number 1: when the
// holder of the skíz deals, and when his left neighbour deals last (R-SESS-2).
func LastDeal(members, skiz int) (skizDeals, last int) { return skiz + 1, skiz + members }
