package bench

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/pakli/pakli/cmd/pakli/bench/logbench"
	"github.com/pakli/pakli/cmd/pakli/cluster"
	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/suite"
)

// logFigures is the output of bench log.
type logFigures struct {
	Go         string         `json:"go"`
	Machine    string         `json:"machine"`
	Processors int            `json:"processors"`
	EntryBytes int            `json:"entry_bytes"`
	Ed25519    float64        `json:"ed25519_verifications_per_s"` // on one core
	Ledger     []ledgerFigure `json:"ledger"`
	REST       []restFigure   `json:"rest"`
	// Tail is the greatest p99 of REST divided by the p50 of one client.
	Tail float64 `json:"rest_p99_to_single_p50"`
}

// ledgerFigure compares appending through the ledger with bare Badger.
type ledgerFigure struct {
	Clients int             `json:"clients"`
	Badger  logbench.Figure `json:"badger"`
	Ledger  logbench.Figure `json:"ledger"`
	Ratio   float64         `json:"ratio"` // of the rates
}

// restFigure compares posting moves with verifying their signatures.
type restFigure struct {
	Clients int             `json:"clients"`
	REST    logbench.Figure `json:"rest"`
	Ratio   float64         `json:"of_ed25519"`
}

type logBench struct {
	ctx    context.Context
	dir    string
	size   int           // of entries
	span   time.Duration // of a measurement
	posts  int           // of a measurement over REST
	rounds int

	cluster cluster.Options
}

func logCommand(f *command.Flags) command.Body {
	m := new(logBench)
	f.Long = `It measures what clients see who append to a log at the same time, and prints it as
JSON: through the ledger, in turn with bare Badger (one synced transaction for
whatever waits); and through REST, moves of tables of two who count, each with
its signature checked and replayed, beside the rate at which one core verifies
Ed25519 signatures. Clients are in this process and verify all their receipts;
those of the ledger after the clock has stopped, since Badger gives none. The
best of some rounds counts.

With --cluster it measures a front end of the cluster that --trillian and --register
name, to help to decide whether to run a log on one, in turn with the plain loop over
the same Trillian (hand an entry in, ask, read it back, compute the root), and
with a log that is kept alone. Each measurement makes a tree and a promise of its
own, bench.invalid/..., which stay there: do not measure a cluster that is used.
docs/guide/cluster.md says what the figures mean.
`
	f.IntVar(&m.size, "bytes", 1024, "size of an entry")
	f.DurationVar(&m.span, "span", 2*time.Second, "length of a measurement through the ledger")
	f.IntVar(&m.posts, "posts", 20_000, "entries of a measurement over REST; of a single client a tenth")
	f.IntVar(&m.rounds, "rounds", 3, "measurements of each kind")
	f.StringVar(&m.dir, "dir", "", "where to put logs while they are measured (default: the directory for temporary files)")
	clients := f.String("clients", "1,64,512", "clients of the ledger, separated by commas")
	rest := f.String("rest", "1,64,256,512", "clients of the server, separated by commas, or none")
	cluster := f.Bool("cluster", false, "measure a cluster")
	m.cluster.AddServerFlags(f.FlagSet)
	m.cluster.Poll = 200 * time.Millisecond
	return func(ctx context.Context, e command.Env) error {
		m.ctx = ctx
		var figures any
		var err error
		if *cluster {
			if err := f.Require("trillian", "register"); err != nil {
				return err
			}
			figures, err = m.runCluster(*clients)
		} else {
			figures, err = m.runRounds(*clients, *rest)
		}
		if err != nil {
			return err
		}
		return e.SayText(figures, func(w io.Writer) error {
			out := json.NewEncoder(w)
			out.SetIndent("", "\t")
			return out.Encode(figures)
		})
	}
}

