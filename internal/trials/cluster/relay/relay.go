// Package relay is a connection between two processes of one machine that can be disturbed. A [Relay]
// listens on loopback and forwards every connection to its target. It can do what networks do: refuse
// connections, lose everything in one direction or both without notice (a half-open connection, a
// partition), or delay it. After a partition it delivers what was under way, as TCP does.
package relay

import (
	"io"
	"net"
	"sync"
	"time"
)

// State is what a relay does to connections.
type State struct {
	Refuse     bool          // connections end, and new ones end at once
	MuteServer bool          // nothing from the target arrives
	MuteClient bool          // nothing reaches the target
	Delay      time.Duration // of each piece, in each direction
}

// Silent is a partition: nothing arrives, without notice.
var Silent = State{MuteServer: true, MuteClient: true}

// Relay forwards connections to one target.
type Relay struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	state   State
	changed chan struct{} // closed at the next change of state
	open    map[net.Conn]bool
	closed  bool
	group   sync.WaitGroup
}

// New returns a relay to target, host:port, at a new address.
func New(target string) (*Relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{listener: l, target: target, changed: make(chan struct{}), open: map[net.Conn]bool{}}
	r.group.Go(r.accept)
	return r, nil
}

// Addr returns the address to dial instead of the target.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// Set changes the state, also for open connections.
func (r *Relay) Set(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = s
	close(r.changed)
	r.changed = make(chan struct{})
	if s.Refuse {
		r.cut()
	}
}

// cut ends all connections. The caller holds r.mu.
func (r *Relay) cut() {
	for c := range r.open {
		_ = c.Close() // which ends its copies
	}
}

// Close ends everything and waits until nothing runs.
func (r *Relay) Close() error {
	r.mu.Lock()
	r.closed = true
	close(r.changed)
	r.changed = make(chan struct{})
	r.cut()
	r.mu.Unlock()
	err := r.listener.Close()
	r.group.Wait()
	return err
}

func (r *Relay) accept() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.group.Go(func() { r.carry(c) })
	}
}

// carry forwards one connection until either side ends it.
func (r *Relay) carry(client net.Conn) {
	defer client.Close()
	if !r.keep(client) {
		return
	}
	defer r.drop(client)
	if !r.awaitUnmuted(func(s State) bool { return s.MuteClient }) { // not even a handshake passes
		return
	}
	server, err := net.Dial("tcp", r.target)
	if err != nil {
		return
	}
	defer server.Close()
	if !r.keep(server) {
		return
	}
	defer r.drop(server)
	var both sync.WaitGroup
	both.Go(func() { r.copyOneWay(server, client, func(s State) bool { return s.MuteClient }) })
	both.Go(func() { r.copyOneWay(client, server, func(s State) bool { return s.MuteServer }) })
	both.Wait()
}

// keep records an end of a connection, unless connections are refused.
func (r *Relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.state.Refuse {
		return false
	}
	r.open[c] = true
	return true
}

func (r *Relay) drop(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, c)
}

// awaitUnmuted waits while this direction is mute, and reports whether it may be used then.
func (r *Relay) awaitUnmuted(mute func(State) bool) bool {
	for {
		r.mu.Lock()
		s, changed, closed := r.state, r.changed, r.closed
		r.mu.Unlock()
		switch {
		case closed || s.Refuse:
			return false
		case !mute(s):
			time.Sleep(s.Delay)
			return true
		}
		<-changed
	}
}

// copyOneWay copies one direction, and closes both at its end.
func (r *Relay) copyOneWay(to, from net.Conn, mute func(State) bool) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			if !r.awaitUnmuted(mute) {
				break
			}
			if _, failed := to.Write(piece[:n]); failed != nil {
				break
			}
		}
		if err == io.EOF {
			if half, ok := to.(*net.TCPConn); ok && r.awaitUnmuted(mute) {
				_ = half.CloseWrite()
			}
			return
		}
		if err != nil {
			break
		}
	}
	_ = to.Close()
	_ = from.Close()
}
