package httpapi

import (
	"cmp"
	"math"
	"net/http"
	"net/netip"
	"runtime"
	"strconv"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
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
// its own bound takes nothing from the others. To be refused takes a turn.
func (s *Server) mayWrite(w http.ResponseWriter, r *http.Request) error {
	if s.private && !isLocal(r) {
		return problem(client.ForeignPage, "this server is for pages and programs of its own machine")
	}
	now := time.Now()
	err := s.posts.TakeToken(addressOf(r), now)
	showLeft(w.Header(), s.posts, addressOf(r), now)
	if err == nil {
		err = s.everybody.TakeToken(struct{}{}, now)
	}
	if err != nil {
		return cmp.Or(s.awaitTurn(r.Context()), err)
	}
	return nil
}

// showLeft says how many posts an address has left (draft-ietf-httpapi-ratelimit-headers-06).
func showLeft(h http.Header, posts *limit.Addresses, address netip.Prefix, now time.Time) {
	burst, left, full, bounded := posts.TokensLeft(address, now)
	if !bounded {
		return
	}
	h.Set("RateLimit-Limit", strconv.Itoa(burst))
	h.Set("RateLimit-Remaining", strconv.Itoa(left))
	h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(full.Seconds()))))
}
