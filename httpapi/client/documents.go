package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// The JSON documents of the REST surface (docs/spec/70-http.md). The server writes them, so they are
// declared once. Hashes are 64 hexadecimal digits; an index is a place in the log, n a place among
// the entries of a table.

// Root lists the parts of a server by references relative to its root: GET /.
type Root struct {
	Log           string `json:"log"`
	Tables        string `json:"tables"`
	Checkpoint    string `json:"checkpoint"`
	OpenAPI       string `json:"openapi"`
	Docs          string `json:"docs"` // for people
	Specification string `json:"specification"`
}

// LogInfo names the log and its keys: GET /v1/log.
type LogInfo struct {
	Origin string   `json:"origin"` // name of the log, and of its keys
	Key    string   `json:"key"`    // C2SP verifier key; to be believed only if it came another way
	Keys   []string `json:"keys"`   // of all that sign checkpoints, Key first
}

// Verifiers returns the keys that the server names, without keys of unknown kinds.
func (i LogInfo) Verifiers() ([]*tlog.VerifierKey, error) {
	first, err := tlog.ParseLogKey(i.Key)
	if err != nil {
		return nil, fmt.Errorf("the server's key: %w", err)
	}
	list := []*tlog.VerifierKey{first}
	for _, text := range i.Keys {
		if k, err := tlog.ParseLogKey(text); err == nil && text != i.Key && k.Name() == first.Name() {
			list = append(list, k)
		}
	}
	return list, nil
}

// Summary is a table in a list.
type Summary struct {
	ID    wire.Hash `json:"id"`
	Index uint64    `json:"index"` // of its genesis entry
	Game  string    `json:"game"`
	Suite string    `json:"suite"`

	*Standing // nil if the server cannot play the game
}

// Standing is the state of a table.
type Standing struct {
	Seats []Seat     `json:"seats"`
	State TableState `json:"state"`
	Deal  int        `json:"deal"`  // number of the open or last deal, as on sheets
	Deals int        `json:"deals"` // to be played
	Owing []Duty     `json:"owing"` // without the cards
	Begun Place      `json:"begun"` // the genesis entry
	Last  Place      `json:"last"`  // the newest entry

	Event  string `json:"event,omitempty"` // the event of the table
	Round  int    `json:"round,omitempty"`
	Number int    `json:"number,omitempty"` // in the round
}

// Place is the place of an entry in the log, and the times between which it was put there, in seconds
// since 1970 by the clocks of the table's keepers; 0 if no marks show them.
type Place struct {
	Index uint64 `json:"index"`
	After int64  `json:"after,omitempty"`
	By    int64  `json:"by,omitempty"`
}

// TableState is the state of a table in one word.
type TableState string

// States of tables.
const (
	TableWaiting TableState = "waiting" // for the card keys of seats that have not joined yet
	TablePlaying TableState = "playing"
	TablePaused  TableState = "paused"  // clocks stand still, but play may go on
	TableStopped TableState = "stopped" // a seat has left
	TableOver    TableState = "over"
	TableFoul    TableState = "foul" // over, by a foul
)

// TableFilter selects the tables of a list. Empty fields select all.
type TableFilter struct {
	ID     string // first digits of the id
	State  TableState
	Player string // name or verifier key of a seat
	Game   string // with or without its version
	Event  string // id of an event
	Round  int    // of the event; 0: any
	People int    // least number of seats whose keys are not bots'
}

// FoundItem is a table or event with a code.
type FoundItem struct {
	Kind  string    `json:"kind"` // table or event
	ID    wire.Hash `json:"id"`
	Index uint64    `json:"index"` // of its first entry
}

// FoundList lists what has a code: GET /v1/find/{code}.
type FoundList struct {
	Found []FoundItem `json:"found"`
}

// TableList is a page of tables in the order of their genesis entries: GET /v1/tables. If Next is
// set, there may be more.
type TableList struct {
	Tables []Summary `json:"tables"`
	Next   *uint64   `json:"next,omitempty"` // the value of after for the next page
}

