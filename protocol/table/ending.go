package table

import (
	"maps"
	"slices"

	"github.com/pakli/pakli/protocol/wire"
)

// course is how a table/v2 has gone besides its messages (50.7, 50.9, 50.10). At a table/v1 only
// holders has a meaning.
type course struct {
	holders  []string       // by seat: the verifier key of its holder
	left     []string       // keys that held a seat before
	over     Kind           // of the act that ended the table; empty: none has
	gone     *Seat          // the seat that has left and so stopped the table; nil: none
	paused   bool           // whether clocks stand still
	wants    []string       // by seat: what it would agree to
	backs    []int          // by seat: how often it came back by itself
	seatActs []int          // by seat: acts in this deal
	acts     map[string]int // by key: acts of the organiser and arbiters
	ended    []EndingAct
	attempts []Attempt
	began    rulesState // the rules' state before the shuffle of the present deal
}

func newCourse(g *wire.Genesis) course {
	n := len(g.Seats)
	return course{holders: g.Seats, wants: make([]string, n), backs: make([]int, n), seatActs: make([]int, n), acts: map[string]int{}}
}

func (c course) clone() course {
	c.wants, c.backs, c.seatActs, c.acts = slices.Clone(c.wants), slices.Clone(c.backs), slices.Clone(c.seatActs), maps.Clone(c.acts)
	return c
}

// EndingAct is an act that has ended a deal, or the table.
type EndingAct struct {
	Entry wire.Hash `json:"entry"`
	Kind  Kind      `json:"kind"` // timeout, resign, agree, reseat, close
	// the seat that has left, or nil if all seats agreed; of a reseat the seat with a new holder
	Seat   *Seat     `json:"seat,omitempty"`
	By     string    `json:"by,omitempty"`     // verifier key of the organiser or arbiter
	Deal   int       `json:"deal,omitempty"`   // the open deal, which is undone
	Points []int     `json:"points,omitempty"` // by seat: the forfeit
	Reason wire.Text `json:"reason,omitempty"`
}

// IsAgreed reports whether all seats have agreed to the end.
func (e EndingAct) IsAgreed() bool { return e.Kind == wire.KindAgree && e.Seat == nil }

// Attempt is a message that broke a rule and was only counted (50.10).
type Attempt struct {
	Entry wire.Hash `json:"entry"`
	Seat  Seat      `json:"seat"`
	Check Check     `json:"check"`
}

// maxAttempts is how many attempts a seat has before a broken rule is a foul.
const maxAttempts = 2

func (c *course) addEnding(e EndingAct) { c.ended = append(slices.Clip(c.ended), e) }

// EndingActs lists the acts that ended a deal or the table, in order.
func (c *course) EndingActs() []EndingAct { return c.ended }

// Attempts lists the attempts, in order.
func (c *course) Attempts() []Attempt { return c.attempts }

func (c *course) countAttempts(seat Seat) (n int) {
	for _, a := range c.attempts {
		if a.Seat == seat {
			n++
		}
	}
	return n
}

// GoneSeat returns the seat that has left and so stopped the table; false if none has.
func (c *course) GoneSeat() (Seat, bool) {
	if c.gone == nil {
		return 0, false
	}
	return *c.gone, true
}

// WantedBy returns what a seat would agree to, as in wire.AgreeBody.
func (c *course) WantedBy(seat Seat) string { return c.wants[seat] }

// IsPaused reports whether the table is paused, so that its clock stands still.
func (c *course) IsPaused() bool { return c.paused }

// HolderKey returns the verifier key of a seat's present holder.
func (c *course) HolderKey(seat Seat) string { return c.holders[seat] }

// IsOver reports whether the table is over, by the rules or by an act.
func (s *State) IsOver() bool {
	_, over := s.Result()
	return over
}

// IsAdjudicated reports whether the table, or a deal of it, was ended by anything but its rules or
// the agreement of all seats.
func (c *course) IsAdjudicated() bool {
	return slices.ContainsFunc(c.ended, func(e EndingAct) bool {
		return !e.IsAgreed() && (e.Deal > 0 || e.Kind == wire.KindReseat || e.Kind == wire.KindClose || e.Kind == wire.KindAgree)
	})
}

