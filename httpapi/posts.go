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

// postTable begins a table.
func (s *postAPI) postTable(w http.ResponseWriter, r *http.Request) error {
	return s.acceptPost(w, r, func(e *bulletin.Entry) error { return checkKind(e.Table != nil, "a message begins no table") })
}

// postMessage adds a message to a table.
func (s *postAPI) postMessage(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.tableID()
	if q.err != nil {
		return q.err
	}
	return s.acceptPost(w, r, func(e *bulletin.Entry) error {
		if err := checkKind(e.Message != nil || e.Act != nil, "a genesis entry is no message"); err != nil {
			return err
		}
		if named := e.TableID(); named != id {
			p := problem(client.RefusedMessage, "the message is of table %s", named)
			p.Check, p.Class, p.Table = string(table.CheckTable), client.Void, &id
			return p
		}
		return nil
	})
}

// postEvent announces an event.
func (s *postAPI) postEvent(w http.ResponseWriter, r *http.Request) error {
	return s.acceptPost(w, r, func(e *bulletin.Entry) error { return checkKind(e.Event != nil, "the entry announces no event") })
}

// postEventEntry adds a notice or a decision to an event.
func (s *postAPI) postEventEntry(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.eventID()
	if q.err != nil {
		return q.err
	}
	return s.acceptPost(w, r, func(e *bulletin.Entry) error {
		if err := checkKind(e.Notice != nil || e.Decision != nil, "the entry is no notice and no decision"); err != nil {
			return err
		}
		if named := e.NamedEvent(); named != id {
			return problem(client.RefusedNotice, "the entry is of the event %s", named)
		}
		return nil
	})
}

func checkKind(belongs bool, otherwise string) error {
	if belongs {
		return nil
	}
	return problem(client.MalformedEntry, "%s", otherwise)
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

// postEntry takes any entry.
func (s *postAPI) postEntry(w http.ResponseWriter, r *http.Request) error {
	return s.acceptPost(w, r, func(*bulletin.Entry) error { return nil })
}

// acceptPost takes an entry into the log, in the order form, place, authority, effect (70.4); fits says
// why an entry does not belong at the path. The last two are admission's.
func (s *postAPI) acceptPost(w http.ResponseWriter, r *http.Request, fits func(*bulletin.Entry) error) error {
	if err := s.mayPost(w, r); err != nil {
		return err
	}
	q := query{r: r}
	stands := q.knownLog()
	if q.err != nil {
		return q.err
	}
	e, err := s.readEntry(w, r)
	if err != nil {
		return err
	}
	if err := fits(e); err != nil {
		return refuseEntry(e, err)
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
		return refuseEntry(e, err)
	}
	if e.Table != nil {
		s.offers.TableBegun(e.Hash, e.Table)
	}
	var namesake *uint64
	if e.Notice != nil {
		if namesake, err = s.admission.Namesake(r.Context(), e); err != nil {
			return err
		}
	}
	return s.answerPost(w, r, p, stands, namesake)
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

// readEntry reads a body, an entry and after it the blobs that it names, and parses it: nobody else
// looks into the bytes.
func (s *postAPI) readEntry(w http.ResponseWriter, r *http.Request) (*bulletin.Entry, error) {
	first, rest, err := readBeginning(w, r)
	if err != nil {
		return nil, err
	}
	if len(first) <= maxBody {
		return s.parseEntry(r, first)
	}
	entry, attached := wire.CutParcel(first)
	e, err := s.parseEntry(r, entry)
	if err != nil || len(e.Blobs()) == 0 {
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	if err := s.readBlobs(w, r, e, attached, rest); err != nil {
		return nil, refuseEntry(e, err)
	}
	return e, nil
}

// noticeCost is what admission does for a notice, whoever has signed it.
const noticeCost = 500 * time.Microsecond

// parseEntry parses what was posted. An entry of an event takes a turn first: any key can
// send one, and no proof of work at a table comes before it.
func (s *postAPI) parseEntry(r *http.Request, parcel []byte) (*bulletin.Entry, error) {
	if _, named := bulletin.EventNamed(parcel); named || bulletin.BeginsEvent(parcel) {
		if err := s.awaitTurn(r.Context()); err != nil {
			return nil, err
		}
		defer s.turns.Charge(addressOf(r), noticeCost)
		defer seenIn(r.Context()).endTurn()
	}
	e, err := bulletin.Parse(parcel)
	switch {
	case err != nil && wire.BeginsMark(parcel):
		return nil, problem(client.MalformedEntry, "a mark is posted to /v1/marks")
	case err != nil:
		return nil, &admission.FormError{Err: err}
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
	_, err = b.ReadFrom(io.LimitReader(body, maxBody+1))
	return b.Bytes(), body, endedEarly(err)
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

// answerPost answers a post: 201, or 200 if the bytes were in the log before.
func (s *postAPI) answerPost(w http.ResponseWriter, r *http.Request, p admission.PostedEntry, k *knownLog, namesake *uint64) error {
	d := client.PostedEntry{
		Index: p.Receipt.Index, Hash: p.Hash, Table: p.Table, N: p.N, Head: p.Head,
		Class: classOf(p.Fault), Receipt: string(p.Receipt.Marshal()), Namesake: namesake,
	}
	if p.Fault != nil {
		d.Fault = faultDocument(p.Fault)
	}
	if k != nil {
		hashes, err := s.posterGrowth(r.Context(), k, p.Receipt)
		if err != nil {
			return err
		}
		d.Growth = tlog.MarshalHashes(hashes)
	}
	s.answer(w, r, postStatus(p.Again), d)
	return nil
}

func postStatus(again bool) int {
	if again {
		return http.StatusOK
	}
	return http.StatusCreated
}
