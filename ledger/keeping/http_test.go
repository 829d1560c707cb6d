package keeping_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/keeping"
)

// Bodies that come byte by byte, and take the places of those who have something to say: an honest hold would wait
// for as long as the grace that decides silence.
func TestDrippingBodies(t *testing.T) {
	s := httptest.NewServer(new(keeping.Keeper).Handler(http.NotFoundHandler()))
	t.Cleanup(s.Close) // after the connections
	drip := func(n, size int) {
		for range n {
			c := testmust.Have(net.Dial("tcp", s.Listener.Addr().String()))(t)
			t.Cleanup(func() { c.Close() })
			testmust.Have(fmt.Fprintf(c, "POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\nx", size))(t)
		}
	}
	drip(64, 60<<10)
	drip(64, 1<<20)
	client := http.Client{Timeout: 2 * time.Second} // as long as a body may take to begin
	for range 5 {
		r := testmust.Have(client.Post(s.URL+"/hold", "text/plain", strings.NewReader("no request")))(t)
		r.Body.Close()
		if r.StatusCode != http.StatusBadRequest {
			t.Errorf("%d", r.StatusCode)
		}
	}
}
