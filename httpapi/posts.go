package httpapi

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// postPath is a path to which entries are posted.
type postPath struct {
	of        string // what the path names, if it names a subject
	event     bool   // which is an event
	takes     func(e *bulletin.Entry) bool
	otherwise string // why another entry does not belong there
}

var (
	beginsTable = postPath{takes: func(e *bulletin.Entry) bool { return e.Table != nil }, otherwise: "a message begins no table"}
	movesTable  = postPath{of: "a table", takes: func(e *bulletin.Entry) bool { return e.Message != nil || e.Act != nil }, otherwise: "a genesis entry is no message"}
	beginsEvent = postPath{takes: func(e *bulletin.Entry) bool { return e.Event != nil }, otherwise: "the entry announces no event"}
	movesEvent  = postPath{of: "an event", event: true, takes: func(e *bulletin.Entry) bool { return e.Notice != nil || e.Decision != nil }, otherwise: "the entry is no notice and no decision"}
	anyEntry    = postPath{takes: func(*bulletin.Entry) bool { return true }}
)

// checkPlace says why an entry does not belong at a path that names a subject, or none.
func (at postPath) checkPlace(id wire.Hash, e *bulletin.Entry) error {
	switch of := admission.SubjectOf(e).ID; {
	case !at.takes(e):
		return problem(client.MalformedEntry, "%s", at.otherwise)
	case at.of == "" || of == id:
		return nil
	case at.event:
		return problem(client.RefusedNotice, "the entry is of the event %s", of)
	default:
		p := problem(client.RefusedMessage, "the message is of table %s", of)
		p.Check, p.Class, p.Table = string(table.CheckTable), client.Void, &id
		return p
	}
}

// acceptAt takes entries that belong at a path into the log, in the order form, place, authority, effect
// (70.4). The last two are admission's.
func (s *postAPI) acceptAt(at postPath) service {
	return func(w http.ResponseWriter, r *http.Request) error {
		q := query{r: r}
		var id wire.Hash
		if at.of != "" {
			id = q.subjectID(at.of)
		}
		if q.err != nil {
			return q.err
		}
		if err := s.mayPost(w, r); err != nil {
			return err
		}
		known := q.knownLog()
		if q.err != nil {
			return q.err
		}
		e, err := s.readEntry(w, r)
		if err != nil {
			return err
		}
		if err := at.checkPlace(id, e); err != nil {
			return &refusedEntry{e, err}
		}
		leave, err := s.enterPost(r, e)
		if err != nil {
			return err
		}
		defer leave()
		p, err := askTwice(r.Context(), s.Server, func() (admission.PostedEntry, error) {
			if e.Decision != nil && !s.departs {
				if err := s.events.refuseDeparture(r.Context(), e); err != nil {
					return admission.PostedEntry{}, err
				}
			}
			return s.admission.Post(r.Context(), e)
		})
		if err != nil {
			return &refusedEntry{e, err}
		}
		return s.answerPost(w, r, e, p, known)
	}
}

// answerPost answers a post: 201, or 200 if the bytes were in the log before.
func (s *postAPI) answerPost(w http.ResponseWriter, r *http.Request, e *bulletin.Entry, p admission.PostedEntry, known *knownLog) (err error) {
	d := client.PostedEntry{
		Index: p.Receipt.Index, Hash: p.Hash, Table: p.Table, N: p.N, Head: p.Head,
		Class: classOf(p.Fault), Receipt: string(p.Receipt.Marshal()),
	}
	if p.Fault != nil {
		d.Fault = faultDocument(p.Fault)
	}
	if e.Table != nil {
		s.offers.noteBegun(e.Hash, e.Table)
	}
	if e.Notice != nil {
		if d.Namesake, err = s.admission.Namesake(r.Context(), e); err != nil {
			return err
		}
	}
	if known != nil {
		hashes, err := s.posterGrowth(r.Context(), known, p.Receipt)
		if err != nil {
			return err
		}
		d.Growth = tlog.MarshalHashes(hashes)
	}
	s.answer(w, r, postStatus(p.Again), d)
	return nil
}

// postMark takes a mark, which is no entry of anything.
func (s *postAPI) postMark(w http.ResponseWriter, r *http.Request) error {
	if err := s.mayPost(w, r); err != nil {
		return err
	}
	mark, err := readDocument(w, r)
	if err != nil {
		return err
	}
	leave, err := s.posting.Enter(addressOf(r), 1)
	if err != nil {
		return err
	}
	defer leave()
	p, err := s.admission.PostMark(r.Context(), mark)
	if err != nil {
		return err
	}
	s.answer(w, r, postStatus(p.Again), client.MarkPosted{Index: p.Receipt.Index, Hash: p.Hash, Receipt: string(p.Receipt.Marshal())})
	return nil
}

// mayPost is mayWrite of what the log is to take.
func (s *postAPI) mayPost(w http.ResponseWriter, r *http.Request) error {
	if s.closed() {
		return problem(client.LogClosed, "this log is closed: /v1/logs lists those that are open")
	}
	return s.mayWrite(w, r)
}

