package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/table"
)

// problemKind is a type of problem as it is documented.
type problemKind struct {
	slug   string
	status int
	title  string
	about  string
}

// kinds lists every type of problem. Slugs and statuses are stable.
var kinds = []problemKind{
	{client.MalformedEntry, http.StatusBadRequest, "Not an entry", "The body is no canonical entry (docs/spec/10-encoding.md). Nothing shows who made it, so nobody is to blame."},
	{client.MalformedRequest, http.StatusBadRequest, "Malformed request", "A parameter of the path or the query is not what it has to be."},
	{client.NotFound, http.StatusNotFound, "Not found", "There is nothing at this path."},
	{client.UnknownOrganiser, http.StatusForbidden, "Unknown organiser", "Only organisers whom the operator of this server knows may begin tables here. Nothing was stored."},
	{client.ForeignPage, http.StatusForbidden, "From elsewhere", "This server is for its own machine alone, and takes nothing from pages of other origins, or under other names. Nothing was stored."},
	{client.UnknownTable, http.StatusNotFound, "Unknown table", "No entry of the log begins a table with this id, or this server cannot play what it asks for."},
	{client.UnknownEvent, http.StatusNotFound, "Unknown event", "No entry of the log announces an event with this id."},
	{client.BeyondLog, http.StatusNotFound, "Beyond the log", "The published log does not have this entry or tile yet."},
	{client.MethodNotAllowed, http.StatusMethodNotAllowed, "Method not allowed", "The header Allow lists what can be done here."},
	{client.NotAcceptable, http.StatusNotAcceptable, "Not acceptable", "Nothing that the header Accept asks for is offered here."},
	{client.StaleParent, http.StatusConflict, "Not built on the head", "The message names another parent than the table's head, or the decision another than the event's last one: others came first. Field head is the parent that the next one has to name. Nothing was stored, unless field index says where the log has it, void."},
	{client.SeatTaken, http.StatusConflict, "No place", "At this open table all places are taken, or this key has one, the organiser has sent it away, or the table has begun. Nothing was stored."},
	{client.NameTaken, http.StatusConflict, "Name taken", "Somebody of this name has joined this open table. Field free is a spelling that nobody has. Nothing was stored."},
	{client.LogClosed, http.StatusGone, "Log closed", "This log takes no more entries. /v1/logs lists the logs of this operator, those that are open among them. Nothing was stored."},
	{client.EntryTooLarge, http.StatusRequestEntityTooLarge, "Entry too large", "An entry has at most 65,535 bytes."},
	{client.MediaType, http.StatusUnsupportedMediaType, "Unsupported media type", "Entries are posted as application/octet-stream or text/plain, without a content coding."},
	{client.RefusedTable, http.StatusUnprocessableEntity, "Table refused", "The genesis entry begins no table: the organiser's signature, the game, the suite, an option or the seats are wrong. Nothing was stored."},
	{client.RefusedMessage, http.StatusUnprocessableEntity, "Message refused", "The message is void: it has no effect and is nobody's fault. Field check names what it failed. Nothing was stored now."},
	{client.RefusedAct, http.StatusUnprocessableEntity, "Act refused", "The act has no effect at this table, or not there and then, and is nobody's fault. Field check names what it failed. Nothing was stored."},
	{client.FoulMessage, http.StatusUnprocessableEntity, "Foul", "The message breaks a rule, and its seat has signed it. The table refuses fouls: nothing was stored, and the seat may send a better one. Fields check and seat say what and who."},
	{client.TableFull, http.StatusUnprocessableEntity, "Table full", "The table has as many entries, or bytes, in the log as this server lets a table have. Nothing was stored."},
	{client.RefusedMark, http.StatusUnprocessableEntity, "Mark refused", "The mark gives nobody a time: it is not of this log, or has no time of a cosigner that counts here; or one was taken less than a second ago. Nothing was stored."},
	{client.RefusedNotice, http.StatusUnprocessableEntity, "Notice refused", "The notice is void: it has no effect and is nobody's fault. Nothing was stored."},
	{client.RefusedDecision, http.StatusUnprocessableEntity, "Decision refused", "The decision, or the announcement of an event, is void: who signed it may not decide this, or it cannot be. Nothing was stored."},
	{client.EventFull, http.StatusUnprocessableEntity, "Event full", "The event has as many players, or bytes, in the log as it may have. Nothing was stored."},
	{client.RateLimited, http.StatusTooManyRequests, "Too many requests", "This address asks for too much, or this address or key posts too much, or has sent wrong proofs: the detail says which. The header Retry-After says when to come again; a connection that does not wait is closed."},
	{client.Internal, http.StatusInternalServerError, "Internal error", "The fault is the server's. Whether an entry was stored is unknown; posting the same bytes again is safe."},
	{client.Busy, http.StatusServiceUnavailable, "Busy", "The server has too much to do, or shuts down. Whether an entry was stored is unknown; posting the same bytes again, after Retry-After, is safe."},
	{client.Unconfirmed, http.StatusServiceUnavailable, "Waits for its cosigners", "This server's log was started, and takes no entries until enough of its cosigners have said that they know of no newer copy of it: going on from an old copy would give it two histories. Everything can be read. Nothing was stored now; if an earlier answer left open whether an entry was, it is still open."},
	{client.ReadOnlyDisk, http.StatusServiceUnavailable, "Read-only for lack of disk space", "The log takes no entries until its operator makes room. Everything can be read. Nothing was stored now; if an earlier answer left open whether an entry was, it is still open."},
	{client.NotReady, http.StatusServiceUnavailable, "Not ready", "The log cannot be read or written."},
}

