package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// ProblemBase begins the type of every problem; the server explains each under
// that path. The types are stable.
const ProblemBase = "/problems/"

// Types of problems, after ProblemBase.
const (
	MalformedEntry   = "malformed-entry"        // 400
	MalformedRequest = "malformed-request"      // 400
	NotFound         = "not-found"              // 404
	UnknownOrganiser = "unknown-organiser"      // 403
	ForeignPage      = "foreign-page"           // 403
	UnknownTable     = "unknown-table"          // 404
	BeyondLog        = "beyond-the-log"         // 404
	MethodNotAllowed = "method-not-allowed"     // 405
	NotAcceptable    = "not-acceptable"         // 406
	StaleParent      = "stale-parent"           // 409
	SeatTaken        = "seat-taken"             // 409
	NameTaken        = "name-taken"             // 409
	EntryTooLarge    = "entry-too-large"        // 413
	MediaType        = "unsupported-media-type" // 415
	RefusedTable     = "refused-table"          // 422
	RefusedMessage   = "refused-message"        // 422
	FoulMessage      = "foul-message"           // 422
	TableFull        = "table-full"             // 422
	RateLimited      = "rate-limited"           // 429
	Internal         = "internal"               // 500
	Busy             = "busy"                   // 503
	ReadOnlyDisk     = "read-only-disk"         // 503
	NotReady         = "not-ready"              // 503
)

// noProblem is the type of an answer that is no problem document (RFC 9457, 4.2.1).
const noProblem = "about:blank"

// Problem is the server's refusal, an RFC 9457 problem document. With
// [errors.Is] it is tlog.ErrTooLarge, ErrBusy, ErrReadOnly or ErrRange where
// its type says so, and [ErrNoAnswer] where a proxy answers for a server that is away.
type Problem struct {
	Type   string     `json:"type"`
	Title  string     `json:"title"`
	Status int        `json:"status"`
	Detail string     `json:"detail,omitempty"`
	Check  string     `json:"check,omitempty"` // the check that failed
	Class  Class      `json:"class,omitempty"` // void or foul
	Seat   *int       `json:"seat,omitempty"`  // whose fault, if foul
	Table  *wire.Hash `json:"table,omitempty"`
	Head   *wire.Hash `json:"head,omitempty"`  // of the table now
	Entry  *wire.Hash `json:"entry,omitempty"` // the one that was refused

	Free string `json:"free,omitempty"` // a name that is not taken

	// Request is the name of the request, by which its operator finds it.
	Request string `json:"request,omitempty"`
}

// Error quotes what a server says: it may hold anything, and ends on terminals.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return fmt.Sprintf("the server answers %d %s", p.Status, printable(p.Title))
	}
	return fmt.Sprintf("the server answers %d %s: %s", p.Status, printable(p.Title), printable(p.Detail))
}

// printable is s in at most 400 bytes of printable ASCII.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e {
			return '?'
		}
		return r
	}, s[:min(len(s), 400)])
}

// Is compares with the errors a log answers with.
func (p *Problem) Is(target error) bool {
	switch target {
	case tlog.ErrTooLarge:
		return p.is(EntryTooLarge)
	case tlog.ErrBusy:
		return p.is(Busy) || p.is(RateLimited)
	case tlog.ErrReadOnly:
		return p.is(ReadOnlyDisk)
	case tlog.ErrRange:
		return p.is(BeyondLog)
	case ErrNoAnswer: // but that of a proxy, while the server is away
		return p.Status == statusBadGateway || p.Status == statusGatewayTimeout || p.Status == statusUnavailable && p.Type == noProblem
	}
	return false
}

// Slug is the type of the problem; "" if it has none.
func (p *Problem) Slug() string {
	slug, _ := strings.CutPrefix(p.Type, ProblemBase)
	return slug
}

func (p *Problem) is(slug string) bool { return p.Type == ProblemBase+slug }

// Conflict says that a message does not build on the head.
type Conflict struct {
	Head    wire.Hash // of the table, as the server says
	Problem *Problem
}

func (e *Conflict) Error() string { return e.Problem.Error() }

func (e *Conflict) Unwrap() error { return e.Problem }

// Away reports whether err is a server's or a network's passing trouble: the same bytes
// may be posted again (docs/spec/70-http.md, 70.3.3). A server that is behind what it has
// shown is, too: one of several behind one address may be; and one that has too much to
// do for this address, which others may have too.
func Away(err error) bool {
	var problem *Problem
	var behind *RollbackError
	return errors.Is(err, ErrNoAnswer) || errors.As(err, &behind) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &problem) && (problem.Status >= 500 || errors.Is(problem, tlog.ErrRange) || errors.Is(problem, tlog.ErrBusy))
}

// refusal returns the error that an answer other than 2xx stands for.
func refusal(a Answer) error {
	p := new(Problem)
	media, _, _ := strings.Cut(strings.ToLower(a.Header("Content-Type")), ";")
	if strings.TrimSpace(media) != "application/problem+json" || json.Unmarshal(a.Body, p) != nil {
		*p = Problem{Type: noProblem, Title: "without a reason"}
		if strings.HasPrefix(media, "text/") {
			p.Detail = string(a.Body[:min(len(a.Body), 200)])
		}
	}
	p.Status = a.Status
	if p.is(StaleParent) && p.Head != nil {
		return &Conflict{Head: *p.Head, Problem: p}
	}
	return p
}