func (m *logBench) runRounds(clients, rest string) (*logFigures, error) {
	ledger, err := command.Numbers("clients", clients, 1, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	var posting []int
	if rest != "none" {
		if posting, err = command.Numbers("rest", rest, 1, math.MaxInt32); err != nil {
			return nil, err
		}
	}
	f := &logFigures{Go: runtime.Version(), Machine: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.GOMAXPROCS(0), EntryBytes: m.size}
	for _, n := range ledger {
		f.Ledger = append(f.Ledger, ledgerFigure{Clients: n})
	}
	for _, n := range posting {
		f.REST = append(f.REST, restFigure{Clients: n})
	}
	for range m.rounds {
		if err := m.round(f); err != nil {
			return nil, err
		}
	}
	for i := range f.Ledger {
		f.Ledger[i].Ratio = f.Ledger[i].Ledger.Rate / f.Ledger[i].Badger.Rate
	}
	for i := range f.REST {
		f.REST[i].Ratio = f.REST[i].REST.Rate / f.Ed25519
		f.Tail = max(f.Tail, f.REST[i].REST.P99/f.REST[0].REST.P50)
	}
	return f, nil
}

func (m *logBench) round(f *logFigures) error {
	rate, err := logbench.Ed25519(m.size)
	if err != nil {
		return err
	}
	f.Ed25519 = max(f.Ed25519, rate)
	for i := range f.Ledger {
		l := &f.Ledger[i]
		bare, err := m.measureBadger(l.Clients)
		if err != nil {
			return err
		}
		through, err := m.measureLedger(l.Clients)
		if err != nil {
			return err
		}
		l.Badger, l.Ledger = l.Badger.Best(bare), l.Ledger.Best(through)
	}
	for i := range f.REST {
		r := &f.REST[i]
		posted, err := m.measurePosts(r.Clients)
		if err != nil {
			return err
		}
		r.REST = r.REST.Best(posted)
	}
	return nil
}

// inDirectory measures in a temporary directory.
func (m *logBench) inDirectory(measure func(dir string) (logbench.Figure, error)) (logbench.Figure, error) {
	dir, err := os.MkdirTemp(m.dir, "pakli-bench")
	if err != nil {
		return logbench.Figure{}, err
	}
	defer os.RemoveAll(dir)
	return measure(dir)
}

func (m *logBench) measureBadger(clients int) (logbench.Figure, error) {
	return m.inDirectory(func(dir string) (_ logbench.Figure, err error) {
		s, err := logbench.OpenBadger(dir)
		if err != nil {
			return logbench.Figure{}, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		return logbench.Run(m.ctx, logbench.Appenders(clients, m.size, s.Append), m.span)
	})
}

func (m *logBench) measureLedger(clients int) (logbench.Figure, error) {
	return m.withLog(func(l *ledger.Ledger, r *logbench.Receipts) (logbench.Figure, error) {
		add, verify := r.KeepingAppender(l)
		f, err := logbench.Run(m.ctx, logbench.Appenders(clients, m.size, add), m.span)
		return f, errors.Join(err, verify())
	})
}

// withLog measures with a new temporary log.
func (m *logBench) withLog(measure func(l *ledger.Ledger, r *logbench.Receipts) (logbench.Figure, error)) (logbench.Figure, error) {
	return m.inDirectory(func(dir string) (_ logbench.Figure, err error) {
		l, key, err := logbench.NewLog(dir)
		if err != nil {
			return logbench.Figure{}, err
		}
		defer func() { err = errors.Join(err, l.Close()) }()
		return measure(l, &logbench.Receipts{Key: key.Verifier})
	})
}

// measurePosts measures posts of moves signed beforehand, each client at its own table.
func (m *logBench) measurePosts(clients int) (logbench.Figure, error) {
	s, _ := suite.Lookup(suite.Default)
	organiser, err := logbench.NewOrganiser(s)
	if err != nil {
		return logbench.Figure{}, err
	}
	posts := m.posts
	if clients == 1 {
		posts = max(posts/10, 1)
	}
	tables := make([][][]byte, clients)
	for i := range tables {
		t, err := organiser.Table(m.size)
		if err != nil {
			return logbench.Figure{}, err
		}
		if tables[i], err = t.Entries((posts + clients - 1) / clients); err != nil {
			return logbench.Figure{}, err
		}
	}
	return m.withLog(func(l *ledger.Ledger, r *logbench.Receipts) (_ logbench.Figure, err error) {
		url, stop, err := m.serve(l)
		if err != nil {
			return logbench.Figure{}, err
		}
		defer func() { err = errors.Join(err, stop()) }()
		p := logbench.NewPosters(url, r, clients)
		defer func() { err = errors.Join(err, p.Close()) }()
		return m.postTables(p, tables)
	})
}

// postTables posts the entries of all tables concurrently. It does not measure entries before the
// first moves.
func (m *logBench) postTables(p *logbench.Posters, tables [][][]byte) (logbench.Figure, error) {
	const before = 3 // genesis entry and keys
	var begin, moves []logbench.Client
	for i, entries := range tables {
		begin = append(begin, p.Client(i, entries[:before]))
		moves = append(moves, p.Client(i, entries[before:]))
	}
	if _, err := logbench.Run(m.ctx, begin, time.Hour); err != nil {
		return logbench.Figure{}, err
	}
	return logbench.Run(m.ctx, moves, time.Hour)
}

// serve serves l without bounds on how much one address may post.
func (m *logBench) serve(l *ledger.Ledger) (url string, stop func() error, err error) {
	limits := httpapi.Limits{PostRate: -1, TableRate: -1, KeyRate: -1, GlobalRate: -1}
	s, _ := suite.Lookup(suite.Default)
	tables, err := admission.Open(m.ctx, l, logbench.Catalogue(s), admission.Options{Blobs: l, Gate: httpapi.NewGate(limits, nil)})
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	srv := httpapi.New(httpapi.Options{Log: l, Tiles: l, Admission: tables, Blobs: l, Limits: limits})
	ctx, cancel := context.WithCancel(m.ctx)
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, listener) }()
	return "http://" + listener.Addr().String(), func() error {
		cancel()
		return <-ended
	}, nil
}
