package httpapi

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"

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
	return refusing{c}, nil
}

type refusing struct{ net.Conn }

// What stands between status line and text in an answer that net/http writes by itself,
// and in no answer of a handler.
var refusalHeader = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

func (c refusing) Write(b []byte) (int, error) {
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
