package sitting

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// ClockTeller reports how the clocks of a table run down, also between two marks.
type ClockTeller struct {
	Say  func(text string)
	Own  table.Seat // NoSeat for an onlooker
	Name func(table.Seat) string

	language scene.Language
	price    string // consequence of being late

	mu     sync.Mutex
	head   wire.Hash
	told   map[table.Seat]int64 // the fewest seconds that were reported on this head
	clocks []timing.Clock
	since  time.Time // time of clocks
	next   *time.Timer
}

// NoSeat is the seat of an onlooker.
const NoSeat table.Seat = wire.MaxSeats

// steps are the seconds at which a clock is reported again; below 0 a seat is late.
var steps = map[bool][]int64{true: {60, 30, 10, -1}, false: {30, -1}}

// NewClockTeller returns a teller of a table's clocks in a language.
func NewClockTeller(lang string, s *table.State, own table.Seat, say func(string)) *ClockTeller {
	l := scene.LanguageOrEnglish(lang)
	price := l.Say("clock.price.undo")
	if ends := s.Genesis().Ends; ends.Late == wire.LateForfeit {
		price = l.Say("clock.price.forfeit", "n", ends.Forfeit)
	}
	return &ClockTeller{Say: say, Own: own, Name: func(seat table.Seat) string { return plain.Isolate(plain.Text(s.SeatName(seat))) }, language: l, price: price, told: map[table.Seat]int64{}}
}

// Take sets the clocks at a head of the table.
func (t *ClockTeller) Take(head wire.Hash, clocks []timing.Clock) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if head != t.head {
		t.head, t.told = head, map[table.Seat]int64{}
	}
	t.clocks, t.since = clocks, time.Now()
	t.tellDue()
}

// Stop forgets the clocks, since the table has moved on.
func (t *ClockTeller) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clocks = nil
	if t.next != nil {
		t.next.Stop()
	}
}

// secondsLeft returns how many seconds a seat has now.
func (t *ClockTeller) secondsLeft(c timing.Clock) int64 {
	return c.Left - int64(time.Since(t.since)/time.Second)
}

// tellDue reports what is due, and schedules the next report.
func (t *ClockTeller) tellDue() {
	if t.next != nil {
		t.next.Stop()
	}
	soon := int64(math.MaxInt64)
	for _, c := range t.clocks {
		if !c.Limited {
			continue
		}
		own, left := c.Seat == t.Own, t.secondsLeft(c)
		last, before := t.told[c.Seat]
		due, said := !before && own, left
		for _, step := range steps[own] {
			if left > step {
				soon = min(soon, left-step)
			} else if !before || last > step {
				due, said = true, min(said, step)
			}
		}
		if due {
			t.told[c.Seat] = said
			t.Say(t.text(c.Seat, left))
		}
	}
	if soon < math.MaxInt64 {
		t.next = time.AfterFunc(time.Duration(soon)*time.Second, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.tellDue()
		})
	}
}

// text returns how much time a seat has left, or the consequence of having none.
func (t *ClockTeller) text(seat table.Seat, left int64) string {
	switch {
	case seat == t.Own && left < 0:
		return t.language.Say("clock.over") + " " + t.price
	case seat == t.Own:
		return t.language.Say("clock.left", "n", left)
	case left < 0:
		return t.language.Say("clock.other.over", "seat", t.Name(seat))
	}
	return t.language.Say("clock.other", "seat", t.Name(seat), "n", left)
}

// Line returns how much time the awaited seats have, or "" if none is known.
func (t *ClockTeller) Line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for _, c := range t.clocks {
		if c.Limited {
			left := max(t.secondsLeft(c), 0)
			list = append(list, fmt.Sprintf("%s %d:%02d", t.Name(c.Seat), left/60, left%60))
		}
	}
	if list == nil {
		return ""
	}
	return t.language.Say("clock.line", "seats", strings.Join(list, ", "))
}
