package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"time"
)

// Answered says what became of a request. It has nothing of its body, its query
// or its headers, but for the request id, which anybody may see.
type Answered struct {
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

// seen is an answer on its way, and what is known of it.
type seen struct {
	http.ResponseWriter
	status        int
	bytes         int64
	route, reason string
	waited, gone  bool
	turn          *turn // nil: it never had one
}

func (s *seen) WriteHeader(status int) {
	s.leave()
	if s.status == 0 && status >= http.StatusOK {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *seen) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
		s.leave()
	}
	n, err := s.ResponseWriter.Write(b)
	s.bytes += int64(n)
	return n, err
}

// leave ends the turn, if there is one.
func (s *seen) leave() { s.turn.end() }

// Unwrap is for http.ResponseController.
func (s *seen) Unwrap() http.ResponseWriter { return s.ResponseWriter }

type seenKey struct{}

// seenIn returns where to note what is known of the answer to a request.
func seenIn(ctx context.Context) *seen {
	if v, ok := ctx.Value(seenKey{}).(*seen); ok {
		return v
	}
	return new(seen)
}

// observe watches an answer; done ends its turn, charges for its bytes, and calls
// Options.Answered.
func (s *Server) observe(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request, func()) {
	begin, lines := time.Now(), 0
	for _, values := range r.Header {
		lines += len(values)
	}
	v := &seen{ResponseWriter: w}
	return v, r.WithContext(context.WithValue(r.Context(), seenKey{}, v)), func() {
		v.leave()
		s.turns.Charge(addressOf(r), requestCost+time.Duration(lines)*headerCost+time.Duration(v.bytes)*byteCost)
		switch {
		case v.gone:
			v.status = 0
		case v.status == 0 && r.Context().Err() == nil:
			v.status = http.StatusOK // net/http says so where nothing was written
		}
		s.answered(Answered{
			Request: w.Header().Get(headerRequest), Method: r.Method, Route: v.route, Path: r.URL.Path, Caller: addressOf(r),
			Status: v.status, Bytes: v.bytes, Reason: v.reason, Waited: v.waited, Took: time.Since(begin),
		})
	}
}
