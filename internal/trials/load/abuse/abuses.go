package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// kind is an abuse by one address, or by many of one operator, until ctx ends.
type kind struct {
	name string
	run  func(ctx context.Context, a *abuser, t *tally)
	tls  bool // over HTTP/2
}

// kinds are all measured kinds.
var kinds []kind

func init() {
	kinds = []kind{
		{name: "slow clients", run: trickle},
		{name: "duplicates", run: posts(func(a *abuser) []byte { return a.Known })},
		{name: "stale parents", run: posts(func(a *abuser) []byte { return a.Stale })},
		{name: "the same wrong proof", run: posts(func(a *abuser) []byte { return a.Wrong[0][0] })},
		{name: "wrong proofs of a seat", run: posts(func(a *abuser) []byte { return a.seat.nextEntry() })},
		{name: "wrong proofs of many seats", run: posts(func(a *abuser) []byte { return a.seats.nextEntry() })},
		{name: "oversized bodies", run: posts(func(*abuser) []byte { return make([]byte, 2<<20) })},
		{name: "pipelined lists", run: pipelines(120, get("/v1/tables?limit=256"))},
		{name: "unknown paths", run: pipelines(40, get("/nothing"))},
		{name: "fast readers", run: func(ctx context.Context, a *abuser, t *tally) {
			pipelines(64, get("/checkpoint", "/tile/0/000", "/tile/entries/000", a.Table, a.Table+"/messages", a.Table+"/bundle", "/v1/entries/7/receipt", "/docs"))(ctx, a, t)
		}},
		{name: "posts without a pause", run: func(ctx context.Context, a *abuser, t *tally) {
			pipelines(40, fmt.Sprintf("POST /v1/entries HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(a.Known), a.Known))(ctx, a, t)
		}},
		{name: "new connections", run: reconnect},
		{name: "long headers", run: pipelines(64, strings.TrimSuffix(get("/livez"), "\r\n")+strings.Repeat("a: b\r\n", 15<<10/6)+"\r\n")},
	}
	each := slices.Clone(kinds)
	kinds = append(kinds, kind{name: "all of them", run: func(ctx context.Context, a *abuser, t *tally) {
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
	kinds = append(kinds, []kind{
		{name: "filtered lists of 200 networks", run: func(ctx context.Context, a *abuser, t *tally) {
			n := 0
			a.pipelineForwarded(ctx, t, 800, func(i int) string { return fmt.Sprintf("2001:db8:0:%x00::1", i%200) }, func(int) string {
				n++
				return fmt.Sprintf("GET /v1/tables?limit=256&x=%d HTTP/1.1\r\n\r\n", n)
			})
		}},
		{name: "bundles to 20 addresses", run: func(ctx context.Context, a *abuser, t *tally) {
			a.pipelineForwarded(ctx, t, 80, func(i int) string { return fmt.Sprintf("198.18.%d.1", i%20) }, func(int) string {
				return "GET " + a.Event + "/bundle HTTP/1.1\r\n\r\n"
			})
		}},
		{name: "offers of 100 addresses", run: documents(func(a *abuser) (string, [][]byte) { return "/v1/offers", a.Offers })},
		{name: "registrations of 100 addresses", run: documents(func(a *abuser) (string, [][]byte) { return "/v1/entries", a.Registrations })},
		{name: "resets", run: resets, tls: true},
	}...)
}

// documents posts documents that were signed before, from a hundred addresses without a pause.
func documents(of func(*abuser) (path string, list [][]byte)) func(context.Context, *abuser, *tally) {
	return func(ctx context.Context, a *abuser, t *tally) {
		path, docs := of(a)
		l := list{entries: docs}
		a.pipelineForwarded(ctx, t, 100, func(i int) string { return fmt.Sprintf("198.19.%d.1", i%100) }, func(int) string {
			doc := l.nextEntry()
			return fmt.Sprintf("POST %s HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s", path, len(doc), doc)
		})
	}
}

// pipelineForwarded pipelines requests over the given number of a proxy's connections, each for one
// address.
func (a *abuser) pipelineForwarded(ctx context.Context, t *tally, connections int, address, request func(i int) string) {
	through := *a
	through.from = proxyAddress
	var wg sync.WaitGroup
	for i := range connections {
		var b strings.Builder
		for range 32 {
			line, rest, _ := strings.Cut(request(i), "\r\n")
			fmt.Fprintf(&b, "%s\r\nHost: localhost\r\nX-Forwarded-For: %s\r\n%s", line, address(i), rest)
		}
		wg.Go(func() {
			for ctx.Err() == nil {
				through.pipeline(ctx, []byte(b.String()), t)
				time.Sleep(time.Millisecond)
			}
		})
	}
	wg.Wait()
}

// resets opens streams of HTTP/2 and resets each at once, on one connection after another.
func resets(ctx context.Context, a *abuser, t *tally) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				t.add("reset", a.reset(ctx))
				t.add("closed", 1)
				time.Sleep(time.Millisecond)
			}
		})
	}
	wg.Wait()
}

// reset uses one connection until it is closed.
func (a *abuser) reset(ctx context.Context) (n int) {
	plain, err := a.dial(ctx)
	if err != nil {
		return 0
	}
	c := tls.Client(plain, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	defer context.AfterFunc(ctx, func() { plain.Close() })()
	defer plain.Close()
	if c.HandshakeContext(ctx) != nil {
		return 0
	}
	go io.Copy(io.Discard, c)
	var header, b bytes.Buffer
	fields := hpack.NewEncoder(&header)
	for _, f := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", "/v1/tables?limit=256"}} {
		_ = fields.WriteField(hpack.HeaderField{Name: f[0], Value: f[1], Sensitive: true}) // keeps no table in step
	}
	frames := http2.NewFramer(&b, nil)
	b.WriteString(http2.ClientPreface)
	_ = frames.WriteSettings()
	for id := uint32(1); ctx.Err() == nil; {
		for range 100 {
			_ = frames.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: header.Bytes(), EndStream: true, EndHeaders: true})
			_ = frames.WriteRSTStream(id, http2.ErrCodeCancel)
			id += 2
		}
		if _, err := b.WriteTo(c); err != nil {
			return n
		}
		n += 100
	}
	return n
}

// kindsToMeasure returns the requested kinds, over TLS or without.
func (o options) kindsToMeasure(tls bool) []kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(a kind) bool { return !strings.Contains(a.name, o.only) || a.tls != tls })
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

// posts posts entries at the rate, over up to 64 connections.
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
					status, err := sendEntry(ctx, a.client, a.URL, entry(a))
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

// pipelines sends requests over the given number of connections without waiting for answers, discards
// the answers, and reconnects when it is cut off.
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
	_, host, _ := strings.Cut(a.URL, "://")
	return dialerAt(a.from).DialContext(ctx, "tcp", host)
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
		for part := buffer[:n]; ; { // an answer split between two reads is not counted
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

// reconnect sends each request over a new connection.
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

// trickle opens connections at the rate, sends headers and bodies byte by byte, and asks for tiles
// that it does not read.
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
		wg.Go(func() { t.add(a.holdSlowly(ctx, heads[i%len(heads)]), 1) })
	}
	wg.Wait()
}

// holdSlowly holds one connection and returns how it ended.
func (a *abuser) holdSlowly(ctx context.Context, head string) string {
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
