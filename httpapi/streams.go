package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
)

// streamItem is one of a stream of Server-Sent Events (WHATWG HTML §9.2). Who names
// its id in Last-Event-ID gets what comes after it.
type streamItem struct {
	id   uint64
	data any
	name string // its kind; without one it has an id
}

// streamSource waits for events and returns them. Each call goes on where the last
// one ended. Without any before ctx ends, its error is that of ctx.
type streamSource func(ctx context.Context) ([]streamItem, error)

// getMessageEvents streams the entries of a table. Ids are their numbers.
func (s *tableAPI) getMessageEvents(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id, from := q.tableID(), q.resumePoint("from", math.MaxInt32)
	if q.err != nil {
		return q.err
	}
	if _, err := s.admission.Table(r.Context(), id); err != nil {
		return err
	}
	wait := func(ctx context.Context) error { return s.admission.Wait(ctx, admission.Subject{ID: id}, from) }
	return s.sendStream(w, r, s.pagedSource(wait, func(ctx context.Context) (list []streamItem, err error) {
		page, err := s.messagePage(ctx, id, from, maxPage)
		if err != nil {
			return nil, err
		}
		for _, m := range page.Messages {
			list = append(list, streamItem{id: uint64(m.N), data: m})
		}
		from += len(list)
		return list, nil
	}))
}

// pagedSource is a source that waits, and then reads a page in the turn of who asked.
func (s *Server) pagedSource(wait func(context.Context) error, page streamSource) streamSource {
	return func(ctx context.Context) ([]streamItem, error) {
		if err := wait(ctx); err != nil {
			return nil, err
		}
		if err := s.awaitTurn(ctx); err != nil {
			return nil, err
		}
		defer seenIn(ctx).turn.end()
		return page(ctx)
	}
}

// getCheckpointEvents streams checkpoints, the newest first. Ids are their
// sizes. Those published while one is sent are passed over, but for the last.
func (s *logAPI) getCheckpointEvents(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	least := q.resumePoint("min_size", math.MaxInt64)
	if q.err != nil {
		return q.err
	}
	return s.sendStream(w, r, func(ctx context.Context) ([]streamItem, error) {
		c, err := s.awaitSize(ctx, uint64(least))
		if err != nil {
			return nil, err
		}
		least = int(c.Size) + 1
		return []streamItem{{id: c.Size, data: checkpointDocument(c)}}, nil
	})
}

// awaitSize returns a checkpoint of at least size entries, as soon as there is one.
func (s *Server) awaitSize(ctx context.Context, size uint64) (tlog.Checkpoint, error) {
	if size == 0 {
		return s.log.Checkpoint(ctx)
	}
	return s.log.Await(ctx, size-1)
}

// sendStream answers with events until the client goes, the source fails or the
// server shuts down; the client comes back with the id of the last one. While
// there are none it sends comments, so that no proxy takes the connection for dead, and
// a client that has gone is noticed.
func (s *Server) sendStream(w http.ResponseWriter, r *http.Request, next streamSource) error {
	leave, err := s.polls.Enter(addressOf(r), 1)
	if err != nil {
		return err
	}
	defer leave()
	seenIn(r.Context()).waited = true
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // nginx would keep events back
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	ctx, cancel := s.serverContext(r)
	defer cancel()
	if err := s.pushPart(w, r, fmt.Appendf(nil, "retry: %d\n\n", retryStream.Milliseconds())); err != nil {
		return nil // it has gone
	}
	for {
		events, err := s.nextEvents(ctx, r, next)
		if err != nil {
			if ctx.Err() == nil {
				s.logger.Warn("stream ends", "path", r.URL.Path, "error", err)
			}
			return nil
		}
		if err := s.pushPart(w, r, frameEvents(events)); err != nil {
			return nil
		}
	}
}

// serverContext returns the context of a request that also ends when the server shuts
// down.
func (s *Server) serverContext(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// nextEvents returns the next events, or none when it is time for a heartbeat.
func (s *Server) nextEvents(ctx context.Context, r *http.Request, next streamSource) (events []streamItem, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		events, err = next(ctx)
	}()
	select {
	case <-done:
		return events, err
	case <-s.after(heartbeat):
	}
	cancel()
	<-done
	if errors.Is(err, context.Canceled) && s.life.Err() == nil && r.Context().Err() == nil {
		return nil, nil
	}
	return events, err
}

// frameEvents writes events as they are sent; none are a comment. JSON of ours is
// one line.
func frameEvents(events []streamItem) []byte {
	if len(events) == 0 {
		return []byte(":\n\n")
	}
	var b []byte
	for _, e := range events {
		if e.name != "" { // a client that comes back is told again
			b = fmt.Appendf(b, "event: %s\ndata: %s\n", e.name, encodeDocument(e.data))
			continue
		}
		b = fmt.Appendf(b, "id: %d\ndata: %s\n", e.id, encodeDocument(e.data)) // which ends with a line feed
	}
	return b
}

// pushPart sends a part of a stream at once. The client has as long to take it as
// for any answer; between parts nothing ends a stream, not even one of HTTP/2,
// where a deadline that passes does so without a write.
func (s *Server) pushPart(w http.ResponseWriter, r *http.Request, data []byte) error {
	leave, err := s.reads.unsent.Enter(addressOf(r), len(data))
	if err != nil {
		return err
	}
	defer leave()
	if err := deliverPieces(w, data, time.Now().Add(s.answerTime)); err != nil {
		return err
	}
	connection := http.NewResponseController(w)
	err = connection.Flush()
	_ = connection.SetWriteDeadline(time.Time{})
	return err
}
