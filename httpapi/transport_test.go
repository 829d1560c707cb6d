package httpapi_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// What the transport refuses before there is a request must be a problem document like
// every other refusal, and what looks like it in an answer must stay.
func TestTransportProblems(t *testing.T) {
	h := newHouse(t, nil)
	url, stop := h.serve()
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
		c := dial(t, url)
		fmt.Fprint(c, request)
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
	testmust.Do(t, stop())
}

// A blob, of which a seat chooses every byte, must be served as it is, also where a part
// of it that is written alone looks like an answer of net/http: whoever could have it
// replaced would hide the evidence, and write answers to the next requests of the connection.
func TestBlobLikeARefusal(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Blobs = o.Log.(tlog.BlobReader) })
	blob := bytes.Repeat([]byte("x"), 200_000)
	copy(blob[64<<10:], "HTTP/1.1 400 x\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	testmust.Do(t, h.log.PutBlob(t.Context(), blob))
	url, _ := h.serve()
	sum := sha256.Sum256(blob)
	resp := testmust.Have(http.Get(url + "/v1/blobs/" + hex.EncodeToString(sum[:])))(t)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.Equal(got, blob) {
		t.Errorf("%d: %d bytes of %d, %v", resp.StatusCode, len(got), len(blob), err)
	}
}
