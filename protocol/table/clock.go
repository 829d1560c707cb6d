package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// Checks of a claim that a seat is late (52.4). A claim that fails one is void.
const (
	CheckOwed  Check = "C2-owed"  // the seat owes a duty since the entry of the last span
	CheckSpans Check = "C3-spans" // the other spans are duties that the seat has discharged in this deal, in order
	CheckTimes Check = "C4-times" // marks lie between the entries of a span, a quorum of keepers in both
	CheckOver  Check = "C5-over"  // the time exceeds a limit
	CheckGrace Check = "C6-grace" // the seat has had time to see the head
	// a quorum of keepers holds no message of the seat, if the clock asks keepers
	CheckSilence Check = "C7-silence"
)

// ClockChecks lists the checks of a claim in the order in which they are made.
func ClockChecks() []Check {
	return []Check{CheckClock, CheckOwed, CheckSpans, CheckTimes, CheckOver, CheckGrace, CheckSilence, CheckBranch}
}

// Marks returns a good mark of the log by the hash of its entry. The error is keeper.ErrNoMark if
// the log has no such mark. Any other error means that this is not known, so the claim cannot be
// checked.
type Marks func(mark wire.Hash) (keeper.Mark, error)

// ErrUntimed says that a claim cannot be checked because a mark that it names is not at hand. It
// does not say that the claim is void.
var ErrUntimed = errors.New("a mark is not at hand")

// Place is an applied entry at its index in the log.
type Place struct {
	Entry wire.Hash
	Index uint64
}

// Interval is the time of a duty: from the entry since which it was owed to the message that
// discharged it.
type Interval struct{ Since, Done Place }

// runningClock is what the clock of a table measures in the present deal. It is immutable, and zero
// at a table without a clock.
type runningClock struct {
	head  Place
	owed  []owedDuty
	spent [][]Interval // by seat, in the order of the log
}

// owedDuty is a duty and the entry since which it is owed (80.2.2).
type owedDuty struct {
	duty  Duty
	since Place
}

// newClock returns the clock of a table whose head is at: all duties are owed since then.
func newClock(duties []Duty, at Place, spent [][]Interval) runningClock {
	r := runningClock{head: at, spent: spent}
	for _, d := range duties {
		r.owed = append(r.owed, owedDuty{d, at})
	}
	return r
}

// clockAfter returns the clock after the entry at, when duties are owed. If m is not nil, it has
// discharged a duty of its seat, and has used no time if the table was paused or the seat was not
// awaited.
func (r runningClock) clockAfter(duties []Duty, at Place, m *wire.Message, paused bool) runningClock {
	done := func(o owedDuty) bool { return m != nil && o.duty.Kind == m.Kind && o.duty.Owes(Seat(m.Seat)) }
	n := runningClock{head: at, spent: slices.Clone(r.spent)}
	if i := slices.IndexFunc(r.owed, done); i >= 0 {
		since := r.owed[i].since
		if paused || !r.owed[i].duty.Awaits(Seat(m.Seat)) {
			since = at
		}
		n.spent[m.Seat] = append(slices.Clip(n.spent[m.Seat]), Interval{since, at})
	}
	for _, d := range duties {
		since := at
		if i := slices.IndexFunc(r.owed, func(o owedDuty) bool { return !done(o) && o.duty.Equal(d) }); i >= 0 {
			since = r.owed[i].since
		}
		n.owed = append(n.owed, owedDuty{d, since})
	}
	return n
}

// clockAt returns the clock with the head at an index of the log.
func (r runningClock) clockAt(index uint64) runningClock {
	moved := func(p *Place) {
		if p.Entry == r.head.Entry {
			p.Index = index
		}
	}
	r.owed, r.spent = slices.Clone(r.owed), slices.Clone(r.spent)
	for i := range r.owed {
		moved(&r.owed[i].since)
	}
	for i, list := range r.spent {
		if n := len(list); n > 0 && list[n-1].Done.Entry == r.head.Entry {
			r.spent[i] = slices.Clone(list)
			moved(&r.spent[i][n-1].Since)
			moved(&r.spent[i][n-1].Done)
		}
	}
	r.head.Index = index
	return r
}

