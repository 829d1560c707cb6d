package relay_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/cluster/relay"
)

// echo answers with what it receives, until the test ends.
func echo(t *testing.T) string {
	t.Helper()
	l := testmust.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _, _ = io.Copy(c, c) }()
		}
	}()
	return l.Addr().String()
}

// end is a client's end of a connection.
type end struct {
	net.Conn
	in *bufio.Reader
}

func open(t *testing.T, r *relay.Relay) end {
	t.Helper()
	c := testmust.Have(net.Dial("tcp", r.Addr()))(t)
	t.Cleanup(func() { c.Close() })
	return end{c, bufio.NewReader(c)}
}

// say writes a line; hear finds out whether it arrives.
func (e end) say(line string) { _, _ = io.WriteString(e, line+"\n") }

// hear returns the line that comes back within a while, or "".
func (e end) hear(t *testing.T, within time.Duration) string {
	t.Helper()
	testmust.Do(t, e.SetReadDeadline(time.Now().Add(within)))
	got, _ := e.in.ReadString('\n')
	return strings.TrimSuffix(got, "\n")
}

// A relay that lets bytes through during a partition makes tests of partitions worthless, and one
// that loses bytes when it ends causes faults that no network has.
func TestPartition(t *testing.T) {
	r := testmust.Have(relay.New(echo(t)))(t)
	defer r.Close()
	c := open(t, r)
	c.say("one")
	got := c.hear(t, time.Minute)
	testmust.Requiref(t, got == "one", "%q", got)
	for _, s := range []relay.State{relay.Silent, {MuteServer: true}, {MuteClient: true}} {
		r.Set(s)
		c.say("held")
		got := c.hear(t, 100*time.Millisecond)
		testmust.Holdf(t, got == "", "%+v: %q came through", s, got)
		r.Set(relay.State{})
		got = c.hear(t, time.Minute)
		testmust.Holdf(t, got == "held", "%+v: afterwards %q", s, got)
	}
}

// A connection that survives a cut hides every bug of reconnecting.
func TestRefuse(t *testing.T) {
	r := testmust.Have(relay.New(echo(t)))(t)
	defer r.Close()
	c := open(t, r)
	c.say("one")
	got := c.hear(t, time.Minute)
	testmust.Requiref(t, got == "one", "%q", got)
	r.Set(relay.State{Refuse: true})
	for _, c := range []end{c, open(t, r)} {
		c.say("two")
		testmust.Equal(t, c.hear(t, time.Minute), "", "came through")
	}
	r.Set(relay.State{})
	c = open(t, r)
	c.say("three")
	testmust.Equal(t, c.hear(t, time.Minute), "three", "afterwards")
}
