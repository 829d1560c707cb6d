package httpapi

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// postTable begins a table.
func (s *Server) postTable(w http.ResponseWriter, r *http.Request) error {
	return s.acceptPost(w, r, func(entry []byte) error {
		if !wire.BeginsTable(entry) {
			return refuseMisplaced(entry, "a message begins no table")
		}
		return nil
	})
}

// postMessage adds a message to a table.
func (s *Server) postMessage(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.tableID()
	if q.err != nil {
		return q.err
	}
	return s.acceptPost(w, r, func(entry []byte) error {
		named, ok := wire.TableNamed(entry)
		if !ok {
			return refuseMisplaced(entry, "a genesis entry is no message")
		}
		if named != id {
			p := problem(client.RefusedMessage, "the message is of table %s", named)
			p.Check, p.Class, p.Table = string(table.CheckTable), client.Void, &id
			return p
		}
		return nil
	})
}

// postEntry takes any entry.
func (s *Server) postEntry(w http.ResponseWriter, r *http.Request) error {
	return s.acceptPost(w, r, func(entry []byte) error {
		if wire.BeginsMark(entry) {
			return problem(client.MalformedEntry, "a mark is posted to /v1/marks")
		}
		return nil
	})
}

// refuseMisplaced refuses an entry that was posted to the wrong place, or is none.
func refuseMisplaced(entry []byte, detail string) error {
	if _, err := wire.Parse(entry); err != nil {
		return &admission.FormError{Err: err}
	}
	return problem(client.MalformedEntry, "%s", detail)
}

// acceptPost hands the body to admission if it fits where it was posted to.
func (s *Server) acceptPost(w http.ResponseWriter, r *http.Request, fits func(entry []byte) error) error {
	if s.private && !isLocal(r) {
		return problem(client.ForeignPage, "this server is for pages and programs of its own machine")
	}
	if err := s.mayGrow(); err != nil {
		return err
	}
	if err := s.mayPost(w, r); err != nil {
		return err
	}
	q := query{r: r}
	stands := q.knownLog()
	if q.err != nil {
		return q.err
	}
	entry, err := s.readParcel(w, r)
	if err != nil {
		return err
	}
	if err := fits(entry); err != nil {
		return refuseParcel(entry, err)
	}
	e, err := s.eventEntry(r, entry)
	if err != nil {
		return refuseParcel(entry, err)
	}
	// Not before: a body that trickles in must hold no slot, nor who waits for a turn.
	leave, err := s.posting.Enter(addressOf(r), 1)
	if err != nil {
		return err
	}
	defer leave()
	if wire.BeginsTable(entry) || wire.BeginsEvent(entry) {
		if err := s.creates.TakeToken(addressOf(r), time.Now()); err != nil {
			return err
		}
	}
	p, err := s.admitEntry(r.Context(), func(ctx context.Context) (admission.PostedEntry, error) {
		if e != nil {
			return s.postOfEvent(ctx, r, e)
		}
		return s.admission.Post(ctx, entry)
	})
	if err != nil {
		return refuseParcel(entry, err)
	}
	if wire.BeginsTable(entry) {
		s.announceTable(entry)
	}
	return s.answerPost(w, r, p, stands)
}

// readParcel reads a body: an entry, and after it the blobs that it names.
func (s *Server) readParcel(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	media, err := "application/octet-stream", error(nil)
	if named := r.Header.Get("Content-Type"); named != "" {
		media, _, err = mime.ParseMediaType(named)
	}
	coding := r.Header.Get("Content-Encoding")
	if err != nil || media != "application/octet-stream" && media != "text/plain" || coding != "" && coding != "identity" {
		w.Header().Set("Accept-Post", "application/octet-stream, text/plain")
		w.Header().Set("Accept-Encoding", "identity")
		return nil, problem(client.MediaType, "post the entry as application/octet-stream")
	}
	body := http.MaxBytesReader(w, r.Body, maxBody+wire.MaxResidues)
	// Room for most entries at once; what is longer has to come before it gets more.
	first := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 0), usualBody)+bytes.MinRead))
	if _, err := first.ReadFrom(io.LimitReader(body, maxBody+1)); err != nil {
		return nil, endedEarly(err)
	}
	if first.Len() <= maxBody {
		return first.Bytes(), nil
	}
	return s.readBlobs(w, r, first.Bytes(), body)
}

// readBlobs reads on where a body is longer than an entry, if it begins with a
// message that its table waits for: no other sender can make the server read, or
// keep, that much. Each body has little time: it is in memory as far as it has
// come. Of a message that the log has, with its blobs, the entry is enough.
func (s *Server) readBlobs(w http.ResponseWriter, r *http.Request, first []byte, rest io.Reader) ([]byte, error) {
	entry, attached := wire.CutParcel(first)
	e, err := wire.Parse(entry)
	if err != nil || e.Message == nil || len(e.Message.Blobs()) == 0 {
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	wanted, err := s.expectsBlobs(r.Context(), e)
	if err != nil {
		return nil, refuseParcel(entry, err)
	}
	missing := e.Size() - len(e.Bytes()) - len(attached) + 1 // one byte too many is found by admission
	rest = io.LimitReader(rest, int64(missing))
	if !wanted {
		_, err := io.Copy(io.Discard, rest) // so that the sender gets to the answer
		return entry, endedEarly(err)
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
		return nil, &limit.Error{Reason: limit.Concurrency}
	case err != nil:
		return nil, endedEarly(err)
	}
	deadline(requestTime)
	return append(first, more...), nil
}

func endedEarly(err error) error {
	if err != nil {
		return problem(client.MalformedRequest, "the body ended early")
	}
	return nil
}

// answerPost answers a post: 201, or 200 if the bytes were in the log before.
func (s *Server) answerPost(w http.ResponseWriter, r *http.Request, p admission.PostedEntry, k *knownLog) error {
	status := http.StatusCreated
	if p.Again {
		status = http.StatusOK
	}
	if p.N == 0 && p.Table == (wire.Hash{}) {
		s.answer(w, r, status, client.MarkPosted{Index: p.Receipt.Index, Hash: p.Hash, Receipt: string(p.Receipt.Marshal())})
		return nil
	}
	d := client.PostedEntry{
		Index: p.Receipt.Index, Hash: p.Hash, Table: p.Table, N: p.N, Head: p.Head,
		Class: classOf(p.Fault), Receipt: string(p.Receipt.Marshal()),
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
	s.answer(w, r, status, d)
	return nil
}