// AtIndex returns the table with its head at an index of the log. A caller that applies an entry
// before the log has it calls AtIndex afterwards. Without a clock AtIndex returns s.
func (s *State) AtIndex(index uint64) *State {
	if s.genesis.Clock.IsNone() {
		return s
	}
	t := *s
	t.runningClock = s.clockAt(index)
	return &t
}

// Keepers are keepers of a clock whose word counts: all of them, or those that somebody believes.
type Keepers struct {
	Keys  []string // verifier keys of the times that count
	Lines []string // for each of Keys, the key of its lines (package keeper); empty: silence is not asked for
}

// Keepers returns all keepers of the table's clock.
func (o *opening) Keepers() Keepers {
	return Keepers{o.genesis.Clock.Keepers, o.genesis.Clock.Lines}
}

// claim is a claim being checked that a seat is late. The embedded State is the table it is about.
type claim struct {
	*State
	*wire.TimeoutBody
	index   uint64 // of the claim in the log
	keepers Keepers
	marks   Marks
}

// CheckLate checks the claim b that a seat is late, in an act at an index of the log, by the
// keepers k. It returns nil if the seat is late. Otherwise the error is a void *Fault, or it wraps
// ErrUntimed if a mark is not at hand.
func (s *State) CheckLate(b *wire.TimeoutBody, index uint64, k Keepers, marks Marks) error {
	c := &claim{s, b, index, k, marks}
	allowed, err := c.allowedSeconds()
	if err != nil {
		return err
	}
	if err := c.checkGrace(); err != nil {
		return err
	}
	if err := c.checkSilence(allowed); err != nil {
		return err
	}
	if s.IsAstray(Seat(b.Seat)) {
		return newVoid(CheckBranch, "%s has answered on a branch of the table that the log has put beside its history", s.seatText(Seat(b.Seat)))
	}
	return nil
}

// checkTicking checks that the table has a clock and that it runs.
func (s *State) checkTicking() error {
	switch {
	case s.genesis.Clock.IsNone():
		return newVoid(CheckClock, "the table has no clock")
	case s.paused || s.gone != nil:
		return newVoid(CheckClock, "the clock stands still: the table is paused or stopped")
	}
	return nil
}

// allowedSeconds makes the checks C1 to C5 and returns how many seconds the seat had for the duty
// that it owes now.
func (c *claim) allowedSeconds() (int64, error) {
	seat, last := Seat(c.Seat), c.Spans[len(c.Spans)-1]
	if err := c.checkTicking(); err != nil {
		return 0, err
	}
	if c.Seat >= len(c.seats) {
		return 0, newVoid(CheckOwed, "there is no seat %s, the table has %d", seat.Letter(), len(c.seats))
	}
	owing := slices.IndexFunc(c.owed, func(o owedDuty) bool { return o.duty.Awaits(seat) && o.since.Entry == last.Since })
	if owing < 0 {
		return 0, newVoid(CheckOwed, "%s owes nothing since entry %s", c.seatText(seat), last.Since)
	}
	spans, err := c.claimedSpans()
	if err != nil {
		return 0, err
	}
	spans = append(spans, Interval{c.owed[owing].since, Place{Index: c.index}})
	used, err := c.usedSeconds(spans)
	if err != nil {
		return 0, err
	}
	return c.checkLimits(used)
}

// Timing returns what the clock measures of a seat: head is the last applied entry, owed are the
// entries since which the seat owes something, and spent are the duties that it has discharged in
// this deal. All are zero without a clock.
func (r runningClock) Timing(seat Seat) (head Place, owed []Place, spent []Interval) {
	if r.spent == nil {
		return head, nil, nil
	}
	for _, o := range r.owed {
		if o.duty.Awaits(seat) {
			owed = append(owed, o.since)
		}
	}
	return r.head, owed, r.spent[seat]
}

