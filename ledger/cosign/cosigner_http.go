package cosign

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/pakli/pakli/ledger/tlog"
)

// SizeMedia is the media type of the size in an answer 409.
const SizeMedia = "text/x.tlog.size"

// ServeHTTP serves POST /add-checkpoint, GET /<hex of SHA-256(origin)>/checkpoint for monitors, and
// GET /readyz for the operator.
func (c *Cosigner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	name, isCheckpoint := strings.CutSuffix(r.URL.EscapedPath(), "/checkpoint")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case r.URL.EscapedPath() == "/add-checkpoint" && r.Method == http.MethodPost:
		c.answerRequest(w, r)
	case r.URL.EscapedPath() == "/readyz" && reads:
		_, _ = io.WriteString(w, "ok\n")
	case isCheckpoint && reads:
		c.showNewest(w, strings.TrimPrefix(name, "/"))
	case isCheckpoint || r.URL.EscapedPath() == "/add-checkpoint":
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	default:
		http.NotFound(w, r)
	}
}

// showNewest answers with the newest cosigned checkpoint of a log.
func (c *Cosigner) showNewest(w http.ResponseWriter, name string) {
	for origin := range c.logs {
		if logID(origin) != name {
			continue
		}
		c.mu.Lock()
		note := c.latest[origin].checkpoint.Note
		c.mu.Unlock()
		if note != nil {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = w.Write(note)
			return
		}
	}
	http.Error(w, "no checkpoint of this log has been cosigned", http.StatusNotFound)
}

// answerRequest makes the checks in the order of c2sp.org/tlog-witness.
func (c *Cosigner) answerRequest(w http.ResponseWriter, r *http.Request) {
	body, whole := readBody(w, r, tlog.MaxAddCheckpoint)
	if !whole {
		return
	}
	lines, err := c.addCheckpoint(body)
	if err != nil {
		c.refuseRequest(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(lines)
}

// Errors of a request, besides tlog.ErrMalformed and tlog.ErrUnsigned.
var (
	errUnknownLog     = errors.New("this log is not known here")
	errShrinks        = errors.New("the old size is larger than the checkpoint's")
	errCosignerClosed = errors.New("the cosigner is closed")
)

func (c *Cosigner) addCheckpoint(body []byte) ([]byte, error) {
	a, cp, err := tlog.ParseAddCheckpoint(body)
	if err != nil {
		return nil, err
	}
	keys, known := c.logs[cp.Origin]
	if !known {
		return nil, errUnknownLog
	}
	if err := cp.Verify(keys...); err != nil {
		return nil, err
	}
	if a.Old > cp.Size {
		return nil, errShrinks
	}
	return c.signRequest(a, cp)
}

func (c *Cosigner) refuseRequest(w http.ResponseWriter, err error) {
	if conflict, ok := errors.AsType[*conflict](err); ok {
		w.Header().Set("Content-Type", SizeMedia)
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, "%d\n", conflict.size)
		return
	}
	status := http.StatusInternalServerError
	_, differs := errors.AsType[*inconsistent](err)
	switch {
	case differs:
		status = http.StatusUnprocessableEntity
	case errors.Is(err, errUnknownLog):
		status = http.StatusNotFound
	case errors.Is(err, tlog.ErrUnsigned):
		status = http.StatusForbidden
	case errors.Is(err, tlog.ErrMalformed), errors.Is(err, errShrinks):
		status = http.StatusBadRequest
	case errors.Is(err, errCosignerClosed):
		status = http.StatusServiceUnavailable
	default:
		c.logger.Error("cannot cosign", "err", err)
		err = errors.New("internal error") // err may name paths
	}
	http.Error(w, err.Error(), status)
}
