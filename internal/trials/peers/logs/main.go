// Command logs compares pakli's log with others, in one run on one machine: with
// Tessera's POSIX driver, and with Trillian on PostgreSQL.
//
//	internal/trials/peers/logs/run                  with a throw-away PostgreSQL
//	cd internal/trials/peers && go run ./logs       without
//
// It measures what a client waits for: from handing in an entry until a signed checkpoint covers it.
// Then the client hands in its next entry. The logs take turns, in rounds, and the best round of each
// counts.
//
// Each log is driven as fast as it allows. Tessera publishes at most every 100 ms, which is
// requested; how fast its entries are durable and integrated is measured as well ("integrated").
// Trillian is driven as pakli drives it: in this process, with everything that waits as one batch of
// a PREORDERED_LOG, sequenced at once and signed.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"k8s.io/klog/v2"

	"github.com/pakli/pakli/cmd/pakli/bench/logbench"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
)

type options struct {
	size     int
	span     time.Duration
	rounds   int
	dir      string
	postgres string
}

// row is the result for one number of clients.
type row struct {
	Clients    int                        `json:"clients"`
	Logs       map[string]logbench.Figure `json:"logs"`
	Advantages map[string]float64         `json:"pakli_to"` // pakli's rate divided by that of each other log
}

// addEntry appends an entry and returns when a signed checkpoint covers it.
type addEntry func(ctx context.Context, entry []byte) error

// opener opens a new log.
type opener func(ctx context.Context, o options) (addEntry, func() error, error)

func main() {
	var o options
	clients := flag.String("clients", "1,64,512,4096", "clients, separated by commas")
	flag.IntVar(&o.size, "bytes", 1024, "size of an entry")
	flag.DurationVar(&o.span, "span", 3*time.Second, "length of a measurement")
	flag.IntVar(&o.rounds, "rounds", 3, "measurements of each kind")
	flag.StringVar(&o.dir, "dir", "", "where to put logs (default: the directory for temporary files)")
	flag.StringVar(&o.postgres, "postgres", "", "URL of an empty PostgreSQL database with Trillian's tables; none: Trillian is left out")
	flag.Parse()
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, *clients); err != nil {
		fmt.Fprintln(os.Stderr, "logs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, clients string) error {
	logs := []struct {
		name string
		open opener
	}{{"pakli", openPakli}, {"tessera", openTessera}, {"tessera integrated", openIntegrated}, {"trillian", openTrillian}}
	if o.postgres == "" {
		logs = logs[:3]
	}
	var rows []row
	for c := range strings.SplitSeq(clients, ",") {
		n, err := strconv.Atoi(c)
		if err != nil {
			return err
		}
		r := row{n, map[string]logbench.Figure{}, map[string]float64{}}
		for range o.rounds {
			for _, l := range logs {
				f, err := measure(ctx, o, l.open, n)
				if err != nil {
					return fmt.Errorf("%s, %d clients: %w", l.name, n, err)
				}
				r.Logs[l.name] = r.Logs[l.name].Best(f)
			}
		}
		for _, l := range logs[1:] {
			r.Advantages[l.name] = r.Logs["pakli"].Rate / r.Logs[l.name].Rate
		}
		fmt.Fprintln(os.Stderr, n, "clients:", r.Advantages)
		rows = append(rows, r)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "\t")
	return out.Encode(rows)
}

func measure(ctx context.Context, o options, open opener, clients int) (logbench.Figure, error) {
	dir, err := os.MkdirTemp(o.dir, "pakli-logs")
	if err != nil {
		return logbench.Figure{}, err
	}
	defer os.RemoveAll(dir)
	o.dir = dir
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	add, closed, err := open(ctx, o)
	if err != nil {
		return logbench.Figure{}, err
	}
	f, err := logbench.Run(ctx, logbench.Appenders(clients, o.size, add), o.span)
	if err != nil {
		return f, err
	}
	return f, closed()
}

// openPakli opens a log of pakli whose clients verify their receipts.
func openPakli(_ context.Context, o options) (addEntry, func() error, error) {
	store := badgerstore.Options{}
	key, err := ledger.Begin(o.dir, "localhost", store, rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	l, err := ledger.Open(o.dir, ledger.Options{Signer: key.Signer, Store: store, Queue: 8192})
	if err != nil {
		return nil, nil, err
	}
	return (&logbench.Receipts{Key: key.Verifier}).VerifyingAppender(l), l.Close, nil
}

// newSigner returns a new key for another log.
func newSigner() (note.Signer, error) {
	skey, _, err := note.GenerateKey(rand.Reader, "localhost")
	if err != nil {
		return nil, err
	}
	return note.NewSigner(skey)
}
