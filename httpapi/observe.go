package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
)

// AnsweredRequest says what became of a request. It has nothing of its body, its query
// or its headers, but for the request id, which anybody may see.
type AnsweredRequest struct {
	Request string // its id
	Method  string
	Route   string // pattern of the path; empty if nothing is there
	Path    string
	Caller  netip.Prefix
	Status  int // 0: the connection was given up before
	Bytes   int64
	Reason  string // why it was refused: the limit, or the type of problem
	Waited  bool   // for something to happen: how long it took says nothing
	Took    time.Duration
}

// observedAnswer is an answer on its way, and what is known of it.
type observedAnswer struct {
	http.ResponseWriter
	status        int
	bytes         int64
	route, reason string
	waited, gone  bool
	turn          *turn // nil: it never had one
}

func (s *observedAnswer) WriteHeader(status int) {
	s.turn.end()
	if s.status == 0 && status >= http.StatusOK {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *observedAnswer) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
		s.turn.end()
	}
	n, err := s.ResponseWriter.Write(b)
	s.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (s *observedAnswer) Unwrap() http.ResponseWriter { return s.ResponseWriter }

type seenKey struct{}

// seenIn returns where to note what is known of the answer to a request.
func seenIn(ctx context.Context) *observedAnswer {
	if v, ok := ctx.Value(seenKey{}).(*observedAnswer); ok {
		return v
	}
	return new(observedAnswer)
}

// observe watches an answer; done ends its turn, charges for its bytes, and calls
// Options.Answered.
func (s *Server) observe(w http.ResponseWriter, r *http.Request, caller netip.Prefix) (http.ResponseWriter, *http.Request, func()) {
	begin, lines := time.Now(), 0
	for _, values := range r.Header {
		lines += len(values)
	}
	v := &observedAnswer{ResponseWriter: w}
	r = r.WithContext(context.WithValue(limit.WithCaller(r.Context(), caller), seenKey{}, v))
	return v, r, func() {
		v.turn.end()
		s.turns.Charge(caller, requestCost+time.Duration(lines)*headerCost+time.Duration(v.bytes)*byteCost)
		switch {
		case v.gone:
			v.status = 0
		case v.status == 0 && r.Context().Err() == nil:
			v.status = http.StatusOK // net/http says so where nothing was written
		}
		s.answered(AnsweredRequest{
			Request: w.Header().Get(headerRequest), Method: r.Method, Route: v.route, Path: r.URL.Path, Caller: caller,
			Status: v.status, Bytes: v.bytes, Reason: v.reason, Waited: v.waited, Took: time.Since(begin),
		})
	}
}
