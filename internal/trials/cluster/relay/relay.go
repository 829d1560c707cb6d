// Package relay is a wire between two processes of one machine that can be cut. A
// [Relay] listens on loopback and carries every connection on to its target. What it
// may do to them is what networks do: refuse, fall silent in both directions or in
// one without a word (a partition, a half-open connection), be late. A partition
// that ends delivers what was under way, as TCP does.
package relay

import (
	"io"
	"net"
	"sync"
	"time"
)

// State is what a relay does to the bytes that it carries.
type State struct {
	Refuse     bool          // connections end, and new ones end at once
	MuteServer bool          // nothing from the target arrives
	MuteClient bool          // nothing for the target arrives
	Delay      time.Duration // of each piece, on each way
}

// Silent is a partition: nobody is told, nothing arrives.
var Silent = State{MuteServer: true, MuteClient: true}

// Relay carries connections to one target.
type Relay struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	state   State
	changed chan struct{} // closed with the next change of state
	open    map[net.Conn]bool
	closed  bool
	group   sync.WaitGroup
}

// New returns a relay to target, host:port, at an address of its own.
func New(target string) (*Relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{listener: l, target: target, changed: make(chan struct{}), open: map[net.Conn]bool{}}
	r.group.Go(r.accept)
	return r, nil
}

// Addr is where to dial instead of the target.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

// Set changes what happens to all connections, also those that are open.
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

// cut ends all connections; r.mu is held.
func (r *Relay) cut() {
	for c := range r.open {
		_ = c.Close() // its copies end
	}
}

// Close ends everything, and returns when nothing runs any more.
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

// carry carries one connection until either side ends it.
func (r *Relay) carry(client net.Conn) {
	defer client.Close()
	if !r.keep(client) {
		return
	}
	defer r.drop(client)
	if !r.awaitUnmuted(func(s State) bool { return s.MuteClient }) { // not even a handshake goes through
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

// keep remembers an end, unless connections are refused.
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

// awaitUnmuted waits while this way is mute, and says whether it may be used then.
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

// copyOneWay carries one way, and ends both when it ends.
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