// openDeal returns the number of the deal that has begun and is not over, counted without the deals
// that were undone; 0 if there is none.
func (s *State) openDeal() int {
	if s.began == nil {
		return 0
	}
	before, lists := s.game.sheet(s.began)
	now, _ := s.game.sheet(s.rules)
	switch {
	case len(now.Deals) > len(before.Deals), !lists && len(s.phase.duties) == 0:
		return 0
	case !lists:
		return s.Deal()
	}
	return len(now.Deals) + 1
}

// undoDeal restores the rules' state from before the open deal, and begins another deal (50.9). The
// count of acts goes on: otherwise a seat could resign for ever.
func (s *State) undoDeal() error {
	if !s.putBack() {
		return nil
	}
	s.deal = deal{} // needed if cards are minted and nothing is shuffled
	acts := s.seatActs
	err := s.enterPhase()
	s.seatActs = acts
	return err
}

// putBack restores the rules' state from before the open deal. It reports whether a deal was open.
func (s *State) putBack() (open bool) {
	if open = s.openDeal() > 0; open {
		s.rules = s.began
	}
	return open
}

func (s *State) closeTable(e EndingAct) {
	s.over, s.gone, s.paused = e.Kind, nil, false
	s.addEnding(e)
	s.putBack()
}

// Sheet is what the finished deals have paid: all that is proved of a table, whatever becomes of
// it.
type Sheet struct {
	Deals    []Line      `json:"deals"`
	Rest     []int       `json:"rest,omitempty"` // by seat: what an end now would pay besides
	Forfeits []EndingAct `json:"forfeits,omitempty"`
}

// Line is one deal of a sheet.
type Line struct {
	Deal     int              `json:"deal"`
	Payments []int            `json:"payments"`          // by seat
	Tallies  map[string][]int `json:"tallies,omitempty"` // by seat: further counts, such as deals won
}

// Sheet returns the sheet of the finished deals. A game that lists no deals pays nothing before its
// rules end the table; then all of its result is the rest.
func (s *State) Sheet() Sheet {
	before := *s
	open := before.putBack()
	sheet, lists := s.game.sheet(before.rules)
	if !lists && !open && s.deals > 0 {
		sheet.Rest = s.game.result(s.rules)
	}
	if s.Defers() {
		sheet.upTo(s.LastCheckedDeal())
	}
	for _, e := range s.ended {
		if e.Points != nil {
			sheet.Forfeits = append(sheet.Forfeits, e)
		}
	}
	return sheet
}

// upTo leaves out the deals after n, which are not all checked (51.4.7), and in that case the rest.
func (s *Sheet) upTo(n int) {
	all := len(s.Deals)
	s.Deals = slices.DeleteFunc(slices.Clone(s.Deals), func(l Line) bool { return l.Deal > n })
	if len(s.Deals) < all {
		s.Rest = nil
	}
}

// SeatTally returns the tallies of a deal that a seat won or lost.
func SeatTally(seats int, seat Seat, won bool) map[string][]int {
	counts := make([]int, seats)
	counts[seat] = 1
	if won {
		return map[string][]int{"won": counts}
	}
	return map[string][]int{"lost": counts}
}

// UnpaidRest returns the part of a result that these deals have not paid, or nil if there is none.
func UnpaidRest(result []int, deals []Line) []int {
	rest := slices.Clone(result)
	for i, n := range (Sheet{Deals: deals}).Sums(len(result)) {
		rest[i] -= n
	}
	if !slices.ContainsFunc(rest, func(n int) bool { return n != 0 }) {
		return nil
	}
	return rest
}

// Sums returns the sums of a sheet, by seat.
func (s Sheet) Sums(seats int) []int {
	sums := make([]int, seats)
	add := func(points []int) {
		for i, n := range points {
			sums[i] += n
		}
	}
	for _, l := range s.Deals {
		add(l.Payments)
	}
	add(s.Rest)
	for _, e := range s.Forfeits {
		add(e.Points)
	}
	return sums
}