// checkGenesis is what a verifier calls the check of a genesis entry
// (docs/spec/80-verification.md).
const checkGenesis = "G1-genesis"

// problem returns a refusal of a type, as an error.
func problem(slug, format string, args ...any) *client.Problem {
	for _, k := range kinds {
		if k.slug == slug {
			return &client.Problem{
				Type: client.ProblemBase + slug, Title: k.title, Status: k.status, Detail: fmt.Sprintf(format, args...)}
		}
	}
	panic("httpapi: no problem has the type " + slug)
}

// problemOf is the one place where errors become problems.
func problemOf(err error) *client.Problem {
	if e, ok := errors.AsType[*refusedEntry](err); ok {
		p := problemOf(e.err)
		if e.entry.Act != nil && p.Type == client.ProblemBase+client.RefusedMessage {
			as := problem(client.RefusedAct, "%s", p.Detail)
			p.Type, p.Title = as.Type, as.Title
		}
		if p.Table != nil { // then it is an entry
			p.Entry = &e.entry.Hash
		}
		return p
	}
	if p, ok := errors.AsType[*client.Problem](err); ok {
		return p
	}
	if p := refusalOf(err); p != nil {
		return p
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok || errors.Is(err, tlog.ErrTooLarge) {
		return problem(client.EntryTooLarge, "at most %d bytes are allowed", maxBody)
	}
	if e, ok := errors.AsType[*limit.Error](err); ok {
		if e.IsPersonal() {
			return problem(client.RateLimited, "%v", e)
		}
		return problem(client.Busy, "%v", e)
	}
	switch {
	case errors.Is(err, tlog.ErrEmpty):
		return problem(client.MalformedEntry, "an entry has at least one byte")
	case errors.Is(err, tlog.ErrReadOnly):
		return problem(client.ReadOnlyDisk, "%v", tlog.ErrReadOnly)
	case errors.Is(err, tlog.ErrUnconfirmed):
		return problem(client.Unconfirmed, "%v", tlog.ErrUnconfirmed)
	case errors.Is(err, tlog.ErrBusy), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return problem(client.Busy, "try again later")
	case errors.Is(err, tlog.ErrRange):
		return problem(client.BeyondLog, "%v", err)
	}
	return problem(client.Internal, "see the server's log")
}

// refusedEntry is why an entry was not taken.
type refusedEntry struct {
	entry *bulletin.Entry
	err   error
}

func (e *refusedEntry) Error() string { return e.err.Error() }

func (e *refusedEntry) Unwrap() error { return e.err }

// refusalOf translates what admission refuses.
func refusalOf(err error) *client.Problem {
	if e, ok := errors.AsType[*admission.FormError](err); ok {
		p := problem(client.MalformedEntry, "%v", e.Err)
		p.Check = string(table.CheckForm)
		return p
	}
	if e, ok := errors.AsType[*admission.GenesisError](err); ok {
		p := problem(client.RefusedTable, "%v", e.Err)
		p.Check, p.Table = checkGenesis, &e.Table
		return p
	}
	if e, ok := errors.AsType[*admission.OrganiserError](err); ok {
		p := problem(client.UnknownOrganiser, "%v", e)
		p.Table = &e.Table
		return p
	}
	if e, ok := errors.AsType[*admission.FullError](err); ok {
		return subjectProblem(client.TableFull, client.EventFull, e.Subject, e)
	}
	if e, ok := errors.AsType[*admission.UnknownError](err); ok {
		return subjectProblem(client.UnknownTable, client.UnknownEvent, e.Subject, e)
	}
	if e, ok := errors.AsType[*admission.MarkError](err); ok {
		return problem(client.RefusedMark, "%v", e)
	}
	if e, ok := errors.AsType[*admission.EventRefusal](err); ok {
		slug := client.RefusedDecision
		if e.Notice {
			slug = client.RefusedNotice
		} else if e.Stale {
			slug = client.StaleParent
		}
		p := problem(slug, "%v", e)
		p.Head, p.Index = &e.Head, e.Index
		return p
	}
	if e, ok := errors.AsType[*admission.Conflict](err); ok {
		p := faultProblem(client.StaleParent, e.Fault)
		p.Table, p.Head, p.Index = &e.Table, &e.Head, e.Index
		return p
	}
	if e, ok := errors.AsType[*admission.Refusal](err); ok {
		slug := client.RefusedMessage
		if e.Fault.Class == table.Foul {
			slug = client.FoulMessage
		}
		p := faultProblem(slug, e.Fault)
		p.Table, p.Head = &e.Table, &e.Head
		return p
	}
	return nil
}

// subjectProblem is one of a table, which it names, or of an event.
func subjectProblem(table, event string, of admission.Subject, err error) *client.Problem {
	if of.Event {
		return problem(event, "%v", err)
	}
	p := problem(table, "%v", err)
	p.Table = &of.ID
	return p
}

func faultProblem(slug string, f *table.Fault) *client.Problem {
	d := faultDocument(f)
	p := problem(slug, "%s", d.Detail)
	p.Check, p.Class, p.Seat = d.Check, classOf(f), d.Seat
	return p
}

// refuse answers with the problem that err is. It does so too where the request
// was given up: who has only ended its own side of the connection still listens,
// and takes an answer without a problem for success.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if r.Context().Err() != nil && p.Status == http.StatusInternalServerError {
		p = problem(client.Busy, "the request was given up") // and this came of it
	}
	p.Request = w.Header().Get(headerRequest)
	switch {
	case p.Status == http.StatusInternalServerError:
		s.logger.Error("request failed", "request", p.Request, "method", r.Method, "path", r.URL.Path, "error", err)
	default:
		s.logger.Debug("request refused", "request", p.Request, "method", r.Method, "path", r.URL.Path, "status", p.Status, "detail", p.Detail)
	}
	header := w.Header()
	over, _ := errors.AsType[*limit.Error](err)
	seenIn(r.Context()).reason = reasonOf(p, over)
	seenIn(r.Context()).gone = r.Context().Err() != nil
	switch {
	case p.Status == http.StatusTooManyRequests && over != nil:
		header.Set("Retry-After", strconv.Itoa(max(int(math.Ceil(over.Wait.Seconds())), 1)+rand.IntN(2)))
		if cameTooEarly(r, over.Wait) {
			header.Set("Connection", "close")
		}
	case p.Type == client.ProblemBase+client.ReadOnlyDisk:
		header.Set("Retry-After", strconv.Itoa(retryReadOnly))
	case p.Type == client.ProblemBase+client.BeyondLog:
		header.Set("Retry-After", strconv.Itoa(retryBeyond))
	case p.Status == http.StatusServiceUnavailable:
		// By chance, so that those turned away together do not return together.
		header.Set("Retry-After", strconv.Itoa(retryBusy+rand.IntN(3)))
	}
	for _, name := range []string{"ETag", "Content-Encoding", "Vary"} {
		header.Del(name)
	}
	header.Set("Cache-Control", "no-store")
	writeDocument(w, r, p.Status, "application/problem+json", p)
}

