package table

import (
	"maps"
	"slices"

	"github.com/pakli/pakli/protocol/wire"
)

// course is how a table/v2 has gone besides its messages (50.7, 50.9, 50.10). At a
// table/v1 it says nothing.
type course struct {
	holders  []string       // verifier keys of who holds the seats
	left     []string       // of who held one before
	over     Kind           // of the act that ended the table, if one did
	gone     *Seat          // because of which the table is stopped
	paused   bool           // whether clocks stand still
	wants    []string       // by seat: to what it would agree
	backs    []int          // by seat: how often it came back by itself
	seatActs []int          // by seat: acts in this deal
	acts     map[string]int // by key: acts of organiser and arbiters
	ended    []EndingAct
	attempts []Attempt
	began    rulesState // the rules' state at which the shuffle of the deal fell due
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
	Entry  wire.Hash `json:"entry"`
	Kind   Kind      `json:"kind"`             // timeout, resign, agree, reseat, close
	Seat   *Seat     `json:"seat,omitempty"`   // that has left, also before all others agreed; or is held by another from now on
	By     string    `json:"by,omitempty"`     // verifier key of organiser or arbiter
	Deal   int       `json:"deal,omitempty"`   // that was open and is undone
	Points []int     `json:"points,omitempty"` // by seat: the forfeit
	Reason wire.Text `json:"reason,omitempty"`
}

// IsAgreed reports whether all seats wanted it so.
func (e EndingAct) IsAgreed() bool { return e.Kind == wire.KindAgree && e.Seat == nil }

// Attempt is a message that broke a rule, and was counted and no more (50.10).
type Attempt struct {
	Entry wire.Hash `json:"entry"`
	Seat  Seat      `json:"seat"`
	Check Check     `json:"check"`
}

// maxAttempts is how many attempts of a seat are no foul.
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

// GoneSeat is the seat because of which the table is stopped; false if it is not.
func (c *course) GoneSeat() (Seat, bool) {
	if c.gone == nil {
		return 0, false
	}
	return *c.gone, true
}

// WantedBy is to what a seat would agree, as wire.AgreeBody has it.
func (c *course) WantedBy(seat Seat) string { return c.wants[seat] }

// IsPaused reports whether clocks stand still.
func (c *course) IsPaused() bool { return c.paused }

// HolderKey is the verifier key of who holds a seat now.
func (c *course) HolderKey(seat Seat) string { return c.holders[seat] }

// IsOver reports whether the table is over, by the rules or by an act.
func (s *State) IsOver() bool {
	_, over := s.Result()
	return over
}

// IsAdjudicated reports whether the table, or a deal of it, was ended by something else than
// its rules and the agreement of all seats.
func (c *course) IsAdjudicated() bool {
	return slices.ContainsFunc(c.ended, func(e EndingAct) bool {
		return !e.IsAgreed() && (e.Deal > 0 || e.Kind == wire.KindReseat || e.Kind == wire.KindClose || e.Kind == wire.KindAgree)
	})
}

// openDeal is the number of the deal that has begun and is not over, as people count
// deals: those that were undone have no number. 0: there is none.
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

// undoDeal puts the state back that the rules had when the open deal began, and begins
// another one (50.9). Acts are counted on: otherwise a seat could resign for ever.
func (s *State) undoDeal() error {
	if !s.putBack() {
		return nil
	}
	s.deal = deal{} // also where cards are minted and nothing is shuffled
	acts := s.seatActs
	err := s.enterPhase()
	s.seatActs = acts
	return err
}

// putBack is undoDeal, but begins no other deal. It reports whether one was open.
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

// Sheet is what the deals that are over have paid: all that is proved of a table,
// whatever becomes of it.
type Sheet struct {
	Deals    []Line      `json:"deals"`
	Rest     []int       `json:"rest,omitempty"` // by seat: what an end here would pay besides
	Forfeits []EndingAct `json:"forfeits,omitempty"`
}

// Line is one deal of a sheet.
type Line struct {
	Deal     int              `json:"deal"`
	Payments []int            `json:"payments"`          // by seat
	Tallies  map[string][]int `json:"tallies,omitempty"` // by seat: what is counted besides, like deals won
}

// Sheet is that of the deals that are over. A game that lists none pays nothing before it
// is over by its rules, and then all of it is the rest.
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

// upTo leaves out the deals after n, of which something is not checked (51.4.7), and then the rest.
func (s *Sheet) upTo(n int) {
	all := len(s.Deals)
	s.Deals = slices.DeleteFunc(slices.Clone(s.Deals), func(l Line) bool { return l.Deal > n })
	if len(s.Deals) < all {
		s.Rest = nil
	}
}

// SeatTally is the tallies of a game that a seat won or lost.
func SeatTally(seats int, seat Seat, won bool) map[string][]int {
	counts := make([]int, seats)
	counts[seat] = 1
	if won {
		return map[string][]int{"won": counts}
	}
	return map[string][]int{"lost": counts}
}

// UnpaidRest is what of a result these deals have not paid; nil if that is nothing.
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

// Sums adds a sheet up, by seat.
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
