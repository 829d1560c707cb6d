package httpapi

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/pakli/pakli/httpapi/client"
)

// refusals makes problem documents of what net/http answers by itself, in plain text,
// to what is no request: 400, 431, 501 (a transfer coding that nobody knows) and 505. No
// handler ever sees those. It stands below net/http, which wants connections of TLS to
// be its own: over TLS the answers stay as they are.
type refusals struct{ net.Listener }

func (l refusals) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &refusing{Conn: c}, nil
}

// refusing is a connection on which net/http may answer by itself, but not while there is
// a request: then it writes what a handler has made, which may look like such an answer
// from any byte on.
type refusing struct {
	net.Conn
	request atomic.Bool
}

type refusingKey struct{}

// begun notes that there is a request on the connection of r.
func begun(r *http.Request) {
	if c, ok := r.Context().Value(refusingKey{}).(*refusing); ok {
		c.request.Store(true)
	}
}

// over notes that the last request of a connection was answered, if it was.
func over(c net.Conn, state http.ConnState) {
	if c, ok := c.(*refusing); ok && state == http.StateIdle {
		c.request.Store(false)
	}
}

// What stands between status line and text in an answer that net/http writes by itself.
var refusalHeader = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

func (c *refusing) Write(b []byte) (int, error) {
	if c.request.Load() {
		return c.Conn.Write(b)
	}
	line, text, ok := bytes.Cut(b, refusalHeader)
	line, version := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || !version || len(line) < 3 || bytes.ContainsAny(line, "\r\n") {
		return c.Conn.Write(b)
	}
	status, err := strconv.Atoi(string(line[:3]))
	if err != nil {
		return c.Conn.Write(b)
	}
	document := encoded(client.Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: string(text)})
	_, err = fmt.Fprintf(c.Conn, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(document), document)
	if err != nil {
		return 0, err
	}
	return len(b), nil
}
