package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/httpapi/offers"
	"github.com/pakli/pakli/httpapi/operator"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/regular"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/submit"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// serverOptions are the settings of a server; what is not set is moderate.
type serverOptions struct {
	data   string // directory of the log
	listen string // address
	origin string // name of the log, for a new one
	// ballast is set aside for the day the disk is full, in bytes.
	ballast int64
	queue   int // entries that may wait for the log

	cluster clusterOptions
	logs    logSettings

	policy     string // file that names the cosigners
	restored   bool   // go on from a restored log without them
	transport  transport
	proxies    []netip.Prefix
	organisers string // file, or anyone
	departures bool   // decisions of events that depart from their method are taken
	suites     string // of long proofs that tables may have

	limits       httpapi.Limits
	tableEntries int
	tableBytes   int64

	pages    string // auto, off
	stopTime time.Duration
	operator operatorOptions

	logging logging
	logger  *slog.Logger // nil: nothing is logged
}

// Files in the data directory beside the log's own.
const (
	keyFile      = "log.vkey"     // the verifier key, for everybody
	urlFile      = "url"          // where the server answers, while it runs
	operatorFile = "operator-url" // and where its operator is answered
	indexFile    = "tables.index" // which entries are of which table; may be deleted
)

// runServe serves until it is told to stop.
func runServe(ctx context.Context, e env, args []string) (int, error) {
	var o serverOptions
	set := e.newSettings("serve", o.sections())
	unknown, err := set.readSettings(args, os.Environ())
	if err != nil {
		return exitUsage, err
	}
	if set.print {
		return exitDone, set.write(e.out)
	}
	if err := enoughMemory(); err != nil {
		return exitFail, err
	}
	o.logger = o.logging.logger(e.err)
	for _, name := range unknown {
		o.logger.Warn("unknown variable in the environment", "name", name)
	}
	s, err := startServer(ctx, o, e)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return exitDone, nil // told to stop while it waited for its cluster
	}
	if err != nil {
		return exitFail, explainTrouble(o.data, err)
	}
	fmt.Fprintf(e.out, "%s\n%s\n", s.url, s.key.Public)
	select {
	case <-ctx.Done():
	case <-s.log.FailedChannel():
		err = s.log.Err()
	case err = <-s.ended:
		s.ended <- nil
	}
	return exitDone, explainTrouble(o.data, errors.Join(err, s.stop()))
}

// runningServer is a server with its log.
type runningServer struct {
	url  string
	key  ledger.Key
	log  *ledger.Ledger
	data string

	cluster *clusterParts // nil: the log is kept alone
	behind  atomic.Int64  // since when it is behind the promise, in nanoseconds; 0: it is not
	opened  atomic.Bool   // what its health is asked of is there
	waits   atomic.Value  // for what it waits before, a string

	tables *admission.Admission

	also      []string          // further verifier keys of the log
	cosigners *submit.Submitter // nil: none

	patience time.Duration // with an entry that waits for the log
	metrics  *operator.Metrics
	office   *office // where the operator is answered; nil: nowhere
	cancel   context.CancelFunc
	ended    chan error // of Serve
}

// startServer starts a server. A front end waits for its cluster, at most until ctx ends.
func startServer(ctx context.Context, o serverOptions, e env) (_ *runningServer, err error) {
	o.logger = cmp.Or(o.logger, slog.New(slog.DiscardHandler))
	p, err := o.prepare()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	s := &runningServer{data: o.data, patience: o.operator.patience, metrics: operator.NewMetrics(), ended: make(chan error, 1)}
	if err := s.openLog(ctx, o, p); err != nil {
		return nil, errors.Join(err, s.office.close())
	}
	if err = publishKey(o.data, s.key); err == nil {
		err = s.beginServing(o, p)
	}
	if err != nil {
		return nil, errors.Join(err, s.office.close(), s.log.Close())
	}
	return s, os.WriteFile(filepath.Join(o.data, urlFile), []byte(s.url+"\n"), 0o644)
}

// openLog opens the log, alone or as a front end of a cluster.
func (s *runningServer) openLog(ctx context.Context, o serverOptions, p *preparedServer) (err error) {
	if o.cluster.onCluster() {
		s.key, err = ledger.LoadKey(o.data)
	} else {
		s.key, err = ledger.Begin(o.data, o.origin, badgerstore.Options{}, rand.Reader)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no log in %s: make it with pakli cluster create, or another front end with pakli cluster join: %w", o.data, err)
	}
	if err != nil {
		return err
	}
	lo := ledger.Options{Signer: s.key.Signer, Logger: o.logger, Queue: o.queue, Committed: s.metrics.CountBatch, Store: badgerstore.Options{Ballast: o.ballast}}
	if lo.Also, err = s.furtherSigners(); err != nil {
		return err
	}
	if o.cluster.onCluster() {
		if err := s.openCluster(ctx, o, p, &lo); err != nil {
			return err
		}
	}
	s.log, err = ledger.Open(o.data, lo)
	return err
}

