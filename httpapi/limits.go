package httpapi

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
)

// Limits bound what the server takes on. Zero values mean the defaults.
type Limits struct {
	// Connections open at the same time: 8,192. Others wait to be accepted.
	Connections int
	// ConnectionsPerAddress are those of one address: 1,024. Others are closed.
	ConnectionsPerAddress int
	// ReadShare is the part of the processors' time that everything but posts gets together, a
	// quarter; a third of it while posts are at work. A negative share means no bound.
	ReadShare float64
	// Unsent are the bytes of answers made and not yet taken: 512 MiB of tiles,
	// and as many of everything else.
	Unsent int
	// UnsentPerAddress are those of one address: 64 MiB, four of the longest
	// bundles.
	UnsentPerAddress int
	// Posts answered at the same time: 1,024. They do not count as reads.
	Posts int
	// Polls are long polls and streams open at the same time: 4,096.
	Polls int
	// PollsPerAddress are those of one address: 256, many players behind one.
	PollsPerAddress int
	// PostRate and PostBurst bound the posts of one address: 200 a second and
	// 400 at once. A negative rate means no bound.
	PostRate  float64
	PostBurst int
	// TableRate and TableBurst bound new tables of one address: 5 a second and
	// 100 at once. A negative rate means no bound.
	TableRate  float64
	TableBurst int
	// NoticeRate and NoticeBurst bound the notices of one address to events: one a second and
	// 1,200 at once, a club behind one address. A negative rate means no bound.
	NoticeRate  float64
	NoticeBurst int
	// KeyRate and KeyBurst bound what one seat or organiser has signed: 50 a
	// second and 500 at once. A negative rate means no bound. NewGate sees to it.
	KeyRate  float64
	KeyBurst int
	// ChecksPerAddress are costly proofs of one address that are checked at the same
	// time: half as many as there are processors. NewGate sees to it.
	ChecksPerAddress int
	// GlobalRate and GlobalBurst bound the posts of everybody together: 10,000 a
	// second and as many at once. A negative rate means no bound.
	GlobalRate  float64
	GlobalBurst int
}

// DefaultLimits returns what zero values mean.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

func (l Limits) withDefaults() Limits {
	l.Connections = cmp.Or(l.Connections, 8192)
	l.ConnectionsPerAddress = cmp.Or(l.ConnectionsPerAddress, 1024)
	l.ReadShare = cmp.Or(l.ReadShare, 0.25)
	l.Unsent = cmp.Or(l.Unsent, 512<<20)
	l.UnsentPerAddress = cmp.Or(l.UnsentPerAddress, 64<<20)
	l.Posts = cmp.Or(l.Posts, 1024)
	l.Polls = cmp.Or(l.Polls, 4096)
	l.PollsPerAddress = cmp.Or(l.PollsPerAddress, 256)
	l.PostRate = cmp.Or(l.PostRate, 200)
	l.PostBurst = cmp.Or(l.PostBurst, 400)
	l.TableRate = cmp.Or(l.TableRate, 5)
	l.TableBurst = cmp.Or(l.TableBurst, 100)
	l.NoticeRate = cmp.Or(l.NoticeRate, 1)
	l.NoticeBurst = cmp.Or(l.NoticeBurst, 1200)
	l.KeyRate = cmp.Or(l.KeyRate, 50)
	l.KeyBurst = cmp.Or(l.KeyBurst, 500)
	l.ChecksPerAddress = cmp.Or(l.ChecksPerAddress, max(runtime.GOMAXPROCS(0)/2, 1))
	l.GlobalRate = cmp.Or(l.GlobalRate, 10_000)
	l.GlobalBurst = cmp.Or(l.GlobalBurst, 10_000)
	return l
}

// Bounds that are no matter of taste.
const (
	headerTime      = 5 * time.Second       // to send a header
	welcomeTime     = 2 * time.Second       // that a new connection waits for a turn, within headerTime
	requestTime     = 30 * time.Second      // to send a request
	answerTime      = 120 * time.Second     // to wait for an answer and to take it: a full entry tile has up to 16 MiB
	stallTime       = 10 * time.Second      // to take a piece of it
	latestTime      = time.Second           // to learn what is in the log by now
	maxPiece        = 64 << 10              // bytes
	idleTime        = 2 * time.Minute       // between requests of a connection
	turnBurst       = 20 * time.Millisecond // of processor time that reads may use at once
	maxTurnsWaiting = 1 << 14
	maxHeader       = 16 << 10         // bytes
	maxBody         = tlog.MaxEntry    // bytes of an entry; a body may go on with its blobs
	usualBody       = 2 << 10          // bytes
	maxServedBundle = 32 << 20         // bytes of a table's entries and blobs in one file
	maxKept         = 64 << 20         // bytes of entry tiles kept, compressed or not
	maxDocuments    = 16 << 20         // and of documents
	maxAttaching    = 64               // bodies with blobs read at the same time, of at most 1 MiB, or 16 where allow-suites says so
	attachTime      = 10 * time.Second // to send a mebibyte of the blobs of a body
	maxWait         = 60 * time.Second // of a long poll; proxies cut longer ones
	maxPage         = 256              // tables or messages in one answer
	maxListed       = 4096             // tables looked at for one page of a list
	maxReplayed     = 8                // of them replayed
	maxRows         = 1 << 16          // tables whose row of the list is kept
	maxPageBytes    = 1 << 20          // of messages in one answer, unless one alone is larger
	retryBusy       = 1                // seconds, plus up to two more by chance
	retryBeyond     = 1                // seconds
	retryStream     = 2 * time.Second  // before a client opens a stream again
	heartbeat       = 15 * time.Second // of a stream without events
	tableLook       = 2 * time.Second  // after which a stream of an event looks at its tables
	retryReadOnly   = 60               // seconds
)

