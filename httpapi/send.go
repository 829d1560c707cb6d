package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
)

// lane bounds reads of one kind: the bytes of answers while the caller takes them.
type lane struct{ unsent *limit.Shares }

func newLane(l Limits) lane { return lane{limit.NewShares(l.Unsent, l.UnsentPerAddress)} }

// made returns what answer makes, unless the caller has enough to read.
func (l lane) made(r *http.Request, answer func() ([]byte, error)) ([]byte, error) {
	if l.unsent.Nearly(addressOf(r)) {
		return nil, &limit.Error{Reason: limit.Concurrency}
	}
	return answer()
}

// tagOf returns the strong tag of data.
func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// serve answers with data, or with 304 if the client has it.
func (l lane) serve(w http.ResponseWriter, r *http.Request, data []byte, tag string) error {
	w.Header().Set("ETag", tag)
	if known(r, tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return l.send(w, r, data)
}

// send answers with data. It fails only before anything was written. How long
// a coded answer would be is not known where it is not sent.
func (l lane) send(w http.ResponseWriter, r *http.Request, data []byte) error {
	if r.Method == http.MethodHead {
		if w.Header().Get("Content-Encoding") == "" {
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		}
		w.WriteHeader(http.StatusOK)
		return nil
	}
	leave, err := l.unsent.Enter(addressOf(r), len(data))
	if err != nil {
		return err
	}
	defer leave()
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(http.StatusOK)
	_ = deliver(w, data, time.Now().Add(answerTime)) // the client may have gone
	return nil
}

// deliver writes data in pieces, and gives up on a client that does not take
// each of them in stallTime, or all of them by the end.
func deliver(w http.ResponseWriter, data []byte, end time.Time) error {
	connection := http.NewResponseController(w)
	for len(data) > 0 {
		piece := data[:min(len(data), maxPiece)]
		deadline := time.Now().Add(stallTime)
		if deadline.After(end) {
			deadline = end
		}
		_ = connection.SetWriteDeadline(deadline) // what is no connection has none
		if _, err := w.Write(piece); err != nil {
			return err
		}
		data = data[len(piece):]
	}
	return nil
}
