package client

import (
	"context"
	"errors"
	"time"
)

// LongestPause is between two attempts.
var LongestPause = 2 * time.Second

// Patience with a server that does not answer, or asks to come again.
const (
	attempts   = 8
	firstPause = 25 * time.Millisecond // doubled after every attempt
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