// enterPost takes a place among the posts that are answered, and what an entry takes of other bounds.
// Not before it is read: a body that trickles in must hold no place, nor who waits for a turn.
func (s *postAPI) enterPost(r *http.Request, e *bulletin.Entry) (leave func(), err error) {
	leave, err = s.posting.Enter(addressOf(r), 1)
	if err != nil {
		return nil, err
	}
	switch now := time.Now(); {
	case e.Table != nil || e.Event != nil:
		err = s.creates.TakeToken(addressOf(r), now)
	case e.Notice != nil:
		err = s.events.notices.TakeToken(addressOf(r), now)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// noticeCost is what admission does for a notice, whoever has signed it.
const noticeCost = 500 * time.Microsecond

// readEntry reads a body, an entry and after it the blobs that it names, and parses it: nobody else
// looks into the bytes. An entry of an event takes a turn first: any key can send one, and no proof of
// work at a table comes before it.
func (s *postAPI) readEntry(w http.ResponseWriter, r *http.Request) (*bulletin.Entry, error) {
	parcel, rest, err := readBeginning(w, r)
	if err != nil {
		return nil, err
	}
	var attached []byte
	long := len(parcel) > maxBody
	if long {
		parcel, attached = wire.CutParcel(parcel)
	}
	if _, named := bulletin.EventNamed(parcel); named || bulletin.BeginsEvent(parcel) {
		if err := s.awaitTurn(r.Context()); err != nil {
			return nil, err
		}
		defer s.turns.Charge(addressOf(r), noticeCost)
		defer seenIn(r.Context()).turn.end()
	}
	e, err := bulletin.Parse(parcel)
	switch {
	case long && (err != nil || len(e.Blobs()) == 0):
		return nil, &http.MaxBytesError{Limit: maxBody}
	case err != nil && wire.BeginsMark(parcel):
		return nil, problem(client.MalformedEntry, "a mark is posted to /v1/marks")
	case err != nil:
		return nil, &admission.FormError{Err: err}
	case long:
		if err := s.readBlobs(w, r, e, attached, rest); err != nil {
			return nil, &refusedEntry{e, err}
		}
	}
	return e, nil
}

// readDocument reads a body that is no longer than an entry.
func readDocument(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	doc, _, err := readBeginning(w, r)
	if err == nil && len(doc) > maxBody {
		err = &http.MaxBytesError{Limit: maxBody}
	}
	return doc, err
}

// readBeginning reads as much of a body as an entry may have, and if there is more, one byte of that.
func readBeginning(w http.ResponseWriter, r *http.Request) (first []byte, rest io.Reader, err error) {
	media := "application/octet-stream"
	if named := r.Header.Get("Content-Type"); named != "" {
		media, _, err = mime.ParseMediaType(named)
	}
	coding := r.Header.Get("Content-Encoding")
	if err != nil || media != "application/octet-stream" && media != "text/plain" || coding != "" && coding != "identity" {
		w.Header().Set("Accept-Post", "application/octet-stream, text/plain")
		w.Header().Set("Accept-Encoding", "identity")
		return nil, nil, problem(client.MediaType, "post the entry as application/octet-stream")
	}
	body := http.MaxBytesReader(w, r.Body, maxBody+wire.MaxResidues)
	// Room for most entries at once; what is longer has to come before it gets more.
	b := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 0), usualBody)+bytes.MinRead))
	if _, err := b.ReadFrom(io.LimitReader(body, maxBody+1)); err != nil {
		return nil, nil, endedEarly(err)
	}
	return b.Bytes(), body, nil
}

// readBlobs reads on where a body is longer than an entry, if it is one that its table waits for: no
// other sender can make the server read, or keep, that much. Each body has little time: it is in
// memory as far as it has come. Of a message that the log has, with its blobs, the entry is enough.
func (s *postAPI) readBlobs(w http.ResponseWriter, r *http.Request, e *bulletin.Entry, attached []byte, rest io.Reader) error {
	wanted, err := askTwice(r.Context(), s.Server, func() (bool, error) { return s.admission.Expects(r.Context(), e) })
	if err != nil {
		return err
	}
	missing := e.Size() - len(e.Bytes()) - len(attached) + 1 // one byte too many is one that follows the blobs
	rest = io.LimitReader(rest, int64(missing))
	if !wanted {
		_, err := io.Copy(io.Discard, rest) // so that the sender gets to the answer
		return endedEarly(err)
	}
	connection := http.NewResponseController(w)
	deadline := func(d time.Duration) { _ = connection.SetReadDeadline(time.Now().Add(d)) } // what is no connection has none
	// Before it can be cut off: a later deadline would undo that.
	deadline(attachTime * time.Duration(1+missing>>20))
	leave := s.attaching.makeRoom(seatID{e.Message.Table, e.Message.Seat}, addressOf(r), func() { deadline(0) })
	more, err := io.ReadAll(rest)
	switch stood := leave(); {
	case !stood:
		deadline(0) // also where that came too late: the rest is not read
		return &limit.Error{Reason: limit.Concurrency}
	case err != nil:
		return endedEarly(err)
	}
	deadline(requestTime)
	if err := e.AttachBytes(append(attached, more...)); err != nil {
		return &admission.FormError{Err: err}
	}
	return nil
}

func endedEarly(err error) error {
	if err != nil {
		return problem(client.MalformedRequest, "the body ended early")
	}
	return nil
}

func postStatus(again bool) int {
	if again {
		return http.StatusOK
	}
	return http.StatusCreated
}
