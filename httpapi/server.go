package httpapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"time"

	"golang.org/x/net/netutil"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
)

// Log shows the published log. *ledger.Ledger is one.
type Log interface {
	tlog.Reader

	// Await returns a checkpoint of more than size entries, as soon as one is
	// published.
	Await(ctx context.Context, size uint64) (tlog.Checkpoint, error)

	// Subtrees returns the roots of the largest complete subtrees that the entries
	// start to end-1 make up, from left to right.
	Subtrees(ctx context.Context, start, end uint64) ([]tlog.Hash, error)
}

// Admission is the way into the log, and what the tables came to.
// *admission.Admission is one.
type Admission interface {
	Post(ctx context.Context, e *bulletin.Entry) (admission.PostedEntry, error)
	PostMark(ctx context.Context, entry []byte) (admission.PostedEntry, error)
	Expects(ctx context.Context, e *bulletin.Entry) (blobs bool, err error)
	Moves() uint64
	Entries(ctx context.Context, of admission.Subject, n int) iter.Seq2[admission.LoggedEntry, error]
	Wait(ctx context.Context, of admission.Subject, n int) error

	Tables(from uint64, limit int) []admission.Summary
	TablesBefore(before uint64, limit int) []admission.Summary
	KnownEntries(id wire.Hash) (entries int, replayed bool)
	Table(ctx context.Context, id wire.Hash) (admission.Table, error)
	Steps(ctx context.Context, id wire.Hash, see func(replay.Step)) error
	Events(from uint64, limit int) []admission.Summary
	Event(ctx context.Context, id wire.Hash, see func(h *event.History, entries []admission.Entry)) error
	Namesake(context.Context, *bulletin.Entry) (*uint64, error)
	Mark(hash wire.Hash) (keeper.Mark, error)
	Marks(after uint64, limit int) []marks.Place
}

// Options say what is served. All but Also, Blobs, Ready, Logger and Limits are needed.
type Options struct {
	Log       Log
	Tiles     tlog.TileReader // *ledger.Ledger is one
	Admission Admission
	Key       string   // the log's verifier key
	Also      []string // further keys that sign its checkpoints

	// Cosigned reads the log up to the newest checkpoint that its cosigners have
	// seen; nil: it has none.
	Cosigned tlog.Reader

	// Blobs are what entries name because it is too long for them.
	Blobs tlog.BlobReader

	Offers Offers

	// AllowDepartures takes decisions of events that depart from the event's method (55.6). Such a
	// decision counts wherever it is in the log; without this it does not come there by mistake.
	AllowDepartures bool

	// Pages are shown to people; nil: there are none.
	Pages Pages

	// Logs returns the operator's signed list of logs, nil if there is none, and Closed whether
	// this log is closed by it; nil functions: there is none, and it is not.
	Logs   func() []byte
	Closed func() bool

	// Push keeps where browsers want to be told of events; nil: none is told.
	Push *notify.PushSender

	// CatchUp returns when everything is here that was promised anywhere before the call;
	// nil: there is no other place.
	CatchUp func(context.Context) error

	// Ready returns why the log would not take an entry now, or nil.
	Ready  func(context.Context) error
	Logger *slog.Logger // nil: nothing is logged
	Limits Limits

	// Proxies alone are believed when they name a caller in X-Forwarded-For.
	Proxies []netip.Prefix
	// Private says that only this machine is to use the server. Pages from elsewhere
	// can read of it, but not post.
	Private bool
	// TLS, if it is not nil, is spoken by Serve.
	TLS *tls.Config
	// Grace is how long Serve, told to stop, goes on with what it has accepted;
	// 0 means 30 seconds.
	Grace time.Duration
	// Answered, if it is not nil, is called for every request, for logs and metrics.
	Answered func(AnsweredRequest)

	// After is the clock of heartbeats; nil means time.After.
	After func(time.Duration) <-chan time.Time
}

// Server is the HTTP server of one log.
type Server struct {
	log        Log
	tiles      tlog.TileReader
	admission  Admission
	blobs      tlog.BlobReader
	keys       []string
	cosigned   tlog.Reader
	offers     *offerBoard
	presence   *presence
	pages      Pages
	push       *notify.PushSender
	catchUp    func(context.Context) error // nil: there is nothing elsewhere
	logs       func() []byte
	closed     func() bool
	ready      func(context.Context) error
	logger     *slog.Logger
	after      func(time.Duration) <-chan time.Time
	answerTime time.Duration // of limits.go
	latestTime time.Duration

	events      *eventAPI
	router      http.Handler
	connections int
	open        *limit.Shares // connections
	proxies     []netip.Prefix
	caller      func(*http.Request) string
	answered    func(AnsweredRequest)
	private     bool
	tls         *tls.Config
	grace       time.Duration
	reads       lane
	tileReads   lane
	turns       *limit.Turns // of reads and refusals
	zip         func([]byte) []byte
	entryTiles  *answerCache
	documents   *answerCache
	polls       *limit.Shares
	posts       *limit.Addresses
	everybody   *limit.Buckets[struct{}] // posts

	life context.Context // ends at shutdown, and long polls and streams with it
	end  context.CancelFunc
}

