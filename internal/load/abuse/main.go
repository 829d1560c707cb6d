// Command abuse measures what one ill-willed address does to everybody else: the
// time that honest players wait for the answer to a post, first alone and then
// beside each kind of abuse, and the ratio of the two.
//
//	go run -C internal/load ./abuse
//
// It builds pakli, starts it with its default limits on loopback, and lets
// players at addresses of their own (127.0.1.x) play games that were prepared
// before, while another address (127.0.2.1) does its worst. The abuser runs on
// the same machine, so what it costs to be abusive is in the figures: requests
// are paced, see -rate. The server must hold 99 of 100 answers within twice their
// usual time; what a machine with other work on it measures proves nothing.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/pakli/pakli/internal/load/serving"
)

type options struct {
	players int
	pace    time.Duration // between a player's posts
	span    time.Duration // of each measurement
	rounds  int
	rate    int    // requests a second of the abuser
	only    string // part of the names of those measured
	server  string // its program; empty: it is built
	asJSON  bool
}

// Measured is one kind of abuse. Times are in milliseconds, of the round in which
// they were least.
type Measured struct {
	Abuse    string         `json:"abuse"`
	Posts    int            `json:"posts"` // of honest players
	Failed   int            `json:"failed"`
	P50      float64        `json:"p50_ms"`
	P99      float64        `json:"p99_ms"`
	Alone    float64        `json:"alone_p99_ms"`
	Ratio    float64        `json:"ratio"` // of P99 to that alone
	Requests int            `json:"abusive_requests"`
	Answers  map[string]int `json:"abusive_answers"`
}

func main() {
	var o options
	flag.IntVar(&o.players, "players", 8, "honest players, each at an address and a table of their own")
	flag.DurationVar(&o.pace, "pace", 40*time.Millisecond, "between two posts of a player")
	flag.DurationVar(&o.span, "span", 5*time.Second, "how long each measurement takes")
	flag.IntVar(&o.rounds, "rounds", 3, "measurements of each kind, each beside one without abuse")
	flag.IntVar(&o.rate, "rate", 500, "requests a second of the abuser")
	flag.StringVar(&o.only, "only", "", "measure only the kinds whose names have this in them")
	flag.StringVar(&o.server, "server", "", "program of the server to measure, such as an earlier one (default: it is built)")
	flag.BoolVar(&o.asJSON, "json", false, "print a JSON list")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "abuse:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "pakli-abuse")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := serve(ctx, o.server, dir)
	if err != nil {
		return err
	}
	defer server.Stop()
	fmt.Fprintln(os.Stderr, "preparing games")
	h, err := newHall(o, server.URL)
	if err != nil {
		return err
	}
	// Warm: the first game of a process is slower.
	h.measure(ctx, nil)
	var list []Measured
	for _, a := range h.measured() {
		m, err := h.compare(ctx, a)
		if err != nil {
			return err
		}
		list = append(list, m)
		if !o.asJSON {
			fmt.Fprintf(os.Stderr, "%s: %.2f\n", m.Abuse, m.Ratio)
		}
	}
	if o.asJSON {
		return json.NewEncoder(os.Stdout).Encode(list)
	}
	return write(os.Stdout, list)
}

func write(w io.Writer, list []Measured) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "p99 alone ms\tp99 ms\tratio\tp50 ms\tposts\tfailed\t  abuse, its requests and answers")
	for _, m := range list {
		fmt.Fprintf(t, "%.2f\t%.2f\t%.2f\t%.2f\t%d\t%d\t  %s: %d %v\n", m.Alone, m.P99, m.Ratio, m.P50, m.Posts, m.Failed, m.Abuse, m.Requests, m.Answers)
	}
	return t.Flush()
}

// serve starts the server, and builds it if there is none yet.
func serve(ctx context.Context, program, dir string) (_ *serving.Server, err error) {
	if program == "" {
		if program, err = serving.Build(ctx, dir); err != nil {
			return nil, err
		}
	}
	return serving.Start(program, filepath.Join(dir, "log"), "--operator-addr", "none")
}

// clientAt sends from an address of loopback.
func clientAt(address string) *http.Client {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 256}}
}

// compare measures an abuse in turn with none, so that both see the same machine.
func (h *hall) compare(ctx context.Context, a abuse) (Measured, error) {
	m := Measured{Abuse: a.name, Answers: map[string]int{}}
	for range h.o.rounds {
		quiet, failed := h.measure(ctx, nil)
		loud, failed2 := h.measure(ctx, func(ctx context.Context) {
			n, answers := a.run(ctx, h)
			m.Requests += n
			for k, v := range answers {
				m.Answers[k] += v
			}
		})
		m.Failed += failed + failed2
		if len(quiet) == 0 || len(loud) == 0 {
			return m, fmt.Errorf("%s: nothing was measured: are the games over?", a.name)
		}
		m.Posts += len(loud)
		least(&m.Alone, quantile(quiet, 0.99))
		least(&m.P50, quantile(loud, 0.5))
		least(&m.P99, quantile(loud, 0.99))
	}
	m.Ratio = m.P99 / m.Alone
	return m, ctx.Err()
}

// least keeps the least of what was measured: more is other work on the machine.
func least(of *float64, measured float64) {
	if *of == 0 || measured < *of {
		*of = measured
	}
}

func quantile(list []time.Duration, q float64) float64 {
	slices.Sort(list)
	return float64(list[int(q*float64(len(list)-1))].Microseconds()) / 1000
}

// measure lets everybody play for a while, beside an abuse if there is one.
func (h *hall) measure(ctx context.Context, beside func(context.Context)) (took []time.Duration, failed int) {
	ctx, cancel := context.WithTimeout(ctx, h.o.span)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	if beside != nil {
		wg.Go(func() { beside(ctx) })
	}
	for _, p := range h.players {
		wg.Go(func() {
			times, bad := p.play(ctx, h.o.pace)
			mu.Lock()
			defer mu.Unlock()
			took, failed = append(took, times...), failed+bad
		})
	}
	wg.Wait()
	return took, failed
}
