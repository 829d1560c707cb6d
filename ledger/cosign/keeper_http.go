package cosign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
)

// Bounds of request bodies.
const (
	LargeAtOnce = 32       // bodies that may have more than SmallBody bytes and are read at a time
	SmallBody   = 64 << 10 // bytes; most bodies have a few hundred, and a small one never waits for a large one

	readStart = 2 * time.Second
	readRate  = 128 << 10 // bytes a second, after that
)

// Handler serves POST /hold, POST /present, POST /silence, GET /held/<table> and GET
// /held/<table>/<entry>, and passes other requests to rest.
func (k *Keeper) Handler(rest http.Handler) http.Handler {
	reading := make(chan struct{}, LargeAtOnce)
	post := func(say func(exchange.Request) ([]byte, error), limit int64) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength < 0 || r.ContentLength > SmallBody {
				select {
				case reading <- struct{}{}:
					defer func() { <-reading }()
				case <-r.Context().Done():
					return
				}
			}
			k.answerRequest(w, r, say, limit)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", rest)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := k.checkReady(); err != nil {
			k.refuseRequest(w, err)
			return
		}
		rest.ServeHTTP(w, r)
	})
	mux.HandleFunc("POST /hold", post(k.Hold, exchange.MaxRequest))
	mux.HandleFunc("POST /present", post(k.Present, exchange.MaxRequest))
	mux.HandleFunc("POST /silence", post(k.Silence, 3*wire.MaxEntry))
	mux.HandleFunc("GET /held/{table}", k.getHeld)
	mux.HandleFunc("GET /held/{table}/{entry}", k.getMessage)
	return mux
}

func setHeaders(w http.ResponseWriter, media string) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Content-Type", media)
}

// readBody reads a body of at most the given number of bytes, or answers the request with the
// error.
func readBody(w http.ResponseWriter, r *http.Request, most int64) (body []byte, whole bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	} else if err != nil {
		http.Error(w, "the body ended early", http.StatusBadRequest)
	}
	return body, err == nil
}

func (k *Keeper) answerRequest(w http.ResponseWriter, r *http.Request, say func(exchange.Request) ([]byte, error), limit int64) {
	setHeaders(w, "text/plain; charset=utf-8")
	size := limit
	if r.ContentLength >= 0 {
		size = min(limit, r.ContentLength)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readStart + time.Duration(size)*time.Second/readRate))
	body, whole := readBody(w, r, limit)
	if !whole {
		return
	}
	var line []byte
	request, err := exchange.ParseRequest(body)
	if err != nil || (request.Message == nil) != (r.URL.Path == "/silence") {
		http.Error(w, fmt.Sprintf("no request of the format %s for this path", exchange.RequestFormat), http.StatusBadRequest)
		return
	}
	if line, err = say(request); err != nil {
		k.refuseRequest(w, err)
		return
	}
	if line != nil {
		_, _ = io.WriteString(w, exchange.FormatLine(k.Signer.Name(), line))
	}
}

// refuseRequest answers with the reason why there is no line.
func (k *Keeper) refuseRequest(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	soon, wait := errors.AsType[*soonError](err)
	switch {
	case wait:
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(soon.after.Seconds()))))
		status = http.StatusTooEarly
	case errors.Is(err, errForeign):
		status = http.StatusNotFound
	case errors.Is(err, errNamed), errors.Is(err, errSigner):
		status = http.StatusForbidden
	case errors.Is(err, errOther), errors.Is(err, errOld), errors.Is(err, errHeld), errors.Is(err, errBranch), errors.Is(err, errFast), errors.Is(err, errDoubt):
		status = http.StatusConflict
	case errors.Is(err, errFull):
		status = http.StatusInsufficientStorage
	case errors.Is(err, errKeeperClosed), errors.Is(err, errFailed):
		status = http.StatusServiceUnavailable
	case errors.Is(err, tlog.ErrMalformed):
		status = http.StatusBadRequest
	default:
		k.Logger.Error("cannot keep", "err", err)
		err = errors.New("internal error") // err may name paths
	}
	http.Error(w, err.Error(), status)
}

// getHeld answers with the shown entries of a table after the index in the query.
func (k *Keeper) getHeld(w http.ResponseWriter, r *http.Request) {
	table, err := wire.ParseHash(r.PathValue("table"))
	after := int64(-1)
	if text := r.URL.Query().Get("after"); err == nil && text != "" {
		after, err = strconv.ParseInt(text, 10, 64)
	}
	if err != nil {
		http.Error(w, "a table has 64 lower-case hexadecimal digits, and after is an index", http.StatusBadRequest)
		return
	}
	shown := k.HeldMessages(table, after)
	if shown == nil {
		setHeaders(w, "text/plain; charset=utf-8")
		http.Error(w, "nothing is kept of this table", http.StatusNotFound)
		return
	}
	setHeaders(w, "application/json")
	_ = json.NewEncoder(w).Encode(shown)
}

// getMessage answers with a held message, as a file.
func (k *Keeper) getMessage(w http.ResponseWriter, r *http.Request) {
	table, wrong := wire.ParseHash(r.PathValue("table"))
	entry, err := wire.ParseHash(strings.TrimSuffix(r.PathValue("entry"), ".held"))
	setHeaders(w, "text/plain; charset=utf-8")
	if errors.Join(wrong, err) != nil {
		http.Error(w, "a table and an entry have 64 lower-case hexadecimal digits", http.StatusBadRequest)
		return
	}
	b, err := k.Message(table, entry)
	if err != nil || b == nil {
		http.Error(w, "this message is not held", http.StatusNotFound)
		return
	}
	_, _ = w.Write(b)
}
