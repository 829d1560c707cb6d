// Package webhook tells a program of a club what happens in events (docs/spec/70-http.md, 70.15), by signed
// requests as Standard Webhooks has them.
//
// What happens is read from the log. So nothing of it can be lost, and all that is kept is how far it was told.
package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Kinds of what happens.
const (
	RoundDrawn         = "round.drawn"
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
	Round int       `json:"round,omitempty"` // that was drawn or is over, or of the table
	Table int       `json:"table,omitempty"` // its number in the round
	Link  string    `json:"link"`            // for people
}

// Options say whom to tell, and of what.
type Options struct {
	URL    string
	Secret []byte // of at least 24 bytes
	File   string // that keeps how far was told
	// Read returns what happened from an entry on, in the order of the log, and up to which entry that is all there is; from
	// the end of the log where from is beyond it.
	Read   func(ctx context.Context, from uint64) ([]Happening, uint64, error)
	Link   func(event wire.Hash) string
	After  func(time.Duration) <-chan time.Time
	Clock  func() time.Time
	Chance func() float64 // in [0, 1)
	Logger *slog.Logger

	Patience time.Duration // with a receiver; 0 means 15 seconds
}

const (
	look     = 2 * time.Second // between two looks at the log
	soonest  = 5 * time.Second // to the second try
	latest   = time.Hour       // between two tries
	refusals = 5               // of one message, by a status that says that it is the message's fault
	kept     = 256             // tries in the list
)

// faults are the statuses by which a receiver says that the message is at fault, and not itself or who set it up.
var faults = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}

// Attempt is a try to deliver something.
type Attempt struct {
	Time   time.Time `json:"time"`
	ID     string    `json:"id"`
	Kind   string    `json:"type"`
	Index  uint64    `json:"index"`
	Status int       `json:"status"` // 0: there was no answer
	Error  string    `json:"error,omitempty"`
	Next   string    `json:"next,omitempty"` // when it is tried again, or that it is not
}

// Sender tells a receiver what happens.
type Sender struct {
	Options
	client http.Client

	mu    sync.Mutex
	tries []Attempt
}

// ParseSecret reads what Standard Webhooks calls a secret: whsec_ and base64.
func ParseSecret(text string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(text), "whsec_"))
	if err != nil || len(raw) < 24 || len(raw) > 64 {
		return nil, errors.New("the secret must be whsec_ and base64 of 24 to 64 bytes, as from: echo whsec_$(openssl rand -base64 32)")
	}
	return raw, nil
}

// New returns a sender that has told nothing since this start.
func New(o Options) *Sender {
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a redirect would choose where the server asks
	return &Sender{Options: o, client: http.Client{Timeout: cmp.Or(o.Patience, 15*time.Second), CheckRedirect: refuse}}
}

// Run tells what happens until ctx ends. Without a file it begins at the end of the log.
func (s *Sender) Run(ctx context.Context) error {
	from, err := s.firstUntold(ctx)
	for err == nil && ctx.Err() == nil {
		list, next, wrong := s.Read(ctx, from)
		if wrong != nil && ctx.Err() == nil {
			s.Logger.Warn("what happened in events could not be read, and is read again", "error", wrong)
		}
		for _, h := range list {
			if !s.deliver(ctx, h) {
				return nil
			}
			from = h.Index + 1
			if err = s.note(from); err != nil {
				return err
			}
		}
		if wrong == nil {
			from = next
		}
		s.wait(ctx, look)
	}
	return err
}

// firstUntold is the first entry that was not told.
func (s *Sender) firstUntold(ctx context.Context) (uint64, error) {
	text, err := os.ReadFile(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		_, end, err := s.Read(ctx, ^uint64(0))
		if err != nil {
			return 0, err
		}
		return end, s.note(end)
	}
	if err != nil {
		return 0, err
	}
	from, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: delete it, and what happens from now on is told", s.File, err)
	}
	return from, nil
}

func (s *Sender) note(from uint64) error {
	return durable.Replace(s.File, fmt.Appendf(nil, "%d\n", from), 0o644)
}

func (s *Sender) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-s.After(d):
	}
}

// deliver tries until the receiver has taken it, or refuses it for good; false: it is not to be told any more.
func (s *Sender) deliver(ctx context.Context, h Happening) bool {
	h.Link = s.Link(h.Event)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", h.Event, h.Kind, h.Index))
	id := fmt.Sprintf("msg_%x", sum[:12])
	body, err := json.Marshal(struct {
		Type string    `json:"type"`
		Data Happening `json:"data"`
	}{h.Kind, h})
	refused := 0 // tries in a row; a receiver that was away before may refuse too
	for pause := soonest; err == nil && ctx.Err() == nil; pause = min(2*pause, latest) {
		a := Attempt{Time: s.Clock(), ID: id, Kind: h.Kind, Index: h.Index}
		var wrong error
		if a.Status, wrong = s.post(ctx, id, body, a.Time); wrong != nil {
			a.Error = wrong.Error()
		}
		taken := a.Status/100 == 2
		gone := a.Status == http.StatusGone
		if slices.Contains(faults, a.Status) {
			refused++
		} else {
			refused = 0
		}
		rest := pause + time.Duration(s.Chance()*float64(pause)/4) // receivers that come back are not asked by all at once
		switch {
		case gone:
			a.Next = "never: the receiver wants nothing more (410), until the server is started again"
		case refused == refusals:
			a.Next = "never: the receiver has refused it each time"
		case !taken:
			a.Next = a.Time.Add(rest).UTC().Format(time.RFC3339)
		}
		s.list(a)
		if taken || refused == refusals {
			return true
		}
		if gone {
			<-ctx.Done()
			return false
		}
		s.wait(ctx, rest)
	}
	return false
}

// list keeps a try for the operator.
func (s *Sender) list(a Attempt) {
	if a.Next != "" {
		s.Logger.Warn("a webhook was not delivered", "id", a.ID, "type", a.Kind, "status", a.Status, "error", a.Error, "again", a.Next)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries = append(s.tries[max(0, len(s.tries)+1-kept):], a)
}

func (s *Sender) post(ctx context.Context, id string, body []byte, now time.Time) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", stamp)
	r.Header.Set("Webhook-Signature", sign(s.Secret, id, stamp, body))
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 4096) // so that the connection can be used again
	return answer.StatusCode, nil
}

// sign is a signature of Standard Webhooks, version v1.
func sign(secret []byte, id, stamp string, body []byte) string {
	m := hmac.New(sha256.New, secret)
	fmt.Fprintf(m, "%s.%s.%s", id, stamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil))
}

// Attempts are the last tries, the newest first.
func (s *Sender) Attempts() []Attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := append([]Attempt{}, s.tries...)
	slices.Reverse(list)
	return list
}
