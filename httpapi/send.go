package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
)

// lane bounds reads of one kind: answers while they are made, which takes only
// the server's time, and afterwards, while the caller takes them, their bytes.
type lane struct {
	making *limit.Checks // waited for: one address has few at a time, the others more
	unsent *limit.Shares
}

// newLane returns a lane in which a few answers of one address are made at the
// same time.
func newLane(l Limits, few int) lane {
	return lane{
		limit.NewChecks(limit.ChecksOptions{Most: l.Reads, DearPerAddress: few, Long: l.Reads, Waiting: l.Reads, WaitingPerAddress: l.ReadsPerAddress, Clock: time.Now, Reason: limit.Concurrency}),
		limit.NewShares(l.Unsent, l.UnsentPerAddress),
	}
}

// made returns what answer makes, unless the caller has enough to read.
func (l lane) made(r *http.Request, answer func() ([]byte, error)) ([]byte, error) {
	if l.unsent.Nearly(addressOf(r)) {
		return nil, &limit.Error{Reason: limit.Concurrency}
	}
	leave, err := l.making.Enter(r.Context(), addressOf(r), -1)
	if err != nil {
		return nil, err
	}
	defer leave()
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

// door closes connections of addresses that have too many. A proxy has those of
// all its clients.
type door struct {
	net.Listener
	open    *limit.Shares
	proxies []netip.Prefix
}

func (d door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer, _ := netip.ParseAddrPort(c.RemoteAddr().String())
		address := peer.Addr().Unmap()
		if slices.ContainsFunc(d.proxies, func(p netip.Prefix) bool { return p.Contains(address) }) {
			return c, nil
		}
		leave, err := d.open.Enter(limit.Prefix(address.String()), 1)
		if err == nil {
			return &guest{Conn: c, leave: sync.OnceFunc(leave)}, nil
		}
		c.Close()
	}
}

// guest is a connection that counts until it is closed.
type guest struct {
	net.Conn
	leave func()
}

func (g *guest) Close() error {
	defer g.leave()
	return g.Conn.Close()
}
