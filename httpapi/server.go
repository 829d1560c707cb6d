package httpapi

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Tiles shows what c2sp.org/tlog-tiles serves: hash tiles and entry bundles
// within the published log, tlog.ErrRange beyond it. *ledger.Ledger does.
type Tiles interface {
	Tile(ctx context.Context, t tlog.Tile) ([]byte, error)
}

// Admission is the way into the log, and what the tables came to.
// *admission.Admission is one.
type Admission interface {
	Post(ctx context.Context, parcel []byte) (admission.Posted, error)
	Expects(ctx context.Context, e *wire.Entry) error
	Tables(from uint64, limit int) []admission.Summary
	Table(ctx context.Context, id wire.Hash) (admission.Table, error)
	Entries(ctx context.Context, id wire.Hash, n int) iter.Seq2[admission.Logged, error]
	Wait(ctx context.Context, id wire.Hash, n int) error
}

// Options say what is served. All but Blobs, Ready, Logger and Limits are needed.
type Options struct {
	Log       tlog.Reader
	Tiles     Tiles
	Admission Admission
	Key       string // the log's verifier key

	// Blobs are what entries name because it is too long for them.
	Blobs tlog.BlobReader

	// Ready returns why the log would not take an entry now, or nil.
	Ready  func(context.Context) error
	Logger *slog.Logger // nil: nothing is logged
	Limits Limits
}

// Server is the HTTP server of one log.
type Server struct {
	log       tlog.Reader
	tiles     Tiles
	admission Admission
	blobs     tlog.BlobReader
	key       string
	ready     func(context.Context) error
	logger    *slog.Logger

	router      http.Handler
	connections int
	open        *shares // connections
	reads       lane
	tileReads   lane
	bundling    chan struct{} // held while a bundle is read, or compressed by zip
	zip         func([]byte) []byte
	zipped      *zipped
	posting     *shares
	attaching   *shares
	polls       *shares
	posts       *buckets
	creates     *buckets

	life context.Context // ends at shutdown, and long polls with it
	end  context.CancelFunc
}

// New returns a server. It does not listen: use Serve, or mount it as a
// handler.
func New(o Options) *Server {
	limits := o.Limits.withDefaults()
	s := &Server{
		log: o.Log, tiles: o.Tiles, admission: o.Admission, blobs: o.Blobs, key: o.Key, ready: o.Ready, logger: o.Logger,
		connections: limits.Connections,
		open:        newShares(limits.Connections, limits.ConnectionsPerAddress),
		reads:       newLane(limits),
		tileReads:   newLane(limits),
		bundling:    make(chan struct{}, maxBundling),
		zip:         compressed,
		zipped:      newZipped(),
		posting:     newShares(limits.Posts, limits.Posts), // their rate is bounded for each address
		attaching:   newShares(maxAttaching, maxAttachingPerAddress),
		polls:       newShares(limits.Polls, limits.PollsPerAddress),
		posts:       newBuckets(limits.PostRate, limits.PostBurst),
		creates:     newBuckets(limits.TableRate, limits.TableBurst),
	}
	s.life, s.end = context.WithCancel(context.Background())
	if s.ready == nil {
		s.ready = func(context.Context) error { return nil }
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	s.router = s.routes()
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// An answer before on this connection may have left a nearer one.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	// Nobody is logged in, so there is nothing a foreign page could borrow.
	header.Set("Access-Control-Allow-Origin", "*")
	if r.Method == http.MethodOptions {
		preflight(w)
		return
	}
	s.router.ServeHTTP(w, r)
}

// Serve answers requests on l until ctx ends, then takes no new ones, ends long
// polls, and returns when everything accepted has been answered. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       requestTime,
		WriteTimeout:      answerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug),
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		s.end()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		stopped <- server.Shutdown(grace)
	}()
	if err := server.Serve(netutil.LimitListener(door{l, s.open}, s.connections)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