// Limits returns the seconds that a seat has for one duty, and for all duties of the present deal;
// 0 means no limit.
func (s *State) Limits(seat Seat) (duty, deal int64) {
	c := s.genesis.Clock
	if s.deals == 0 {
		return int64(c.Start), 0
	}
	if c.Bank > 0 {
		deal = int64(c.Bank) + int64(c.Increment)*int64(len(s.spent[seat]))
	}
	return int64(c.Move), deal
}

// claimedSpans finds the discharged duties that a claim names, in the order of the log.
func (c *claim) claimedSpans() (list []Interval, err error) {
	rest := c.spent[c.Seat]
	for _, span := range c.Spans[:len(c.Spans)-1] {
		i := slices.IndexFunc(rest, func(s Interval) bool { return s.Since.Entry == span.Since && s.Done.Entry.String() == span.Done })
		if i < 0 {
			return nil, newVoid(CheckSpans, "the seat did not discharge a duty since entry %s by entry %s in this deal, or it is not in the order of the log, or there twice", span.Since, span.Done)
		}
		list, rest = append(list, rest[i]), rest[i+1:]
	}
	return list, nil
}

// elapsedSeconds is keeper.ElapsedSeconds of two marks, and checks that a quorum is in both.
func (c *claim) elapsedSeconds(from, to keeper.Mark) (int64, error) {
	seconds, signed := keeper.ElapsedSeconds(from, to, c.keepers.Keys)
	if quorum := c.genesis.Clock.Quorum; signed < quorum {
		return 0, newVoid(CheckTimes, "%d keepers are in both marks, %d must be", signed, quorum)
	}
	return seconds, nil
}

// findMark finds a mark. A mark that the log does not have before the claim makes the claim void.
func (c *claim) findMark(check Check, hash wire.Hash) (keeper.Mark, error) {
	if c.marks == nil {
		return keeper.Mark{}, ErrUntimed
	}
	m, err := c.marks(hash)
	switch {
	case errors.Is(err, keeper.ErrNoMark), err == nil && m.Index >= c.index: // a bundle also shows later marks
		return m, newVoid(check, "before the claim: %w", cmp.Or(err, keeper.ErrNoMark))
	case err != nil:
		return m, fmt.Errorf("%w: %w", ErrUntimed, err)
	}
	return m, nil
}

// claimTimeout applies a claim: the seat is late, and the table stops.
func (a *act) claimTimeout(f Facts) error {
	var body wire.TimeoutBody
	if err := wire.DecodeAct(a.Body, &body); err != nil {
		return err
	}
	seat := Seat(body.Seat)
	if a.seated && a.seat == seat {
		return newVoid(CheckEntitled, "a seat does not claim that it is late itself")
	}
	index := cmp.Or(f.Index, math.MaxUint64) // not in the log yet: after all its entries
	if err := a.CheckLate(&body, index, a.Keepers(), f.Marks); err != nil {
		return err
	}
	a.noteLeft(seat)
	a.next.setGone(&seat)
	return nil
}

// usedSeconds measures the spans of a claim. If a seat owes two duties at one time, the later one
// counts from when the first was discharged, so that no second counts twice.
func (c *claim) usedSeconds(spans []Interval) (used []int64, err error) {
	begun := uint64(0)
	for i, span := range c.Spans {
		from, err := c.findMark(CheckTimes, span.From)
		if err != nil {
			return nil, err
		}
		to, err := c.findMark(CheckTimes, span.To)
		if err != nil {
			return nil, err
		}
		switch begun = max(begun, spans[i].Since.Index); {
		case !from.Covers(begun):
			return nil, newVoid(CheckTimes, "span %d: its first mark is of %d entries, and must cover entry %d", i+1, from.Size, begun)
		case to.Index >= spans[i].Done.Index:
			return nil, newVoid(CheckTimes, "span %d: its last mark is at index %d, and must come before entry %d", i+1, to.Index, spans[i].Done.Index)
		}
		seconds, err := c.elapsedSeconds(from, to)
		if err != nil {
			return nil, err
		}
		used, begun = append(used, seconds), spans[i].Done.Index
	}
	return used, nil
}

