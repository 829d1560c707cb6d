package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// kind is something that one address does until ctx ends.
type kind struct {
	name string
	run  func(ctx context.Context, a *abuser, t *tally)
}

// kinds are all that is measured.
var kinds []kind

func init() {
	kinds = []kind{
		{"slow clients", trickle},
		{"duplicates", posts(func(a *abuser) []byte { return a.Known })},
		{"stale parents", posts(func(a *abuser) []byte { return a.Stale })},
		{"the same wrong proof", posts(func(a *abuser) []byte { return a.Wrong[0][0] })},
		{"wrong proofs of a seat", posts(func(a *abuser) []byte { return a.seat.next() })},
		{"wrong proofs of many seats", posts(func(a *abuser) []byte { return a.seats.next() })},
		{"oversized bodies", posts(func(*abuser) []byte { return make([]byte, 2<<20) })},
		{"pipelined lists", pipelines(120, get("/v1/tables?limit=256"))},
		{"unknown paths", pipelines(40, get("/nothing"))},
		{"fast readers", func(ctx context.Context, a *abuser, t *tally) {
			pipelines(64, get("/checkpoint", "/tile/0/000", "/tile/entries/000", a.Table, a.Table+"/messages", a.Table+"/bundle", "/v1/entries/7/receipt", "/docs"))(ctx, a, t)
		}},
		{"posts without a pause", func(ctx context.Context, a *abuser, t *tally) {
			pipelines(40, fmt.Sprintf("POST /v1/entries HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(a.Known), a.Known))(ctx, a, t)
		}},
		{"new connections", reconnect},
	}
	each := slices.Clone(kinds)
	kinds = append(kinds, kind{"all of them", func(ctx context.Context, a *abuser, t *tally) {
		fewer := *a.material
		fewer.Rate = max(a.Rate/len(each), 1)
		b := *a
		b.material = &fewer
		var wg sync.WaitGroup
		for _, k := range each {
			wg.Go(func() { k.run(ctx, &b, t) })
		}
		wg.Wait()
	}})
}

// measured returns the kinds that were asked for.
func (h *hall) measured() []kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(a kind) bool { return !strings.Contains(a.name, h.o.only) })
}

// tally counts answers.
type tally struct {
	mu       sync.Mutex
	requests int
	answers  map[string]int
}

func (t *tally) add(answer string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests += n
	t.answers[answer] += n
}

// posts posts entries, at the rate, over as many connections as it takes up to 64.
func posts(entry func(*abuser) []byte) func(context.Context, *abuser, *tally) {
	return func(ctx context.Context, a *abuser, t *tally) {
		var wg sync.WaitGroup
		tick := time.NewTicker(time.Second / time.Duration(a.Rate))
		defer tick.Stop()
		for range 64 {
			wg.Go(func() {
				for {
					select {
					case <-ctx.Done():
						return
					case <-tick.C:
					}
					status, err := send(ctx, a.client, a.URL, entry(a))
					if err != nil {
						t.add("cut off", 1)
						continue
					}
					t.add(strconv.Itoa(status), 1)
				}
			})
		}
		wg.Wait()
	}
}

func get(paths ...string) string {
	var b strings.Builder
	for _, p := range paths {
		fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", p)
	}
	return b.String()
}

// pipelines sends requests over so many connections without waiting for answers,
// throws these away, and begins anew when it is cut off.
func pipelines(connections int, requests string) func(context.Context, *abuser, *tally) {
	many := []byte(strings.Repeat(requests, max(1, 16<<10/len(requests))))
	return func(ctx context.Context, a *abuser, t *tally) {
		var wg sync.WaitGroup
		for range connections {
			wg.Go(func() {
				for ctx.Err() == nil {
					a.pipeline(ctx, many, t)
					time.Sleep(time.Millisecond)
				}
			})
		}
		wg.Wait()
	}
}

func (a *abuser) dial(ctx context.Context) (net.Conn, error) {
	return dialerAt(abuserAddress).DialContext(ctx, "tcp", strings.TrimPrefix(a.URL, "http://"))
}

// pipeline uses one connection until it is closed.
func (a *abuser) pipeline(ctx context.Context, requests []byte, t *tally) {
	c, err := a.dial(ctx)
	if err != nil {
		t.add("not connected", 1)
		return
	}
	defer context.AfterFunc(ctx, func() { c.Close() })()
	defer c.Close()
	go func() {
		for {
			if _, err := c.Write(requests); err != nil {
				return
			}
		}
	}()
	line := []byte("HTTP/1.1 ")
	buffer := make([]byte, 64<<10)
	for {
		n, err := c.Read(buffer)
		for part := buffer[:n]; ; { // an answer that two reads share is not counted
			at := bytes.Index(part, line)
			if at < 0 || len(part) < at+len(line)+3 {
				break
			}
			part = part[at+len(line):]
			t.add(string(part[:3]), 1)
		}
		if err != nil {
			t.add("closed", 1)
			return
		}
	}
}

// reconnect sends each of its requests over a connection of its own.
func reconnect(ctx context.Context, a *abuser, t *tally) {
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for ctx.Err() == nil {
				c, err := a.dial(ctx)
				if err != nil {
					t.add("not connected", 1)
					continue
				}
				_, _ = io.WriteString(c, "GET /checkpoint HTTP/1.1\r\nHost: localhost\r\n\r\n")
				answer := make([]byte, 64)
				if n, err := c.Read(answer); err != nil {
					t.add("closed", 1)
				} else {
					t.add(string(answer[min(9, n):min(12, n)]), 1)
				}
				c.Close()
			}
		})
	}
	wg.Wait()
}

// trickle opens connections, at the rate, and sends headers and bodies byte by
// byte, and asks for tiles that it does not read.
func trickle(ctx context.Context, a *abuser, t *tally) {
	heads := []string{
		"GET /checkpoint HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
		fmt.Sprintf("POST /v1/entries HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", 60_000),
		strings.Repeat(get("/tile/entries/000"), 8),
	}
	var wg sync.WaitGroup
	tick := time.NewTicker(time.Second / time.Duration(a.Rate))
	defer tick.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		wg.Go(func() { t.add(a.slowly(ctx, heads[i%len(heads)]), 1) })
	}
	wg.Wait()
}

// slowly holds one connection, and says how it ended.
func (a *abuser) slowly(ctx context.Context, head string) string {
	c, err := a.dial(ctx)
	if err != nil {
		return "not connected"
	}
	defer c.Close()
	if _, err := io.WriteString(c, head); err != nil {
		return "closed"
	}
	for {
		select {
		case <-ctx.Done():
			return "held"
		case <-time.After(time.Second):
			if _, err := io.WriteString(c, "x"); err != nil {
				return "closed"
			}
		}
	}
}
