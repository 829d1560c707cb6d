package httpapi

import (
	"context"
	"net/http"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/wire"
)

// retryDenied makes h look again before it denies: what one front end of a log has acknowledged,
// no other one denies (docs/spec/70-http.md, 70.4.1).
func (s *Server) retryDenied(h service) service {
	if s.catchUp == nil {
		return h
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		err := h(w, r)
		if !isDenial(err) {
			return err
		}
		if err := s.lookAgain(r.Context()); err != nil {
			return err
		}
		return h(w, r)
	}
}

// lookAgain waits for what was promised anywhere.
func (s *Server) lookAgain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.latestTime)
	defer cancel()
	resume := pauseTurn(ctx)
	err := s.catchUp(ctx)
	if late := resume(); late != nil {
		return late
	}
	if err != nil {
		s.logger.Debug("cannot look what is in the log", "error", err)
		return problem(client.Busy, "it cannot be said now what the log has")
	}
	return nil
}

// isDenial reports whether an answer says that something is not there, or that it is
// something else.
func isDenial(err error) bool {
	if err == nil {
		return false
	}
	p := problemOf(err)
	return (p.Status == http.StatusNotFound || p.Status == http.StatusConflict) && p.Index == nil
}

// admitEntry hands an entry to admission, and once more if the first answer denies what others
// may have.
func (s *Server) admitEntry(ctx context.Context, once func(ctx context.Context) (admission.PostedEntry, error)) (admission.PostedEntry, error) {
	p, err := once(ctx)
	if s.catchUp == nil || !isDenial(err) {
		return p, err
	}
	if err := s.lookAgain(ctx); err != nil {
		return admission.PostedEntry{}, err
	}
	return once(ctx)
}

// expectsBlobs is admission's, asked once more likewise.
func (s *Server) expectsBlobs(ctx context.Context, e *wire.Entry) (bool, error) {
	wanted, err := s.admission.Expects(ctx, e)
	if s.catchUp == nil || !isDenial(err) {
		return wanted, err
	}
	if err := s.lookAgain(ctx); err != nil {
		return false, err
	}
	return s.admission.Expects(ctx, e)
}
