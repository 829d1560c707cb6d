package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
)

// getCosigned serves the newest checkpoint that enough cosigners have seen.
func (s *Server) getCosigned(w http.ResponseWriter, r *http.Request) error {
	if s.cosigned == nil {
		return problem(client.NotFound, "this log has no cosigners")
	}
	c, err := s.cosigned.Checkpoint(r.Context())
	if errors.Is(err, tlog.ErrNotCosigned) {
		return problem(client.NotReady, "%v", tlog.ErrNotCosigned)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serve(w, r, c.Note, tagOf(c.Note))
}

// receipt proves an entry under the newest cosigned checkpoint if that has it,
// and under the newest one otherwise.
func (s *Server) receipt(ctx context.Context, index uint64) (tlog.Receipt, error) {
	if s.cosigned != nil {
		r, err := admission.Receipt(ctx, s.cosigned, index)
		if !errors.Is(err, tlog.ErrRange) && !errors.Is(err, tlog.ErrNotCosigned) {
			return r, err
		}
	}
	return admission.Receipt(ctx, s.log, index)
}

// sameTiles makes /cosigned the prefix of a log: its tiles and blobs are those of
// the log without it.
func sameTiles(r *http.Request) *http.Request {
	for _, same := range []string{"/tile/", "/v1/blobs/"} {
		if strings.HasPrefix(r.URL.EscapedPath(), "/cosigned"+same) {
			clone, u := *r, *r.URL
			u.Path, u.RawPath = strings.TrimPrefix(u.Path, "/cosigned"), strings.TrimPrefix(u.RawPath, "/cosigned")
			clone.URL = &u
			return &clone
		}
	}
	return r
}
