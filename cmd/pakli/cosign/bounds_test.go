package cosign

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// One address deprives others of a cosigner, or a limit deprives clients behind a proxy on this
// machine.
func TestCosignRates(t *testing.T) {
	h := newCosignBounds().handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	refused := func(n int, address func(i int) string) (refused int) {
		for i := range n {
			r, w := httptest.NewRequest(http.MethodPost, "/add-checkpoint", nil), httptest.NewRecorder()
			r.RemoteAddr = address(i)
			h.ServeHTTP(w, r)
			if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") != "" {
				refused++
			}
		}
		return refused
	}
	one := func(i int) string { return fmt.Sprintf("[2001:db8::%x]:%d", i, 1+i) }
	n := refused(10*cosignBurst, one)
	testmust.Holdf(t, n >= 8*cosignBurst, "%d of %d requests of one address are refused", n, 10*cosignBurst)
	for _, others := range []func(int) string{
		func(i int) string { return fmt.Sprintf("192.0.2.%d:1", i%100) },
		func(int) string { return "127.0.0.1:1" },
		func(int) string { return "[::1]:1" },
	} {
		if n := refused(10*cosignBurst, others); n > 0 {
			t.Errorf("%d of %d requests of %s are refused", n, 10*cosignBurst, others(0))
		}
	}
}

// stubConn is a connection from a given address.
type stubConn struct {
	net.Conn
	from   string
	closed bool
}

func (c *stubConn) Close() error { c.closed = true; return nil }
func (c *stubConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.from))
}

// One address uses all connections, or its closed connections still count.
func TestCosignConnections(t *testing.T) {
	b := newCosignBounds()
	connect := func(n int, from string) (list []*stubConn, closed int) {
		for range n {
			c := &stubConn{from: from}
			if b.connection(c, http.StateNew); c.closed {
				b.connection(c, http.StateClosed)
				closed++
			}
			list = append(list, c)
		}
		return list, closed
	}
	for range 3 {
		list, closed := connect(2*cosignConnectionsOne, "192.0.2.1:1")
		testmust.Equal(t, closed, cosignConnectionsOne, "of", len(list), "connections are closed")
		for _, from := range []string{"192.0.2.2:1", "127.0.0.1:1"} {
			others, closed := connect(cosignConnectionsOne, from)
			testmust.Holdf(t, closed <= 0, "%d of %d connections from %s are closed", closed, len(others), from)
			list = append(list, others...)
		}
		for _, c := range list {
			if !c.closed {
				b.connection(c, http.StateClosed)
			}
		}
	}
	testmust.Equal(t, b.open.HeldTotal(), 0, "are held by nobody")
}

// One address sends slow requests, so that no other request is read. A keeper would hold nobody's
// messages while seats run out of time.
func TestCosignSlowRequests(t *testing.T) {
	reading, end := make(chan struct{}), make(chan struct{})
	h := newCosignBounds().handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		reading <- struct{}{}
		<-end
	}))
	ask := func(from string, status chan int) {
		r, w := httptest.NewRequest(http.MethodPost, "/hold", nil), httptest.NewRecorder()
		r.RemoteAddr = from
		h.ServeHTTP(w, r)
		status <- w.Code
	}
	for _, from := range []string{"192.0.2.1:1", "192.0.2.2:1"} {
		status := make(chan int, cosignConnectionsOne)
		for range cosignConnectionsOne {
			go ask(from, status)
		}
		for range cosignAtOnceOne {
			<-reading
		}
		for range cosignConnectionsOne - cosignAtOnceOne {
			select {
			case <-reading:
				t.Fatalf("more than %d requests of %s are read at once", cosignAtOnceOne, from)
			case code := <-status:
				testmust.Equal(t, code, http.StatusTooManyRequests, "status")
			}
		}
	}
	close(end)
}
