package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
)

// Patience with a server that does not answer, or asks to come again.
const (
	attempts     = 8
	firstPause   = 25 * time.Millisecond // doubled after every attempt
	longestPause = 2 * time.Second
	// longestRetryAfter is the longest wait a server may ask for: beyond it
	// the caller should decide.
	longestRetryAfter = 10 * time.Second
	// answerTime bounds one attempt, beyond the time a long poll waits.
	answerTime = 30 * time.Second
)

// Bounds on what is read of an answer. Content-Length is never believed.
const (
	maxProblem  = 64 << 10
	maxDocument = 8 << 20 // a page of messages, with every quotation mark escaped
)

// entryMedia is the media type of posted entries.
const entryMedia = "application/octet-stream"

// Statuses of HTTP on which more depends than what the problem document says.
const (
	statusNotFound       = 404
	statusTooMany        = 429
	statusBadGateway     = 502
	statusUnavailable    = 503
	statusGatewayTimeout = 504
)

// ErrNoAnswer says that the server was not reached, or that its answer did not arrive
// whole. The same bytes may be posted again (docs/spec/70-http.md, 70.3.3).
var ErrNoAnswer = errors.New("no answer from the server")

// Carrier sends one call and returns the answer, of whatever status. It returns when ctx
// ends. An error says that no answer came; what came of one that was cut short is not
// returned in its place.
type Carrier func(ctx context.Context, c Call) (Answer, error)

// Call is what a Carrier sends. An answer of more than Limit bytes is cut there.
type Call struct {
	Method, URL string
	Header      map[string]string
	Body        []byte // nil: none
	Limit       int
}

// Answer is what comes back. Header returns a header by its name, "" if there is none.
type Answer struct {
	Status int
	Header func(name string) string
	Body   []byte
}

// request is one call of the server: a GET, or the POST of an entry.
type request struct {
	path   string        // with a leading slash, and the query
	accept string        // "": what the server prefers
	entry  []byte        // to be posted, with more time for each mebibyte; nil: a GET
	limit  int           // on the answer, in bytes
	wait   time.Duration // that the server is asked to wait
}

func (r request) callTo(base string) Call {
	c := Call{Method: "GET", URL: base + r.path, Header: map[string]string{}, Limit: max(r.limit+1, maxProblem)}
	if r.entry != nil {
		c.Method, c.Body, c.Header["Content-Type"] = "POST", r.entry, entryMedia
	}
	if r.accept != "" {
		c.Header["Accept"] = r.accept
	}
	return c
}

// sendUntilAnswered sends the request until there is an answer, and returns the body of a 2xx.
func (c *Client) sendUntilAnswered(ctx context.Context, r request) ([]byte, error) {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		body, after, err := c.sendOnce(ctx, r)
		if err == nil || after < 0 || attempt == attempts || ctx.Err() != nil {
			return body, err
		}
		// Half of the pause is random, so that those who were turned away
		// together do not come back together.
		wait := max(after, pause/2+rand.N(pause/2))
		pause = min(2*pause, longestPause)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

// sendOnce sends the request once. If trying again may help, after is the time to
// wait at least, and below 0 otherwise.
func (c *Client) sendOnce(ctx context.Context, r request) (body []byte, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime*time.Duration(1+len(r.entry)>>20)+r.wait)
	defer cancel()
	a, err := c.carry(ctx, r.callTo(c.base))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	case a.Status/100 != 2:
		return nil, retryAfter(a), refusalOf(a)
	case len(a.Body) > r.limit:
		return nil, -1, fmt.Errorf("%s: %w: answer of more than %d bytes", r.path, tlog.ErrMalformed, r.limit)
	}
	return a.Body, 0, nil
}

// retryAfter returns when to come again, after an answer that is passing trouble: the
// server's own, or that of a proxy before it, which answers while the server is away.
func retryAfter(a Answer) time.Duration {
	switch a.Status {
	case statusTooMany, statusBadGateway, statusUnavailable, statusGatewayTimeout:
	default:
		return -1
	}
	header := a.Header("Retry-After")
	if header == "" {
		return 0
	}
	seconds, err := strconv.ParseUint(header, 10, 31)
	if after := time.Duration(seconds) * time.Second; err == nil && after <= longestRetryAfter {
		return after
	}
	return -1
}

// readDocument calls the server and reads a JSON document.
func (c *Client) readDocument(ctx context.Context, r request, into any) error {
	r.limit = maxDocument
	body, err := c.sendUntilAnswered(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w document %s: %v", tlog.ErrMalformed, r.path, err)
	}
	return nil
}