// addressOf is who asks, see callerOf.
func addressOf(r *http.Request) netip.Prefix { return limit.Caller(r.Context()) }

// mayWrite takes a token of the caller, and then one of everybody's, so that a caller over
// its own bound takes nothing from the others. It says how many posts an address has left
// (draft-ietf-httpapi-ratelimit-headers-06). To be refused takes a turn.
func (s *Server) mayWrite(w http.ResponseWriter, r *http.Request) error {
	if s.private && !isLocal(r) {
		return problem(client.ForeignPage, "this server is for pages and programs of its own machine")
	}
	now := time.Now()
	err := s.posts.TakeToken(addressOf(r), now)
	if burst, left, full, bounded := s.posts.TokensLeft(addressOf(r), now); bounded {
		h := w.Header()
		h.Set("RateLimit-Limit", strconv.Itoa(burst))
		h.Set("RateLimit-Remaining", strconv.Itoa(left))
		h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(full.Seconds()))))
	}
	if err == nil {
		err = s.everybody.TakeToken(struct{}{}, now)
	}
	if err != nil {
		return cmp.Or(s.awaitTurn(r.Context()), err)
	}
	return nil
}

// Gate is an admission.Gate that is fair to the callers of a Server. Seats pay for what
// they have signed, and for wrong proofs by the time these took; addresses wait by the
// time that all their proofs have taken; and whoever sends wrong proofs that are costly
// to check waits longer each time.
type Gate struct {
	checks *limit.Checks
	keys   *limit.Buckets[string]
	clock  func() time.Time
}

var _ admission.Gate = (*Gate)(nil)

// Callers that wait for a processor.
const (
	maxChecksWaiting           = 2048
	maxChecksWaitingPerAddress = 256
)

// NewGate returns the gate for these limits; clock nil means time.Now. It makes sure
// that two goroutines can run at the same time, on one processor too: otherwise a long
// check would get 10 ms at a time before the runtime looks at the network. As it is,
// the kernel wakes the thread that has something to answer.
func NewGate(l Limits, clock func() time.Time) *Gate {
	if runtime.GOMAXPROCS(0) == 1 {
		runtime.GOMAXPROCS(2)
	}
	l = l.withDefaults()
	if clock == nil {
		clock = time.Now
	}
	return &Gate{
		checks: limit.NewChecks(limit.ChecksOptions{
			Most: runtime.GOMAXPROCS(0), CostlyPerAddress: l.ChecksPerAddress, Long: runtime.GOMAXPROCS(0) - 1,
			Waiting: maxChecksWaiting, WaitingPerAddress: maxChecksWaitingPerAddress, Clock: clock,
		}),
		keys:  limit.NewBuckets[string](limit.KeyRate, l.KeyRate, l.KeyBurst),
		clock: clock,
	}
}

// Look implements admission.Gate.
func (g *Gate) Look(ctx context.Context, w admission.Work) error {
	if err := g.keys.Look(w.Key, g.clock()); err != nil {
		return err
	}
	return g.checks.Look(proofOf(ctx, w))
}

func proofOf(ctx context.Context, w admission.Work) limit.Proof {
	return limit.Proof{Caller: limit.Caller(ctx), Seat: w.Key, Table: w.Table, Bytes: w.Bytes}
}

// Enter implements admission.Gate. A read that has to replay a table does so in its place here
// and not in its turn, and pays for it as for that.
func (g *Gate) Enter(ctx context.Context, w admission.Work) (leave func(admission.Outcome), err error) {
	if err := g.keys.Look(w.Key, g.clock()); err != nil {
		return nil, err
	}
	d := proofOf(ctx, w)
	read, resume := seenIn(ctx).turn, pauseTurn(ctx)
	left, err := g.checks.Enter(ctx, d)
	if err != nil {
		return nil, cmp.Or(resume(), err)
	}
	var replay stopwatch
	if read != nil {
		replay = startStopwatch()
	}
	begin := g.clock()
	return func(o admission.Outcome) {
		now := g.clock()
		switch o {
		case admission.Right:
			g.keys.ChargeTokens(w.Key, 1, now)
		case admission.Wrong:
			g.keys.ChargeTokens(w.Key, 1+int(now.Sub(begin)/wrongUnit), now)
		}
		if read != nil {
			read.charge(replay.stop())
		}
		left(o != admission.Unsigned, o == admission.Right)
		_ = resume() // who has gone gets no turn, and notices soon
	}, nil
}

// wrongUnit is the time for which a wrong proof costs its seat as much as a
// message: with the usual limits a seat can make a server check wrong proofs for
// a twentieth of the time.
const wrongUnit = time.Millisecond

// Waiting returns how many wait for a processor.
func (g *Gate) Waiting() int { return g.checks.Waiting() }
