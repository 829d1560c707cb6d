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

// ClockTeller tells how the clocks of a table run down, between what marks show of them too.
type ClockTeller struct {
	Say  func(text string)
	Own  table.Seat // NoSeat: of an onlooker
	Name func(table.Seat) string

	language scene.Language
	price    string // what being late costs

	mu     sync.Mutex
	head   wire.Hash
	told   map[table.Seat]int64 // the fewest seconds that were told on this head
	clocks []timing.Clock
	since  time.Time // when they were so
	next   *time.Timer
}

// NoSeat is whose clock an onlooker has.
const NoSeat table.Seat = wire.MaxSeats

// steps are at how many seconds somebody is told again; below 0 a seat is late.
var steps = map[bool][]int64{true: {60, 30, 10, -1}, false: {30, -1}}

// NewClockTeller tells of a table's clocks in a language.
func NewClockTeller(lang string, s *table.State, own table.Seat, say func(string)) *ClockTeller {
	l := scene.LanguageOrEnglish(lang)
	price := l.Say("clock.price.undo")
	if ends := s.Genesis().Ends; ends.Late == wire.LateForfeit {
		price = l.Say("clock.price.forfeit", "n", ends.Forfeit)
	}
	return &ClockTeller{Say: say, Own: own, Name: func(seat table.Seat) string { return plain.Isolate(plain.Text(s.SeatName(seat))) }, language: l, price: price, told: map[table.Seat]int64{}}
}

// Take takes how the clocks are at a head of the table.
func (t *ClockTeller) Take(head wire.Hash, clocks []timing.Clock) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if head != t.head {
		t.head, t.told = head, map[table.Seat]int64{}
	}
	t.clocks, t.since = clocks, time.Now()
	t.tellDue()
}

// Stop forgets the clocks: the table has moved on.
func (t *ClockTeller) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clocks = nil
	if t.next != nil {
		t.next.Stop()
	}
}

// secondsLeft is how many seconds a seat has now.
func (t *ClockTeller) secondsLeft(c timing.Clock) int64 {
	return c.Left - int64(time.Since(t.since)/time.Second)
}

// tellDue tells what is due, and of what is due next when it is.
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

// text says how much time a seat has left, and what happens without any.
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

// Line says how much time the seats have that are awaited; empty if none is known.
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
