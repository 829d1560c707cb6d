// Package serve has the commands that serve a log with its tables (pakli serve) or the pages for a
// log elsewhere, and that manage the keys and the list of an operator's logs.
package serve

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
	"strings"
	"sync/atomic"
	"time"

	"github.com/pakli/pakli/cmd/pakli/cluster"
	"github.com/pakli/pakli/cmd/pakli/copies"
	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/version"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Options are the settings of a server. Defaults are moderate.
type Options struct {
	Data   string // directory of the log
	Listen string // address
	// published is the address at which something in front of the server publishes it, as Docker
	// does; "": there is none.
	published string
	Origin    string // name of the log, for a new one
	// ballast is the size in bytes of a file that reserves space for the day the disk is full.
	ballast int64
	queue   int // number of entries that may wait for the log

	cluster cluster.Options
	logs    logSettings

	policy     string // file with the cosigners
	restored   bool   // go on from a restored log without its cosigners
	transport  transport
	proxies    []netip.Prefix
	organisers string // file, or anyone
	departures bool   // take decisions that depart from an event's method
	Suites     string // those with long proofs that tables may have

	Limits       httpapi.Limits
	tableEntries int
	tableBytes   int64

	Pages    string // auto, off
	stopTime time.Duration
	operator operatorOptions
	hook     hookOptions
	push     pushOptions

	logging logging
	logger  *slog.Logger // nil: log nothing
}

// Files in the data directory besides the log's own.
const (
	urlFile      = "url"          // address of the running server
	operatorFile = "operator-url" // address for the operator
	tokenFile    = "operator-token"
	pushKeyFile  = "push-key"     // names this server to push services
	pushFile     = "push-told"    // the last entry that browsers were told
	pushListFile = "push-list"    // where browsers are told
	hookFile     = "webhook-told" // the last entry that the program of webhook-url was told
	indexFile    = "tables.index" // which entries belong to which table; may be deleted
)

// Serve serves until it is stopped.
func Serve(f *command.Flags) command.Body {
	var o Options
	set := newSettings(f, o.sections())
	return func(ctx context.Context, e command.Env) error {
		unknown, err := set.readSettings(os.Environ())
		if err != nil {
			return command.ExitWith(command.ExitUsage, err)
		}
		if set.print {
			return set.write(e.Out)
		}
		if err := mayServe(); err != nil {
			return err
		}
		o.logger = o.logging.logger(e.Loud())
		o.logger.Info("pakli", "version", version.Read().String(), "go", version.Read().Go)
		for _, name := range unknown {
			o.logger.Warn("unknown variable in the environment", "name", name)
		}
		s, err := Start(ctx, o)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil // stopped while it waited for its cluster
		}
		if err != nil {
			return explainTrouble(o.Data, err)
		}
		fmt.Fprintf(e.Out, "%s\n%s\n", s.URL, s.Key.Public)
		return explainTrouble(o.Data, s.Wait(ctx))
	}
}

// Wait serves until ctx ends or something fails.
func (s *Server) Wait(ctx context.Context) (err error) {
	select {
	case <-ctx.Done():
	case <-s.log.FailedChannel():
		err = s.log.Err()
	case err = <-s.ended:
		s.ended <- nil
	}
	return errors.Join(err, s.Stop())
}

// Server is a server with its log.
type Server struct {
	URL  string
	Key  ledger.Key
	log  *ledger.Ledger
	data string

	cluster *cluster.Parts // nil if the log is kept alone
	behind  atomic.Int64   // since when the log is behind the promise, in nanoseconds; 0: it is not
	opened  atomic.Bool    // the parts that health checks need are there
	waits   atomic.Value   // what it waits for before, a string

	tables *admission.Admission

	also      []string          // further verifier keys of the log
	cosigners *cosign.Submitter // nil: none

	patience time.Duration // how long an entry may wait for the log
	metrics  *httpapi.OperatorMetrics
	office   *office // serves the operator; nil: not at all
	cancel   context.CancelFunc
	ended    chan error // result of Serve
}

// Start starts a server. A front end waits for its cluster until ctx ends.
func Start(ctx context.Context, o Options) (_ *Server, err error) {
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
	s := &Server{data: o.Data, patience: o.operator.patience, metrics: httpapi.NewOperatorMetrics(), ended: make(chan error, 1)}
	if err := s.openLog(ctx, o, p); err != nil {
		return nil, errors.Join(err, s.office.close())
	}
	if err = copies.PublishKey(o.Data, s.Key); err == nil {
		err = s.beginServing(o, p)
	}
	if err != nil {
		return nil, errors.Join(err, s.office.close(), s.log.Close())
	}
	return s, os.WriteFile(filepath.Join(o.Data, urlFile), []byte(s.URL+"\n"), 0o644)
}

