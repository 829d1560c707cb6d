package httpapi

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
)

// lane bounds reads of one kind: the bytes of answers while the caller takes them.
type lane struct{ unsent *limit.Shares }

func newLane(l Limits) lane { return lane{limit.NewShares(l.Unsent, l.UnsentPerAddress)} }

// makeAnswer returns what answer makes, unless the caller has enough to read.
func (l lane) makeAnswer(r *http.Request, answer func() ([]byte, error)) ([]byte, error) {
	if l.unsent.NearlyFull(addressOf(r)) {
		return nil, &limit.Error{Reason: limit.Concurrency}
	}
	return answer()
}

// tagOf returns the strong tag of data.
func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// serveTagged answers with data, or with 304 if the client has it.
func (l lane) serveTagged(w http.ResponseWriter, r *http.Request, data []byte, tag string) error {
	w.Header().Set("ETag", tag)
	if clientHas(r, tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return l.sendBody(w, r, data)
}

// sendBody answers with data. It fails only before anything was written. How long
// a coded answer would be is not known where it is not sent.
func (l lane) sendBody(w http.ResponseWriter, r *http.Request, data []byte) error {
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
	_ = deliverPieces(w, data, time.Now().Add(answerTime)) // the client may have gone
	return nil
}

// deliverPieces writes data in pieces, and gives up on a client that does not take
// each of them in stallTime, or all of them by the end.
func deliverPieces(w http.ResponseWriter, data []byte, end time.Time) error {
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

// answerCache are answers that many ask for, as they are sent. Those not used for longest are
// forgotten.
type answerCache struct {
	most int // bytes

	mu    sync.Mutex
	bytes int
	known map[answerVersion]*list.Element
	order *list.List // of keptAnswer, the one used last in front
}

// answerVersion names an answer: what its name answers never changes.
type answerVersion struct {
	name        string
	size, moves uint64 // of the log, and of its tables; 0 of a tile, which is for ever
	zip         bool
}

type keptAnswer struct {
	answerVersion
	data  []byte
	tag   string
	until time.Time // zero: for ever
}

// keptCost is what an answer takes beside its bytes and its name, which anybody can
// make as long as a header.
const keptCost = 512

func (a keptAnswer) cost() int { return len(a.data) + len(a.name) + keptCost }

func newKept(most int) *answerCache {
	return &answerCache{most: most, known: map[answerVersion]*list.Element{}, order: list.New()}
}

// get returns an answer and its tag, nil if it is not kept.
func (k *answerCache) get(v answerVersion) (data []byte, tag string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.known[v]
	if !ok {
		return nil, ""
	}
	a := e.Value.(keptAnswer)
	if !a.until.IsZero() && time.Now().After(a.until) {
		k.dropAnswer(e)
		return nil, ""
	}
	k.order.MoveToFront(e)
	return a.data, a.tag
}

func (k *answerCache) putForever(v answerVersion, data []byte, tag string) {
	k.putUntil(v, data, tag, time.Time{})
}

// putUntil is putForever of what is not good for ever.
func (k *answerCache) putUntil(v answerVersion, data []byte, tag string, until time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.known[v]; ok {
		return
	}
	a := keptAnswer{v, data, tag, until}
	k.known[v] = k.order.PushFront(a)
	k.bytes += a.cost()
	for k.bytes > k.most {
		k.dropAnswer(k.order.Back())
	}
}

func (k *answerCache) dropAnswer(e *list.Element) {
	a := k.order.Remove(e).(keptAnswer)
	delete(k.known, a.answerVersion)
	k.bytes -= a.cost()
}

func gzipBytes(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	// A bytes.Buffer takes everything.
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}
