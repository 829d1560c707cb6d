package httpapi

import (
	"context"
	"net/http"

	"github.com/pakli/pakli/httpapi/client"
)

// retryDenied makes h look again before it denies: what one front end of a log has acknowledged,
// no other one denies (docs/spec/70-http.md, 70.4.1).
func (s *Server) retryDenied(h service) service {
	return func(w http.ResponseWriter, r *http.Request) error {
		_, err := askTwice(r.Context(), s, func() (struct{}, error) { return struct{}{}, h(w, r) })
		return err
	}
}

// askTwice asks once more if the first answer denies what others may have.
func askTwice[T any](ctx context.Context, s *Server, ask func() (T, error)) (T, error) {
	answer, err := ask()
	if s.catchUp == nil || !isDenial(err) {
		return answer, err
	}
	if err := s.lookAgain(ctx); err != nil {
		return answer, err
	}
	return ask()
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
