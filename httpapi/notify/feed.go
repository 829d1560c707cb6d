package notify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/protocol/wire"
)

// Kinds of happenings.
const (
	RoundDrawn         = "round.drawn"
	TableBegun         = "table.begun"
	RoundOver          = "round.over"
	ArbiterCalled      = "arbiter.called"
	RulingMade         = "ruling.made"
	RulingAppealed     = "ruling.appealed"
	StandingsPublished = "standings.published"
	EventCancelled     = "event.cancelled"
)

// Happening is something that happened in an event, by an entry of the log.
type Happening struct {
	Kind  string    `json:"-"`
	Event wire.Hash `json:"event"`
	Name  string    `json:"name"`
	Index uint64    `json:"index"`           // of the entry
	Round int       `json:"round,omitempty"` // the round that was drawn or is over, or the table's
	Table int       `json:"table,omitempty"` // its number in the round
	Link  string    `json:"link"`            // for people
	Keys  []string  `json:"-"`               // of players and officials who have something to do
}

// ID returns the name of the happening in each message about it.
func (h Happening) ID() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", h.Event, h.Kind, h.Index))
	return fmt.Sprintf("msg_%x", sum[:12])
}

// Feed delivers the happenings of events in the log, and tries again if one does not arrive.
type Feed struct {
	File string // records how far the feed was delivered
	// Read returns the happenings from an entry on, in the order of the log, and the next entry to
	// read from. If from is beyond the end of the log, that is the end.
	Read   func(ctx context.Context, from uint64) ([]Happening, uint64, error)
	Link   func(event wire.Hash) string
	After  func(time.Duration) <-chan time.Time
	Clock  func() time.Time
	Chance func() float64 // in [0, 1)
	Logger *slog.Logger

	Gone  []int         // statuses with which a receiver unsubscribes
	Lasts time.Duration // how long a delivery is tried; 0: without end

	mu    sync.Mutex
	tries []Attempt
}

// Look is the time between two reads of the log.
var Look = 2 * time.Second

const (
	soonest  = 5 * time.Second // before the second try
	latest   = time.Hour       // pause between two tries
	refusals = 5               // of one message, with statuses that blame the message
	kept     = 256             // tries kept for the operator
)

// faults are the statuses with which a receiver blames the message, and not itself or its
// configuration.
var faults = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}

// Attempt is one try to deliver a message.
type Attempt struct {
	Time   time.Time `json:"time"`
	ID     string    `json:"id"`
	Kind   string    `json:"type"`
	Index  uint64    `json:"index"`
	Status int       `json:"status"` // 0: no answer
	Error  string    `json:"error,omitempty"`
	Next   string    `json:"next,omitempty"` // when the next try is, or that there is none
}

// Run calls tell with happenings until ctx ends or tell returns false. Without a file it begins at
// the end of the log.
func (f *Feed) Run(ctx context.Context, tell func(context.Context, Happening) bool) error {
	from, err := f.firstUntold(ctx)
	for err == nil && ctx.Err() == nil {
		list, next, wrong := f.Read(ctx, from)
		if wrong != nil && ctx.Err() == nil {
			f.Logger.Warn("what happened in events could not be read, and is read again", "error", wrong)
		}
		for _, h := range list {
			h.Link = f.Link(h.Event)
			if !tell(ctx, h) {
				return nil
			}
			from = h.Index + 1
			if err = f.note(from); err != nil {
				return err
			}
		}
		if wrong == nil {
			from = next
		}
		f.wait(ctx, Look)
	}
	return err
}

// firstUntold returns the first entry that was not delivered.
func (f *Feed) firstUntold(ctx context.Context) (uint64, error) {
	text, err := os.ReadFile(f.File)
	if errors.Is(err, fs.ErrNotExist) {
		_, end, err := f.Read(ctx, ^uint64(0))
		if err != nil {
			return 0, err
		}
		return end, f.note(end)
	}
	if err != nil {
		return 0, err
	}
	from, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: delete it, and what happens from now on is told", f.File, err)
	}
	return from, nil
}

func (f *Feed) note(from uint64) error {
	return durable.Replace(f.File, fmt.Appendf(nil, "%d\n", from), 0o644)
}

func (f *Feed) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-f.After(d):
	}
}

// Deliver tries until the receiver has taken the message or refused it for good, or time is up. It
// returns false if the receiver unsubscribes or ctx ends.
func (f *Feed) Deliver(ctx context.Context, h Happening, post func(ctx context.Context, now time.Time) (status int, err error)) bool {
	refused, begun := 0, f.Clock() // consecutive tries: a receiver that was away may also refuse
	for pause := soonest; ctx.Err() == nil; pause = min(2*pause, latest) {
		a := Attempt{Time: f.Clock(), ID: h.ID(), Kind: h.Kind, Index: h.Index}
		var wrong error
		if a.Status, wrong = post(ctx, a.Time); wrong != nil {
			a.Error = wrong.Error()
		}
		taken, gone := a.Status/100 == 2, slices.Contains(f.Gone, a.Status)
		if slices.Contains(faults, a.Status) {
			refused++
		} else {
			refused = 0
		}
		rest := pause + time.Duration(f.Chance()*float64(pause)/4) // spreads the tries of many servers
		late := f.Lasts > 0 && a.Time.Add(rest).Sub(begun) > f.Lasts
		switch {
		case taken:
		case gone:
			a.Next = fmt.Sprintf("never: the receiver wants nothing more (%d)", a.Status)
		case refused == refusals:
			a.Next = "never: the receiver has refused it each time"
		case late:
			a.Next = "never: it is too old"
		default:
			a.Next = a.Time.Add(rest).UTC().Format(time.RFC3339)
		}
		f.list(a)
		if taken || gone || refused == refusals || late {
			return !gone
		}
		f.wait(ctx, rest)
	}
	return false
}

// list records a try for the operator.
func (f *Feed) list(a Attempt) {
	if a.Next != "" {
		f.Logger.Warn("a message about an event was not delivered", "id", a.ID, "type", a.Kind, "status", a.Status, "error", a.Error, "again", a.Next)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tries = append(f.tries[max(0, len(f.tries)+1-kept):], a)
}

// Attempts returns the last tries, the newest first.
func (f *Feed) Attempts() []Attempt {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := append([]Attempt{}, f.tries...)
	slices.Reverse(list)
	return list
}