// Table is a table as the server has replayed it: GET /v1/tables/{id}.
type Table struct {
	ID        wire.Hash         `json:"id"`
	Index     uint64            `json:"index"`   // of the genesis entry
	Entries   int               `json:"entries"` // of the table in the log, void ones included
	Applied   int               `json:"applied"` // messages that had an effect
	Head      wire.Hash         `json:"head"`    // the parent of the next message
	Game      string            `json:"game"`
	Suite     string            `json:"suite"`
	Options   map[string]string `json:"options"`
	Deals     int               `json:"deals"` // to be played
	Fouls     wire.FoulRule     `json:"fouls"` // refuse, record or warn
	Organiser string            `json:"organiser"`
	Seats     []Seat            `json:"seats"`
	Deal      int               `json:"deal"`   // number of the open or last deal, as on sheets
	Public    json.RawMessage   `json:"public"` // the game's public state
	Faces     []OpenCard        `json:"faces"`  // of this deal, in the order of cards
	Duties    []Duty            `json:"duties"` // what play waits for; none if the table is over or stopped
	Over      bool              `json:"over"`
	Stopped   *int              `json:"stopped,omitempty"` // the seat that has left: nothing is due, and the table is not over
	Paused    bool              `json:"paused,omitempty"`
	Result    []int             `json:"result,omitempty"` // score by seat, if it is over without a foul
	Foul      *Fault            `json:"foul,omitempty"`   // that ended the table
}

// Seat is a place at the table.
type Seat struct {
	Name string `json:"name"`
	Key  string `json:"key"` // C2SP verifier key
}

// OpenCard is a card that everybody sees.
type OpenCard struct {
	Card int    `json:"card"` // its place in the deal
	Face string `json:"face"`
}

// Duty is owed: any one of Seats owes a message of this kind.
type Duty struct {
	Kind  wire.Kind `json:"kind"`
	Seats []int     `json:"seats"`
	Cards []int     `json:"cards,omitempty"`
	To    []int     `json:"to,omitempty"`
}

// Class is the result of an entry in the server's replay.
type Class string

// Classes of entries, see docs/spec/50-table.md.
const (
	Applied Class = "applied"
	Void    Class = "void"
	Foul    Class = "foul"
	Attempt Class = "attempt"
)

// Fault says why an entry was not applied, or which earlier one is wrong.
type Fault struct {
	Check  string     `json:"check"`           // as numbered in docs/spec/80-verification.md
	Seat   *int       `json:"seat,omitempty"`  // of a foul or an attempt
	Entry  *wire.Hash `json:"entry,omitempty"` // the applied entry that is wrong, as locks disclosed later show
	Detail string     `json:"detail"`
}

// PostedEntry is the place of an entry in the log: the answer to every post.
type PostedEntry struct {
	Index   uint64    `json:"index"`
	Hash    wire.Hash `json:"hash"` // of the entry
	Table   wire.Hash `json:"table"`
	N       int       `json:"n"`
	Head    wire.Hash `json:"head"`  // of the table, after the entry or now
	Class   Class     `json:"class"` // applied; foul or attempt if it was recorded as one
	Fault   *Fault    `json:"fault,omitempty"`
	Receipt string    `json:"receipt"`          // C2SP tlog-proof
	Growth  string    `json:"growth,omitempty"` // hashes, if they were asked for

	Namesake *uint64 `json:"namesake,omitempty"` // of a registration: index of another key's with the same name and club
}

// Mark is a mark of the log (docs/spec/52-time.md).
type Mark struct {
	Index uint64    `json:"index"`
	Hash  wire.Hash `json:"hash"`
	Entry string    `json:"entry"` // its bytes, which are text
}

// MarkList is a page of marks in the order of the log: GET /v1/marks. If Next is set, there may be
// more.
type MarkList struct {
	Marks []Mark  `json:"marks"`
	Next  *uint64 `json:"next,omitempty"` // the value of after for the next page
}

// ProvenMark is a mark with proofs that it is in the log and that its checkpoint belongs to the log's
// history: GET /v1/marks/{hash}.
type ProvenMark struct {
	Mark
	Inclusion   []wire.Hash `json:"inclusion"`   // of the mark under the checkpoint
	Consistency []wire.Hash `json:"consistency"` // from the mark's checkpoint to Checkpoint
	Checkpoint  string      `json:"checkpoint"`  // signed: C2SP tlog-checkpoint
}

// MarkPosted is the place of a mark in the log: the answer to POST /v1/marks.
type MarkPosted struct {
	Index   uint64    `json:"index"`
	Hash    wire.Hash `json:"hash"`
	Receipt string    `json:"receipt"` // C2SP tlog-proof
}