// reasonOf names why a request was refused: the limit, or else the type.
func reasonOf(p *client.Problem, over *limit.Error) string {
	if over != nil {
		return string(over.Reason)
	}
	return strings.TrimPrefix(p.Type, client.ProblemBase)
}

// writeDocument answers with JSON. HTML is not escaped: nothing here is ever
// part of a page.
func writeDocument(w http.ResponseWriter, r *http.Request, status int, media string, document any) {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(encodeDocument(document)) // the client may have gone
}

// encodeDocument returns a document of ours as JSON.
func encodeDocument(document any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(document); err != nil {
		panic(err) // strings and numbers
	}
	return b.Bytes()
}

// answerText answers with a few words to people.
func answerText(w http.ResponseWriter, r *http.Request, text string) {
	w.Header().Set("Content-Type", mediaText)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, text) // the client may have gone
	}
}

// answer writes a short document that changes with the log.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, status int, document any) {
	w.Header().Set("Cache-Control", "no-store")
	writeDocument(w, r, status, "application/json", document)
}

// showDocument answers a read with a document that changes with the log.
func (s *Server) showDocument(w http.ResponseWriter, r *http.Request, document func() (any, error)) error {
	var tag string
	data, err := s.reads.makeAnswer(r, func() (data []byte, err error) {
		data, tag, err = s.encodeShown(r, document)
		return data, err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serveTagged(w, r, data, tag)
}

// encodeShown returns a document that changes with the log, as it is sent, and its tag. It is
// made once for as long as no table moves on: whoever has posted sees what came of it, and
// so does everybody where the log has answered late.
func (s *Server) encodeShown(r *http.Request, document func() (any, error)) (data []byte, tag string, err error) {
	c, err := s.log.Checkpoint(r.Context())
	if err != nil {
		return nil, "", err
	}
	v := answerVersion{name: r.URL.Path + "?" + r.URL.RawQuery, size: c.Size, moves: s.admission.Moves()}
	if data, tag := s.documents.get(v); data != nil {
		return data, tag, nil
	}
	d, err := document()
	if err != nil {
		return nil, "", err
	}
	data = encodeDocument(d)
	tag = tagOf(data)
	s.documents.putForever(v, data, tag)
	return data, tag, nil
}

// getProblem explains a type of problem.
func (s *pageAPI) getProblem(w http.ResponseWriter, r *http.Request) error {
	for _, k := range kinds {
		if k.slug == r.PathValue("slug") {
			answerText(w, r, fmt.Sprintf("%s (%d)\n\n%s\n", k.title, k.status, k.about))
			return nil
		}
	}
	return problem(client.NotFound, "no problem has this type")
}

func classOf(f *table.Fault) client.Class {
	if f == nil {
		return client.Applied
	}
	return client.Class(f.Class.String())
}
