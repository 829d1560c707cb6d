package main

import (
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

// abuse is something that one address does until ctx ends.
type abuse struct {
	name string
	run  func(ctx context.Context, h *hall) (requests int, answers map[string]int)
}

func (h *hall) abuses() []abuse {
	posts := func(entry func() []byte) func(context.Context, *hall) (int, map[string]int) {
		return func(ctx context.Context, h *hall) (int, map[string]int) { return h.flood(ctx, entry) }
	}
	list := []abuse{
		{"slow clients", func(ctx context.Context, h *hall) (int, map[string]int) { return h.trickle(ctx) }},
		{"duplicates", posts(func() []byte { return h.known })},
		{"stale parents", posts(func() []byte { return h.stale })},
		{"the same wrong dear proof", posts(func() []byte { return h.wrong[0][0] })},
		{"wrong dear proofs of a seat", posts(h.seat.next)},
		{"wrong dear proofs of many seats", posts(h.seats.next)},
		{"oversized bodies", posts(func() []byte { return make([]byte, 2<<20) })},
	}
	return append(list, abuse{"all of them", func(ctx context.Context, h *hall) (int, map[string]int) {
		return together(ctx, h, list)
	}})
}

// measured returns the kinds that were asked for.
func (h *hall) measured() []abuse {
	return slices.DeleteFunc(h.abuses(), func(a abuse) bool { return !strings.Contains(a.name, h.o.only) })
}

func together(ctx context.Context, h *hall, list []abuse) (requests int, answers map[string]int) {
	answers = map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	fewer := *h
	fewer.o.rate = max(h.o.rate/len(list), 1)
	for _, a := range list {
		wg.Go(func() {
			n, got := a.run(ctx, &fewer)
			mu.Lock()
			defer mu.Unlock()
			requests += n
			for k, v := range got {
				answers[k] += v
			}
		})
	}
	wg.Wait()
	return requests, answers
}

// flood posts entries, at the rate, over as many connections as it takes up to 64.
func (h *hall) flood(ctx context.Context, entry func() []byte) (requests int, answers map[string]int) {
	answers = map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	tick := time.NewTicker(time.Second / time.Duration(h.o.rate))
	defer tick.Stop()
	for range 64 {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				status, err := send(ctx, h.abuser, h.url, entry())
				answer := strconv.Itoa(status)
				if err != nil {
					answer = "cut off"
				}
				mu.Lock()
				requests++
				answers[answer]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return requests, answers
}

// trickle opens connections, at the rate, and sends headers and bodies byte by
// byte, and asks for tiles that it does not read.
func (h *hall) trickle(ctx context.Context) (requests int, answers map[string]int) {
	heads := []string{
		"GET /checkpoint HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		fmt.Sprintf("POST /v1/entries HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 60_000),
		strings.Repeat("GET /tile/entries/000 HTTP/1.1\r\nHost: x\r\n\r\n", 8),
	}
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.2.1")}}
	address := strings.TrimPrefix(h.url, "http://")
	answers = map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	tick := time.NewTicker(time.Second / time.Duration(h.o.rate))
	defer tick.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		wg.Go(func() {
			outcome := h.slowly(ctx, &d, address, heads[i%len(heads)])
			mu.Lock()
			defer mu.Unlock()
			requests++
			answers[outcome]++
		})
	}
	wg.Wait()
	return requests, answers
}

// slowly holds one connection, and says how it ended.
func (h *hall) slowly(ctx context.Context, d *net.Dialer, address, head string) string {
	c, err := d.DialContext(ctx, "tcp", address)
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
