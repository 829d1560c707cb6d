// Command abuse measures how much one hostile address, or many, delay everybody else: it times the
// posts of honest players first alone and then beside each kind of abuse, and prints the ratios.
//
//	go run -C internal/trials/load ./abuse -cores 1
//
// It builds pakli and starts it with its default limits on loopback. Players at their own addresses
// (127.0.1.x) play games that were prepared before, while another address (127.0.2.1), or many behind
// a proxy (127.0.4.1), abuse the server. The server has one processor or two. The abuser is a
// separate process on the machine's last processor; the players are on the processors that the server
// does not use. Half of the answers, and 99 of 100, must come within twice their usual time. It needs
// Linux with taskset. Measurements on a machine with other work prove nothing.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/pakli/pakli/internal/trials/load/serving"
)

type options struct {
	players int
	pace    time.Duration // between a player's posts
	span    time.Duration // of each measurement
	rounds  int
	rate    int    // requests a second of a paced abuser
	cores   int    // of the server
	only    string // part of the names of the kinds to measure
	server  string // path of the server's program; "": build it
	asJSON  bool
	abuser  string // file with the material of the abuser that this process is
}

// AbuseFigure is the result for one kind of abuse. Times are in milliseconds; times and ratios are
// medians of the rounds.
type AbuseFigure struct {
	Abuse    string         `json:"abuse"`
	Posts    int            `json:"posts"` // of honest players
	Failed   int            `json:"failed"`
	AloneP50 float64        `json:"alone_p50_ms"`
	AloneP99 float64        `json:"alone_p99_ms"`
	P50      float64        `json:"p50_ms"`
	P99      float64        `json:"p99_ms"`
	RatioP50 float64        `json:"ratio_p50"`
	RatioP99 float64        `json:"ratio_p99"`
	Requests int            `json:"abusive_requests"`
	Answers  map[string]int `json:"abusive_answers"`
}

func main() {
	var o options
	flag.IntVar(&o.players, "players", 8, "honest players, each at an address and a table of their own")
	flag.DurationVar(&o.pace, "pace", 40*time.Millisecond, "between two posts of a player")
	flag.DurationVar(&o.span, "span", 5*time.Second, "how long each measurement takes")
	flag.IntVar(&o.rounds, "rounds", 3, "measurements of each kind, each beside one without abuse")
	flag.IntVar(&o.rate, "rate", 500, "requests a second of an abuser that is paced")
	flag.IntVar(&o.cores, "cores", runtime.NumCPU(), "processors of the server, the first ones of the machine")
	flag.StringVar(&o.only, "only", "", "measure only the kinds whose names have this in them")
	flag.StringVar(&o.server, "server", "", "program of the server to measure, such as an earlier one (default: it is built)")
	flag.BoolVar(&o.asJSON, "json", false, "print a JSON list")
	flag.StringVar(&o.abuser, "abuser", "", "for processes that this program starts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := run
	if o.abuser != "" {
		run = beAbuser
	}
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
	if o.server == "" {
		if o.server, err = serving.Build(ctx, dir); err != nil {
			return err
		}
	}
	var list []AbuseFigure
	for i, tls := range []bool{false, true} {
		if kinds := o.kindsToMeasure(tls); len(kinds) > 0 {
			more, err := o.beside(ctx, kinds, filepath.Join(dir, strconv.Itoa(i)), tls)
			if list = append(list, more...); err != nil {
				return err
			}
		}
	}
	if o.asJSON {
		return json.NewEncoder(os.Stdout).Encode(list)
	}
	return write(os.Stdout, list)
}

// beside measures honest players beside some kinds of abuse, with a server of their own.
func (o options) beside(ctx context.Context, kinds []kind, dir string, tls bool) (list []AbuseFigure, err error) {
	args := []string{"--operator-addr", "none", "--organisers", "anyone", "--trusted-proxies", proxyAddress + "/32"}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if tls {
		files, err := certificate(dir)
		if err != nil {
			return nil, err
		}
		args = append(args, files...)
	}
	data := filepath.Join(dir, "log")
	server, err := serve(o, data, args...)
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	fmt.Fprintln(os.Stderr, "preparing games")
	key, err := os.ReadFile(filepath.Join(data, "log.vkey"))
	if err != nil {
		return nil, err
	}
	h, err := newHall(o, kinds, server.URL, strings.TrimSpace(string(key)), filepath.Join(dir, "hall"))
	if err != nil {
		return nil, err
	}
	// Warm up: the first game of a process is slower.
	if _, err := h.measureOnce(ctx, ""); err != nil {
		return nil, err
	}
	for _, a := range kinds {
		m, err := h.compare(ctx, a.name)
		if err != nil {
			return list, err
		}
		list = append(list, m)
		if !o.asJSON {
			fmt.Fprintf(os.Stderr, "%s: p50 %.2f, p99 %.2f\n", m.Abuse, m.RatioP50, m.RatioP99)
		}
	}
	return list, nil
}

func write(w io.Writer, list []AbuseFigure) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "alone p50\tp99 ms\tbeside p50\tp99 ms\tratio p50\tp99\tposts\tfailed\t  abuse, its requests and answers")
	for _, m := range list {
		fmt.Fprintf(t, "%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d\t%d\t  %s: %d %v\n",
			m.AloneP50, m.AloneP99, m.P50, m.P99, m.RatioP50, m.RatioP99, m.Posts, m.Failed, m.Abuse, m.Requests, m.Answers)
	}
	return t.Flush()
}

