package client

import (
	"context"
	"errors"
	"time"
)

// LongestPause is the longest pause between two attempts.
var LongestPause = 2 * time.Second

// Bounds of the patience with a server that does not answer or asks to come again.
const (
	attempts   = 8
	firstPause = 25 * time.Millisecond // doubled after every attempt
	// longestRetryAfter is the longest wait that a server may ask for; beyond it the caller decides.
	longestRetryAfter = 10 * time.Second
	// answerTime bounds one attempt, in addition to the wait of a long poll.
	answerTime = 30 * time.Second
)

// Bounds on the part of an answer that is read. Content-Length is never believed.
const (
	maxProblem  = 64 << 10
	maxDocument = 8 << 20 // a page of messages with every quotation mark escaped
)

// entryMedia is the media type of posted entries.
const entryMedia = "application/octet-stream"

// HTTP statuses that matter in addition to the problem document.
const (
	statusNotFound       = 404
	statusTooMany        = 429
	statusBadGateway     = 502
	statusUnavailable    = 503
	statusGatewayTimeout = 504
)

// ErrNoAnswer says that the server was not reached or that its answer was incomplete. The same bytes
// may be posted again (docs/spec/70-http.md, 70.3.3).
var ErrNoAnswer = errors.New("no answer from the server")

// Carrier sends one call and returns the answer, of any status. It returns when ctx ends. An error
// says that there was no answer; part of an answer is never returned instead.
type Carrier func(ctx context.Context, c Call) (Answer, error)

// Call is a request for a Carrier. An answer is cut after Limit bytes.
type Call struct {
	Method, URL string
	Header      map[string]string
	Body        []byte // nil: no body
	Limit       int
}

// Answer is the server's answer. Header returns a header by its name, or "".
type Answer struct {
	Status int
	Header func(name string) string
	Body   []byte
}

// request is one call of the server: a GET, or a POST of an entry.
type request struct {
	path   string        // with a leading slash, and the query
	accept string        // "": the server's preference
	entry  []byte        // for a POST, which gets more time for each mebibyte; nil: a GET
	limit  int           // on the bytes of the answer
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