// New returns a server. It does not listen: use Serve, or mount it as a
// handler.
func New(o Options) *Server {
	limits := o.Limits.withDefaults()
	s := &Server{
		log: o.Log, tiles: o.Tiles, admission: o.Admission, blobs: o.Blobs, keys: append([]string{o.Key}, o.Also...), cosigned: o.Cosigned, pages: o.Pages, push: o.Push, ready: o.Ready, catchUp: o.CatchUp, logs: o.Logs, closed: o.Closed, logger: o.Logger, after: o.After,
		answerTime:  answerTime,
		latestTime:  latestTime,
		connections: limits.Connections,
		open:        limit.NewShares(limits.Connections, limits.ConnectionsPerAddress),
		reads:       newLane(limits),
		tileReads:   newLane(limits),
		zip:         gzipBytes,
		entryTiles:  newKept(maxKept),
		documents:   newKept(maxDocuments),
		polls:       limit.NewShares(limits.Polls, limits.PollsPerAddress),
		posts:       limit.NewAddresses(limit.AddressRate, limits.PostRate, limits.PostBurst),
		everybody:   limit.NewBuckets[struct{}](limit.GlobalRate, limits.GlobalRate, limits.GlobalBurst),
		proxies:     o.Proxies,
		caller:      callerOf(o.Proxies),
		answered:    o.Answered,
		private:     o.Private,
		tls:         o.TLS,
		grace:       cmp.Or(o.Grace, 30*time.Second),
	}
	posts := &postAPI{
		Server: s, departs: o.AllowDepartures, attaching: newAttachments(maxAttaching),
		posting: limit.NewShares(limits.Posts, limits.Posts), // their rate is bounded for each address
		creates: limit.NewAddresses(limit.TableRate, limits.TableRate, limits.TableBurst),
	}
	s.turns = limit.NewTurns(limit.TurnsOptions{
		Rate: limits.ReadShare * float64(min(runtime.GOMAXPROCS(0), runtime.NumCPU())), Others: posts.posting,
		Burst: turnBurst, AtOnce: max(runtime.GOMAXPROCS(0)/2, 1), Waiting: maxTurnsWaiting, WaitingPerAddress: limits.ConnectionsPerAddress,
	})
	if s.logs == nil {
		s.logs = func() []byte { return nil }
	}
	if s.closed == nil {
		s.closed = func() bool { return false }
	}
	s.offers, s.presence = newOfferBoard(o.Offers, o.Key, time.Now), newPresence(time.Now)
	s.life, s.end = context.WithCancel(context.Background())
	if s.ready == nil {
		s.ready = func(context.Context) error { return nil }
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if s.answered == nil {
		s.answered = func(AnsweredRequest) {}
	}
	if s.after == nil {
		s.after = time.After
	}
	posts.events = &eventAPI{notices: limit.NewAddresses(limit.NoticeRate, limits.NoticeRate, limits.NoticeBurst), tableAPI: &tableAPI{
		Server:   s,
		rows:     rowCache{known: map[wire.Hash]keptRow{}},
		ofEvents: tablesOf{of: map[wire.Hash][]wire.Hash{}, sheet: map[wire.Hash]keptSheet{}},
		bundling: make(chan struct{}, 1),
		bundles:  newKept(2 * maxServedBundle),
	}}
	s.events = posts.events
	s.router = s.routes(posts)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w, r, done := s.observe(w, r, limit.Prefix(s.caller(r)))
	defer done()
	// An answer before on this connection may have left a nearer one.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.answerTime))
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	if r.TLS != nil {
		header.Set("Strict-Transport-Security", "max-age=31536000") // RFC 6797; of this host alone
	}
	// There is no login that a foreign page could use.
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "Allow, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id")
	header.Set(headerRequest, requestID(r))
	if r.Method == http.MethodOptions {
		if err := s.awaitTurn(r.Context()); err != nil {
			s.refuse(w, r, err)
			return
		}
		answerPreflight(w)
		return
	}
	s.router.ServeHTTP(w, sameTiles(r))
}

// isProxy tells whether an address is that of one of our proxies.
func (s *Server) isProxy(a netip.Addr) bool {
	return slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Serve answers requests on l until ctx ends, then takes no new ones, ends long
// polls and streams, and returns when everything accepted has been answered, or
// the grace is over. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       requestTime,
		WriteTimeout:      s.answerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		// Otherwise OPTIONS * would be answered without a turn.
		DisableGeneralOptionsHandler: true,
		TLSConfig:                    s.tls,
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, patienceKey{}, new(patience))
		},
		ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug),
	}
	if s.tls != nil {
		if err := s.configureHTTP2(server); err != nil {
			return err
		}
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		s.end()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.grace)
		defer cancel()
		err := server.Shutdown(grace)
		if errors.Is(err, context.DeadlineExceeded) {
			s.logger.Warn("requests cut off at the end", "grace", s.grace)
			err = server.Close()
		}
		stopped <- err
	}()
	l = netutil.LimitListener(door{l, s}, s.connections)
	if s.tls != nil {
		l = tls.NewListener(l, s.tls)
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