// Clock is the state of a table's clock for the seats that owe something, as far as marks prove it:
// GET /v1/tables/{id}/clock.
type Clock struct {
	Terms wire.Clock  `json:"terms"` // of the genesis entry; there is no clock without keepers
	Seats []SeatClock `json:"seats"`
}

// SeatClock is the clock of one seat. Times are in seconds.
type SeatClock struct {
	Seat  int              `json:"seat"`
	Used  int64            `json:"used"`           // for what it owes now
	Sum   int64            `json:"sum"`            // in this deal, including Used
	Left  *int64           `json:"left,omitempty"` // until the seat is proved late; below 0 it is late; absent without a limit
	Claim wire.TimeoutBody `json:"claim"`          // of the act that claims it
}

// Checkpoint is a checkpoint with its fields: GET /v1/checkpoint.
type Checkpoint struct {
	Origin string    `json:"origin"`
	Size   uint64    `json:"size"`
	Root   wire.Hash `json:"root"`
	Note   string    `json:"note"` // signed: C2SP tlog-checkpoint
}

// Receipt is a C2SP tlog-proof as JSON: GET /v1/entries/{index}/receipt.
type Receipt struct {
	Index      uint64      `json:"index"`
	Hashes     []wire.Hash `json:"hashes"`     // from the leaf's sibling up
	Checkpoint string      `json:"checkpoint"` // signed: C2SP tlog-checkpoint
}

// Inclusion proves an entry in the tree of a size:
// GET /v1/entries/{index}/inclusion.
type Inclusion struct {
	Index  uint64      `json:"index"`
	Size   uint64      `json:"size"`
	Hashes []wire.Hash `json:"hashes"`
}

// Consistency proves that one tree is the beginning of another: GET /v1/consistency.
type Consistency struct {
	Old    uint64      `json:"old"`
	Size   uint64      `json:"size"`
	Hashes []wire.Hash `json:"hashes"`
}

// Messages are entries of a table: GET /v1/tables/{id}/messages.
type Messages struct {
	Messages []Message `json:"messages"`
	Entries  int       `json:"entries"` // of the table in the log, when asked

	// If growth was requested and there are messages: a signed checkpoint, and hashes that prove the
	// messages under it (docs/spec/70-http.md, 70.10).
	Checkpoint string `json:"checkpoint,omitempty"`
	Growth     string `json:"growth,omitempty"`
}

// Message is an entry of a table as in the log.
type Message struct {
	N     int    `json:"n"` // 0 is the genesis entry
	Index uint64 `json:"index"`
	Class Class  `json:"class"`
	Fault *Fault `json:"fault,omitempty"`
	Entry string `json:"entry"` // the bytes, which are text
}

// ProblemBase begins the type of every problem, which the server explains at that path. The types are
// stable.
const ProblemBase = "/problems/"

// Types of problems, after ProblemBase.
const (
	MalformedEntry   = "malformed-entry"        // 400
	MalformedRequest = "malformed-request"      // 400
	NotFound         = "not-found"              // 404
	UnknownOrganiser = "unknown-organiser"      // 403
	ForeignPage      = "foreign-page"           // 403
	UnknownTable     = "unknown-table"          // 404
	UnknownEvent     = "unknown-event"          // 404
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
	RefusedAct       = "refused-act"            // 422
	FoulMessage      = "foul-message"           // 422
	TableFull        = "table-full"             // 422
	LogClosed        = "log-closed"             // 410
	RefusedMark      = "refused-mark"           // 422
	RefusedNotice    = "refused-notice"         // 422
	RefusedDecision  = "refused-decision"       // 422
	EventFull        = "event-full"             // 422
	RateLimited      = "rate-limited"           // 429
	Internal         = "internal"               // 500
	Busy             = "busy"                   // 503
	ReadOnlyDisk     = "read-only-disk"         // 503
	Unconfirmed      = "unconfirmed"            // 503
	NotReady         = "not-ready"              // 503
)

// noProblem is the type of an answer without a problem document (RFC 9457, 4.2.1).
const noProblem = "about:blank"

