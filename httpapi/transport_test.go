package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi/client"
)

// What the transport refuses before there is a request must be a problem document like
// every other refusal, and what looks like it in an answer must stay.
func TestTransportProblems(t *testing.T) {
	h := newHouse(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error)
	go func() { stopped <- h.server.Serve(ctx, l) }()
	for request, want := range map[string]int{
		"POST /v1/entries HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n": http.StatusNotImplemented,
		"GET / HTTP/1.1\r\n\r\n":            http.StatusBadRequest,
		"nonsense\r\n\r\n":                  http.StatusBadRequest,
		"GET / HTTP/3.7\r\nHost: x\r\n\r\n": http.StatusHTTPVersionNotSupported,
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1<<17) + "\r\n\r\n":          http.StatusRequestHeaderFieldsTooLarge,
		"GET /problems/not-found HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":            http.StatusOK,
		"GET /livez HTTP/1.0\r\nHost: x\r\n\r\n":                                              http.StatusOK,
		"GET /nowhere HTTP/1.1\r\nHost: x\r\nAccept: text/plain\r\nConnection: close\r\n\r\n": http.StatusNotFound,
	} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("%.40q: %v", request, err)
		}
		body, err := io.ReadAll(resp.Body)
		c.Close()
		if err != nil || resp.StatusCode != want {
			t.Errorf("%.40q: %d %s (%v), want %d", request, resp.StatusCode, body, err, want)
		}
		var p client.Problem
		is := resp.Header.Get("Content-Type") == "application/problem+json" && json.Unmarshal(body, &p) == nil && p.Status == want && p.Title == http.StatusText(want)
		if is != (want >= 400) && want != http.StatusNotFound {
			t.Errorf("%.40q: %v %s", request, resp.Header, body)
		}
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
