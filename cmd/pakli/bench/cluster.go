package bench

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pakli/pakli/cmd/pakli/bench/logbench"
	"github.com/pakli/pakli/cmd/pakli/cluster"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	trees "github.com/pakli/pakli/ledger/cluster"
)

// clusterFigure compares a front end of a cluster with the least work that any client of the same
// cluster must do, and with a log that is kept alone.
type clusterFigure struct {
	Clients  int             `json:"clients"`
	Plain    logbench.Figure `json:"plain_trillian"` // hand in, ask, read, compute the root
	FrontEnd logbench.Figure `json:"front_end"`      // and store, promise in the register, sign
	Alone    logbench.Figure `json:"alone"`
	Ratio    float64         `json:"front_end_to_plain"` // of the rates
	Price    float64         `json:"front_end_p50_to_alone"`
	Tables   int             `json:"tables_of_four"` // playing at the same time, at 70 % of the front end's rate
}

// A table of four that plays a deal of 81 messages in four minutes.
const (
	tableRate = 81.0 / 240 // entries/s
	busy      = 0.7        // planned load; the rest is for days with a machine down
)

// clusterRound measures every number of clients once.
func (m *logBench) clusterRound(list []clusterFigure) error {
	for i := range list {
		f := &list[i]
		plain, err := m.measureLoop(f.Clients)
		if err != nil {
			return err
		}
		front, err := m.frontEnd(f.Clients)
		if err != nil {
			return err
		}
		alone, err := m.measureLedger(f.Clients)
		if err != nil {
			return err
		}
		f.Plain, f.FrontEnd, f.Alone = f.Plain.Best(plain), f.FrontEnd.Best(front), f.Alone.Best(alone)
		f.Ratio, f.Price = f.FrontEnd.Rate/f.Plain.Rate, f.FrontEnd.P50/f.Alone.P50
		f.Tables = int(f.FrontEnd.Rate * busy / tableRate)
	}
	return nil
}

// benchOrigin returns the name of a log for one measurement. Each has its own tree and promise.
func benchOrigin() string { return "bench.invalid/" + strings.ToLower(rand.Text()) }

// measureLoop measures the work that no front end can avoid.
func (m *logBench) measureLoop(clients int) (logbench.Figure, error) {
	at, err := m.cluster.LogServers()
	if err != nil {
		return logbench.Figure{}, err
	}
	tree, _, err := trees.CreateTree(m.ctx, benchOrigin(), false, at)
	if err != nil {
		return logbench.Figure{}, err
	}
	loop := logbench.OpenLoop(tree)
	f, err := logbench.Run(m.ctx, logbench.Appenders(clients, m.size, loop.Append), m.span)
	loop.Close()
	return f, errors.Join(err, tree.Close())
}

// frontEnd measures a log that follows the cluster.
func (m *logBench) frontEnd(clients int) (logbench.Figure, error) {
	return m.inDirectory(func(dir string) (_ logbench.Figure, err error) {
		l, key, done, err := m.follower(filepath.Join(dir, "log"))
		if err != nil {
			return logbench.Figure{}, err
		}
		defer func() { err = errors.Join(err, l.Close(), done()) }()
		add, verify := (&logbench.Receipts{Key: key.Verifier}).KeepingAppender(l)
		f, err := logbench.Run(m.ctx, logbench.Appenders(clients, m.size, add), m.span)
		return f, errors.Join(err, verify())
	})
}

// follower makes a new log on the cluster and opens it.
func (m *logBench) follower(dir string) (l *ledger.Ledger, key ledger.Key, done func() error, err error) {
	origin, o := benchOrigin(), m.cluster
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, key, nil, err
	}
	if o.Tree, err = cluster.CreateLog(m.ctx, o, dir, origin); err != nil {
		return nil, key, nil, err
	}
	if key, err = ledger.LoadKey(dir); err != nil {
		return nil, key, nil, err
	}
	p, err := o.OpenParts(origin)
	if err != nil {
		return nil, key, nil, err
	}
	lo := ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}
	p.AddTo(&lo, o.Poll)
	l, err = ledger.Open(dir, lo)
	if err != nil {
		err = errors.Join(err, p.Tree.Close())
	}
	return l, key, p.Tree.Close, err
}

// runCluster measures front ends in some rounds.
func (m *logBench) runCluster(clients string) (list []clusterFigure, err error) {
	counts, err := command.Numbers("clients", clients, 1, 1<<20)
	if err != nil {
		return nil, err
	}
	for _, n := range counts {
		list = append(list, clusterFigure{Clients: n})
	}
	for i := range m.rounds {
		if err := m.clusterRound(list); err != nil {
			return nil, fmt.Errorf("round %d: %w", i+1, err)
		}
	}
	return list, nil
}
