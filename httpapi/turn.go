package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"golang.org/x/net/http2"

	"github.com/pakli/pakli/httpapi/limit"
)

// What is done outside a turn is not measured, and counts as this much processor time.
const (
	requestCost    = 20 * time.Microsecond // reading a request, and handing over its answer
	headerCost     = 200 * time.Nanosecond // a line of its header
	byteCost       = time.Nanosecond       // a byte of an answer
	connectionCost = 50 * time.Microsecond
	handshakeCost  = 500 * time.Microsecond // of TLS
)

// turn is a turn of an address, in the goroutine that it is measured in.
type turn struct {
	enter   func() (leave func(used time.Duration), err error)
	charge  func(used time.Duration)
	leave   func(used time.Duration) // nil while it is given up
	measure stopwatch
}

// stopwatch measures the processor time of a goroutine, which keeps its thread meanwhile.
type stopwatch time.Duration

func startStopwatch() stopwatch {
	runtime.LockOSThread()
	return stopwatch(limit.ThreadTime())
}

func (w stopwatch) used() time.Duration { return limit.ThreadTime() - time.Duration(w) }

func (w stopwatch) stop() time.Duration {
	defer runtime.UnlockOSThread()
	return w.used()
}

// longPiece is the processor time after which a long answer lets others go on.
const longPiece = 5 * time.Millisecond

// awaitTurn waits until the caller of ctx may be worked for, in the goroutine that does. The turn
// ends when the answer begins.
func (s *Server) awaitTurn(ctx context.Context) error {
	address := limit.Caller(ctx)
	t := &turn{
		enter:  func() (func(time.Duration), error) { return s.turns.Enter(ctx, address) },
		charge: func(used time.Duration) { s.turns.Charge(address, used) },
	}
	seenIn(ctx).turn = t
	return t.begin()
}

func (t *turn) begin() (err error) {
	if t.leave, err = t.enter(); err == nil {
		t.measure = startStopwatch()
	}
	return err
}

// end gives a turn up, and tells whether there was one.
func (t *turn) end() bool {
	if t == nil || t.leave == nil {
		return false
	}
	t.leave(t.measure.stop())
	t.leave = nil
	return true
}

// pauseTurn gives up the turn of ctx, if that has one, before something is waited for; resume waits
// for another one.
func pauseTurn(ctx context.Context) (resume func() error) {
	if t := seenIn(ctx).turn; t.end() {
		return t.begin
	}
	return func() error { return nil }
}

// letOthersRun lets others go on between two pieces of a long answer.
func letOthersRun(ctx context.Context) error {
	if t := seenIn(ctx).turn; t != nil && t.leave != nil && t.measure.used() > longPiece {
		return pauseTurn(ctx)()
	}
	return nil
}

// inTurn lets a service work when it is the caller's turn. Posts need none: they have
// bounds of their own, and come before reads.
func (s *Server) inTurn(h service) service {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.awaitTurn(r.Context()); err != nil {
			return err
		}
		return h(w, r)
	}
}

// door closes connections of addresses that have too many. A proxy has those of
// all its clients.
type door struct {
	net.Listener
	s *Server
}

func (d door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer, _ := netip.ParseAddrPort(c.RemoteAddr().String())
		if d.s.isProxy(peer.Addr().Unmap()) {
			return c, nil
		}
		address := limit.Prefix(peer.Addr().String())
		leave, err := d.s.open.Enter(address, 1)
		if err == nil {
			return &guest{Conn: c, s: d.s, address: address, leave: sync.OnceFunc(leave)}, nil
		}
		c.Close()
	}
}

// guest is a connection that counts until it is closed, and begins when it is the
// turn of its address.
type guest struct {
	net.Conn
	s       *Server
	address netip.Prefix
	begun   sync.Once
	leave   func()
}

func (g *guest) Read(b []byte) (int, error) {
	var err error
	g.begun.Do(func() {
		cost := connectionCost
		if g.s.tls != nil {
			cost += handshakeCost
		}
		err = g.s.awaitConnection(g.address, cost)
	})
	if err != nil {
		return 0, io.EOF // to anything else net/http has an answer
	}
	return g.Conn.Read(b)
}

func (g *guest) Close() error {
	defer g.leave()
	return g.Conn.Close()
}

// awaitConnection waits until an address may have one more connection served, or go on with one, but not
// for long: a post within its rate takes no turn, and may come over it. What one address
// can have of connections bounds what is let in without a turn.
func (s *Server) awaitConnection(address netip.Prefix, cost time.Duration) error {
	ctx, cancel := context.WithTimeout(s.life, welcomeTime)
	defer cancel()
	leave, err := s.turns.Enter(ctx, address)
	switch {
	case err == nil:
		leave(cost)
	case errors.Is(err, context.DeadlineExceeded):
		s.turns.Charge(address, cost)
	default:
		return err
	}
	return nil
}

// frameConn is a connection of HTTP/2. Its frames are read, and streams opened and reset, without a
// handler that could take a turn: after every so many reads, of which a frame takes two, it takes one
// for them.
type frameConn struct {
	*tls.Conn
	s     *Server
	reads int
}

const (
	readsInTurn = 256
	readCost    = 3 * time.Microsecond
)

func (f *frameConn) Read(b []byte) (int, error) {
	if f.reads++; f.reads%readsInTurn == 0 {
		if peer, _ := netip.ParseAddrPort(f.RemoteAddr().String()); !f.s.isProxy(peer.Addr().Unmap()) {
			if err := f.s.awaitConnection(limit.Prefix(peer.Addr().String()), readsInTurn*readCost); err != nil {
				return 0, io.EOF
			}
		}
	}
	return f.Conn.Read(b)
}

//lint:file-ignore SA1019 the HTTP/2 of net/http takes no connection but its own, of which nobody else sees the frames

// configureHTTP2 lets a server speak HTTP/2 over frames.
func (s *Server) configureHTTP2(server *http.Server) error {
	h2 := new(http2.Server)
	if err := http2.ConfigureServer(server, h2); err != nil {
		return err
	}
	server.TLSNextProto["h2"] = func(server *http.Server, c *tls.Conn, h http.Handler) {
		ctx := context.Background()
		if of, ok := h.(interface{ BaseContext() context.Context }); ok {
			ctx = of.BaseContext()
		}
		h2.ServeConn(&frameConn{Conn: c, s: s}, &http2.ServeConnOpts{Context: ctx, Handler: h, BaseConfig: server})
	}
	return nil
}

// patience is what a connection was told when it was refused last.
type patience struct {
	mu    sync.Mutex
	until time.Time
}

type patienceKey struct{}

// cameTooEarly tells whether the connection of r was told to come again later than this,
// and tells it to wait anew.
func cameTooEarly(r *http.Request, wait time.Duration) bool {
	p, ok := r.Context().Value(patienceKey{}).(*patience)
	if !ok {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	again := now.Before(p.until)
	p.until = now.Add(wait)
	return again
}