// checkLimits compares the measured seconds with the limits. It returns how many seconds the seat
// had for the duty that it owes now.
func (c *claim) checkLimits(used []int64) (allowed int64, err error) {
	now, before := used[len(used)-1], int64(0)
	for _, seconds := range used[:len(used)-1] {
		before += seconds
	}
	duty, deal := c.Limits(Seat(c.Seat))
	allowed = math.MaxInt64
	if duty > 0 {
		allowed = duty
	}
	if deal > 0 {
		allowed = min(allowed, max(deal-before, 0))
	}
	if now > allowed || deal > 0 && before+now > deal {
		return allowed, nil
	}
	return 0, newVoid(CheckOver, "%d seconds for this duty and %d in this deal are proved, and the limits are %d and %d, of which 0 is none", now, before+now, duty, deal)
}

// checkGrace checks that the seat has had time to sign on the head: another seat's message may have
// moved the head while the seat's time ran.
func (c *claim) checkGrace() error {
	grace, head := int64(c.genesis.Clock.Grace), c.runningClock.head
	seen, err := c.findMark(CheckGrace, c.Seen)
	if err != nil || grace == 0 {
		return err
	}
	if !seen.Covers(head.Index) {
		return newVoid(CheckGrace, "the mark that has seen the head is of %d entries, and must cover entry %d", seen.Size, head.Index)
	}
	to, err := c.findMark(CheckGrace, c.Spans[len(c.Spans)-1].To)
	if err != nil {
		return err
	}
	seconds, err := c.elapsedSeconds(seen, to)
	if err == nil && seconds <= grace {
		err = newVoid(CheckGrace, "%d seconds are proved since the head, and the grace is %d", seconds, grace)
	}
	return err
}

// checkSilence checks the lines of a claim: a quorum of the keepers must have said that they hold
// no message of the seat on the head. Each must have said so later, by its own clock, than its time
// in the last mark From plus the seconds allowed. One second counts less, as between marks.
func (c *claim) checkSilence(allowed int64) error {
	if len(c.keepers.Lines) == 0 {
		return nil
	}
	from, err := c.findMark(CheckSilence, c.Spans[len(c.Spans)-1].From)
	if err != nil {
		return err
	}
	at := keeper.Place{Table: c.id, Parent: c.State.head, Seat: c.Seat}
	silent, quorum := 0, c.genesis.Clock.Quorum
	for i, vkey := range c.keepers.Lines {
		began, signed := from.Time(c.keepers.Keys[i])
		if signed && slices.ContainsFunc(c.Silence, func(line []byte) bool {
			said, err := keeper.VerifySilence(vkey, line, at)
			return err == nil && said-began-1 > allowed
		}) {
			silent++
		}
	}
	if silent < quorum {
		return newVoid(CheckSilence, "%d keepers have said in time that they hold no message of seat %s on entry %s, %d must have", silent, Seat(at.Seat).Letter(), at.Parent, quorum)
	}
	return nil
}

// IsInTime reports whether a keeper held something at the time at, by its own clock, before the
// seat of an applied claim had used up its allowed seconds, counted from the claim's last mark
// From. If so, the seat was in time as far as this keeper knows. The claim must have passed
// CheckLate at index.
func (s *State) IsInTime(b *wire.TimeoutBody, index uint64, vkey string, at int64, marks Marks) bool {
	c := &claim{s, b, index, s.Keepers(), marks}
	allowed, err := c.allowedSeconds()
	if err != nil {
		return false
	}
	from, err := c.findMark(CheckTimes, b.Spans[len(b.Spans)-1].From)
	if err != nil {
		return false
	}
	began, signed := from.Time(vkey)
	return signed && at-began-1 <= allowed
}