// publishKey sees to it that the public half of the key is in its file.
func publishKey(data string, key ledger.Key) error {
	path, want := filepath.Join(data, keyFile), key.Public+"\n"
	if text, err := regular.ReadFile(path, int64(len(want))); err == nil && string(text) == want {
		return nil
	}
	return durable.Replace(path, []byte(want), 0o644)
}

func (s *runningServer) beginServing(o serverOptions, p *preparedServer) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	keys, err := s.logKeys()
	if err != nil {
		return err
	}
	gate := httpapi.NewGate(o.limits, nil)
	rules := admission.Options{
		Blobs: s.log, Gate: gate, Organiser: p.may, Suite: p.allowed, TableEntries: o.tableEntries, TableBytes: o.tableBytes,
		Index: filepath.Join(o.data, indexFile), Keys: keys, Cosigners: policyKeys(p.policy), Shared: o.cluster.onCluster(),
	}
	tables, err := admission.Open(ctx, s.log, catalogue(), rules)
	if err != nil {
		return err
	}
	if err := s.openCosigners(ctx, p.policy, o.restored, o.logger); err != nil {
		return err
	}
	s.tables = tables
	if err := s.postMarks(ctx, o.logger); err != nil {
		return err
	}
	s.measure(tables, gate)
	s.measureCluster()
	if err := s.openOffice(o, p); err != nil {
		return err
	}
	s.opened.Store(true)
	s.url = o.transport.url(p.public.Addr())
	pages, err := o.openPages(s.key.Public)
	if err != nil {
		return err
	}
	list, closed, err := s.operatorList(o)
	if err != nil {
		return err
	}
	srv := httpapi.New(httpapi.Options{
		Offers: offers.Options{Organiser: p.may, Playable: func(g *wire.Genesis, seats int) error {
			return cmp.Or(rules.AllowsSuite(g), table.CheckPlayable(g, seats, catalogue()))
		}},
		Log: s.log, Tiles: s.log, Admission: tables, Blobs: s.log, Key: s.key.Public, Also: s.also, Cosigned: s.cosignedReader(), AllowDepartures: o.departures, Pages: pages, Ready: s.ready, CatchUp: s.catchUp(tables), Logs: list, Closed: closed, Logger: o.logger,
		Limits: o.limits, Proxies: o.proxies, Private: p.private, TLS: p.security, Grace: o.stopTime, Answered: s.answerLogger(o),
	})
	go func() { s.ended <- srv.Serve(ctx, p.public) }()
	return nil
}

// operatorList is the operator's list of logs, and whether this one is closed.
func (s *runningServer) operatorList(o serverOptions) (func() []byte, func() bool, error) {
	w, err := o.logs.watchList(o.logger, s.key.Verifier)
	if w == nil || err != nil {
		return nil, nil, err
	}
	return func() []byte { return w.currentValue().signed }, func() bool { return w.currentValue().closed }, nil
}

// anyone is what --organisers says where everybody may begin tables.
const anyone = "anyone"

// mayOrganise returns who may begin tables, nil for everybody.
func (o serverOptions) mayOrganise() (func(key string) bool, error) {
	if o.organisers == anyone {
		return nil, nil
	}
	if o.organisers == "" {
		if o.isLocal() {
			return nil, nil
		}
		return nil, wrongUsage("%s can be reached from elsewhere: say who may begin tables, with --organisers and a file "+
			"of verifier keys, or with --organisers %s", o.listen, anyone)
	}
	list, err := newWatched(o.logger, time.Now, func() (limit.Organisers, error) {
		text, err := os.ReadFile(o.organisers)
		if err != nil {
			return nil, err
		}
		keys, err := limit.ParseOrganisers(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.organisers, err)
		}
		return keys, nil
	}, o.organisers)
	if err != nil {
		return nil, err
	}
	return func(key string) bool { return list.currentValue().AllowsKey(key) }, nil
}

// isLocal tells whether, by the settings, only this machine reaches the server.
func (o serverOptions) isLocal() bool {
	return len(o.proxies) == 0 && o.transport.acmeHost == "" && loopback(o.listen)
}

// loopback tells whether only this machine can reach an address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip, bad := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || bad == nil && ip.IsLoopback())
}

// stop answers what was accepted and closes the log.
func (s *runningServer) stop() error {
	s.cancel()
	err := <-s.ended
	os.Remove(filepath.Join(s.data, urlFile))
	return errors.Join(err, s.tables.SaveIndex(context.Background()), s.office.close(), s.log.Close())
}