// serve starts the server on its processors. If these are not all, this process moves to the others.
func serve(o options, data string, args ...string) (_ *serving.Server, err error) {
	if o.cores < runtime.NumCPU() {
		others := fmt.Sprintf("%d-%d", o.cores, runtime.NumCPU()-1)
		if out, err := exec.Command("taskset", "-a", "-c", "-p", others, strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("taskset: %w: %s", err, out)
		}
	}
	return serving.Start([]string{"taskset", "-c", fmt.Sprintf("0-%d", o.cores-1), o.server}, data, args...)
}

// clientAt returns a client that sends from an address of loopback.
func clientAt(address string) *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: dialerAt(address).DialContext, MaxIdleConnsPerHost: 256, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
}

func dialerAt(address string) *net.Dialer {
	return &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
}

// compare measures an abuse alternating with none, so that both see the same machine.
func (h *hall) compare(ctx context.Context, abuse string) (AbuseFigure, error) {
	m := AbuseFigure{Abuse: abuse, Answers: map[string]int{}}
	var rounds [6][]float64
	for range h.o.rounds {
		quiet, err := h.measureOnce(ctx, "")
		if err != nil {
			return m, err
		}
		loud, err := h.measureOnce(ctx, abuse)
		if err != nil {
			return m, err
		}
		for k, v := range loud.abuse.Answers {
			m.Answers[k] += v
		}
		m.Requests += loud.abuse.Requests
		m.Failed += quiet.failed + loud.failed
		if len(quiet.took) == 0 || len(loud.took) == 0 {
			return m, fmt.Errorf("%s: nothing was measured: are the games over?", abuse)
		}
		m.Posts += len(loud.took)
		q50, q99, l50, l99 := quantile(quiet.took, 0.5), quantile(quiet.took, 0.99), quantile(loud.took, 0.5), quantile(loud.took, 0.99)
		for i, v := range []float64{q50, q99, l50, l99, l50 / q50, l99 / q99} {
			rounds[i] = append(rounds[i], v)
		}
	}
	for i, of := range []*float64{&m.AloneP50, &m.AloneP99, &m.P50, &m.P99, &m.RatioP50, &m.RatioP99} {
		*of = median(rounds[i])
	}
	return m, ctx.Err()
}

func median(list []float64) float64 {
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

func quantile(list []time.Duration, q float64) float64 {
	slices.Sort(list)
	return float64(list[int(q*float64(len(list)-1))].Microseconds()) / 1000
}

// measurement has the times of posts and the outcome of the abuse meanwhile.
type measurement struct {
	took   []time.Duration
	failed int
	abuse  outcome
}

// measureOnce lets everybody play for a while, beside the named abuse, if any.
func (h *hall) measureOnce(ctx context.Context, abuse string) (m measurement, err error) {
	end := func() (outcome, error) { return outcome{}, nil }
	if abuse != "" {
		if end, err = h.startAbuser(abuse); err != nil {
			return m, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, h.o.span)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, p := range h.players {
		wg.Go(func() {
			times, bad := p.postOn(ctx, h.o.pace)
			mu.Lock()
			defer mu.Unlock()
			m.took, m.failed = append(m.took, times...), m.failed+bad
		})
	}
	wg.Wait()
	m.abuse, err = end()
	return m, err
}