// Problem is the server's refusal, an RFC 9457 problem document. With [errors.Is] it is
// tlog.ErrTooLarge, ErrBusy, ErrUnconfirmed, ErrReadOnly or ErrRange if its type says so. It is
// [ErrNoAnswer] if a proxy answers for a server that is away, or if the document is incomplete: then
// it may have been any refusal, even one after which play goes on.
type Problem struct {
	Type   string     `json:"type"`
	Title  string     `json:"title"`
	Status int        `json:"status"`
	Detail string     `json:"detail,omitempty"`
	Check  string     `json:"check,omitempty"` // the check that failed
	Class  Class      `json:"class,omitempty"` // void or foul
	Seat   *int       `json:"seat,omitempty"`  // of a foul
	Table  *wire.Hash `json:"table,omitempty"`
	Head   *wire.Hash `json:"head,omitempty"`  // of the table now
	Entry  *wire.Hash `json:"entry,omitempty"` // the one that was refused
	Index  *uint64    `json:"index,omitempty"` // place of the entry in the log, where it is void since another came first

	Free      string `json:"free,omitempty"`      // a name that is not taken
	Departure string `json:"departure,omitempty"` // how the refused decision would depart from an event's method, as named in protocol/event

	// Request is the name by which the operator finds the request.
	Request string `json:"request,omitempty"`

	cut bool // it is incomplete
}

// maxQuoted bounds quotations of a server, in bytes.
const maxQuoted = 400

// Error quotes the server in printable ASCII: the text may contain anything and is shown on
// terminals.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return fmt.Sprintf("the server answers %d %s", p.Status, plain.ASCII(p.Title, maxQuoted))
	}
	return fmt.Sprintf("the server answers %d %s: %s", p.Status, plain.ASCII(p.Title, maxQuoted), plain.ASCII(p.Detail, maxQuoted))
}

// Is compares with the errors of a log.
func (p *Problem) Is(target error) bool {
	switch target {
	case tlog.ErrTooLarge:
		return p.hasSlug(EntryTooLarge)
	case tlog.ErrBusy:
		return p.hasSlug(Busy) || p.hasSlug(RateLimited) || p.hasSlug(Unconfirmed)
	case tlog.ErrUnconfirmed:
		return p.hasSlug(Unconfirmed)
	case tlog.ErrReadOnly:
		return p.hasSlug(ReadOnlyDisk)
	case tlog.ErrRange:
		return p.hasSlug(BeyondLog)
	case ErrNoAnswer: // a proxy's answer while the server is away
		return p.cut || p.Status == statusBadGateway || p.Status == statusGatewayTimeout || p.Status == statusUnavailable && p.Type == noProblem
	}
	return false
}

// Slug returns the type of the problem without ProblemBase, or "" if there is none.
func (p *Problem) Slug() string {
	slug, _ := strings.CutPrefix(p.Type, ProblemBase)
	return slug
}

func (p *Problem) hasSlug(slug string) bool { return p.Type == ProblemBase+slug }

// Conflict says that a message does not follow the head.
type Conflict struct {
	Head    wire.Hash // of the table, as the server says
	Problem *Problem
}

func (e *Conflict) Error() string { return e.Problem.Error() }

func (e *Conflict) Unwrap() error { return e.Problem }

// IsPassing reports whether an error is passing trouble of a server or network, so that the same
// bytes may be posted again (docs/spec/70-http.md, 70.3.3). This includes a server that is behind
// what it has shown, since several may share one address, and one that limits this address, which
// others may share.
func IsPassing(err error) bool {
	var problem *Problem
	var behind *RollbackError
	return errors.Is(err, ErrNoAnswer) || errors.As(err, &behind) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &problem) && (problem.Status >= 500 || errors.Is(problem, tlog.ErrRange) || errors.Is(problem, tlog.ErrBusy))
}

// refusalOf returns the error for an answer other than 2xx.
func refusalOf(a Answer) error {
	p := &Problem{Type: noProblem, Title: "without a reason"}
	media, _, _ := strings.Cut(strings.ToLower(a.Header("Content-Type")), ";")
	switch {
	case strings.TrimSpace(media) == "application/problem+json":
		p.cut = !json.Valid(a.Body)
		if json.Unmarshal(a.Body, p) != nil { // of members of another type; the others count (RFC 9457, 3.1)
			p.Head = nil
		}
	case strings.HasPrefix(media, "text/"):
		p.Detail = strings.TrimSpace(string(a.Body[:min(len(a.Body), 200)]))
	}
	p.Status = a.Status
	if p.hasSlug(StaleParent) && p.Head != nil {
		return &Conflict{Head: *p.Head, Problem: p}
	}
	return p
}