// openLog opens the log, alone or as a front end of a cluster.
func (s *Server) openLog(ctx context.Context, o Options, p *preparedServer) (err error) {
	if o.cluster.OnCluster() {
		s.Key, err = ledger.LoadKey(o.Data)
	} else {
		s.Key, err = ledger.Begin(o.Data, o.Origin, badgerstore.Options{}, rand.Reader)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no log in %s: make it with pakli cluster create, or another front end with pakli cluster join: %w", o.Data, err)
	}
	if err != nil {
		return err
	}
	lo := ledger.Options{Signer: s.Key.Signer, Logger: o.logger, Queue: o.queue, Committed: s.metrics.CountBatch, Store: badgerstore.Options{Ballast: o.ballast}}
	if lo.Also, err = s.furtherSigners(); err != nil {
		return err
	}
	if o.cluster.OnCluster() {
		if err := s.openCluster(ctx, o, p, &lo); err != nil {
			return err
		}
	}
	s.log, err = ledger.Open(o.Data, lo)
	return err
}

func (s *Server) beginServing(o Options, p *preparedServer) (err error) {
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
	gate := httpapi.NewGate(o.Limits, nil)
	rules := admission.Options{
		Blobs: s.log, Gate: gate, Organiser: p.may, Suite: p.allowed, TableEntries: o.tableEntries, TableBytes: o.tableBytes,
		Index: filepath.Join(o.Data, indexFile), Keys: keys, Cosigners: policyKeys(p.policy), Shared: o.cluster.OnCluster(),
	}
	tables, err := admission.Open(ctx, s.log, flags.Catalogue(), rules)
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
	s.URL = o.transport.url(cmp.Or(o.published, p.public.Addr().String()))
	push, err := o.openPush()
	if err != nil {
		return err
	}
	pages, err := o.openPages(s.Key.Public, pushKey(push))
	if err != nil {
		return err
	}
	list, closed, err := s.operatorList(o)
	if err != nil {
		return err
	}
	srv := httpapi.New(httpapi.Options{
		Offers: httpapi.Offers{Organiser: p.may, Playable: func(g *wire.Genesis, seats int) error {
			return cmp.Or(rules.AllowsSuite(g), table.CheckPlayable(g, seats, flags.Catalogue()))
		}},
		Log: s.log, Tiles: s.log, Admission: tables, Blobs: s.log, Key: s.Key.Public, Also: s.also, Cosigned: s.cosignedReader(), AllowDepartures: o.departures, Pages: pages, Push: push, Ready: s.ready, CatchUp: s.catchUp(tables), Logs: list, Closed: closed, Logger: o.logger,
		Limits: o.Limits, Proxies: o.proxies, Private: p.private, TLS: p.security, Grace: o.stopTime, Answered: s.answerLogger(o),
	})
	if p.hook != nil {
		p.hook.Read, p.hook.Logger = srv.Happenings(), o.logger
		base := strings.TrimRight(cmp.Or(o.hook.pages, s.URL), "/")
		p.hook.Link = func(id wire.Hash) string { return base + "/events/" + id.Code()[:wire.MinCode] }
		go s.runTold(ctx, "webhook-url", p.hook.Run, o.logger)
	}
	if push != nil {
		push.Read, push.Owed, push.Logger = srv.Happenings(), srv.SeatsOwing, o.logger
		push.Link = func(id wire.Hash) string { return "/events/" + id.Code()[:wire.MinCode] }
		s.metrics.AddGauge("push_subscriptions", "Browsers that are told of an event, each for one seat.", func() float64 { return float64(push.Count()) })
		go s.runTold(ctx, "push-contact", push.Run, o.logger)
	}
	go func() { s.ended <- srv.Serve(ctx, p.public) }()
	return nil
}

// operatorList returns functions for the operator's list of logs, and whether this one is closed.
func (s *Server) operatorList(o Options) (func() []byte, func() bool, error) {
	w, err := o.logs.watchList(o.logger, s.Key.Verifier)
	if w == nil || err != nil {
		return nil, nil, err
	}
	return func() []byte { return w.currentValue().signed }, func() bool { return w.currentValue().closed }, nil
}

// anyone is the value of --organisers with which everybody may begin tables.
const anyone = "anyone"

// mayOrganise returns a function that reports who may begin tables, or nil for everybody.
func (o Options) mayOrganise() (func(key string) bool, error) {
	if o.organisers == anyone {
		return nil, nil
	}
	if o.organisers == "" {
		if o.isLocal() {
			return nil, nil
		}
		return nil, command.WrongUsage("%s can be reached from elsewhere: say who may begin tables, with --organisers and a file "+
			"of verifier keys, or with --organisers %s", cmp.Or(o.published, o.Listen), anyone)
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

// isLocal reports whether, by the settings, only this machine reaches the server. A proxy may be open
// to the world; the proxy before the front ends of a cluster is at the published address.
func (o Options) isLocal() bool {
	known := len(o.proxies) == 0 || o.cluster.OnCluster() && o.published != ""
	return known && o.transport.acmeHost == "" && loopback(cmp.Or(o.published, o.Listen))
}

// loopback reports whether only this machine can reach an address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip, bad := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || bad == nil && ip.IsLoopback())
}

// Stop answers the accepted requests and closes the log.
func (s *Server) Stop() error {
	s.cancel()
	err := <-s.ended
	os.Remove(filepath.Join(s.data, urlFile))
	return errors.Join(err, s.tables.SaveIndex(context.Background()), s.office.close(), s.log.Close())
}
