package httpapi

import (
	"cmp"
	"container/list"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
)

// Limits bound what the server takes on. Zero values mean the defaults.
type Limits struct {
	// Connections open at the same time: 8,192. Others wait to be accepted.
	Connections int
	// ConnectionsPerAddress are those of one address: 1,024. Others are closed.
	ConnectionsPerAddress int
	// Reads whose answers are being made at the same time: 512. Tiles count
	// apart from everything else, and up to the same bound; long polls that
	// wait do not count. Nor does an answer once it is made, so that readers
	// who take their time keep nobody from reading: see Unsent.
	Reads int
	// ReadsPerAddress are those of one address: 128.
	ReadsPerAddress int
	// Unsent are the bytes of answers made and not yet taken: 512 MiB of tiles,
	// and as many of everything else.
	Unsent int
	// UnsentPerAddress are those of one address: 64 MiB, four of the longest
	// bundles.
	UnsentPerAddress int
	// Posts answered at the same time: 1,024. They do not count as reads.
	Posts int
	// Polls are long polls open at the same time: 4,096.
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
}

func (l Limits) withDefaults() Limits {
	l.Connections = cmp.Or(l.Connections, 8192)
	l.ConnectionsPerAddress = cmp.Or(l.ConnectionsPerAddress, 1024)
	l.Reads = cmp.Or(l.Reads, 512)
	l.ReadsPerAddress = cmp.Or(l.ReadsPerAddress, 128)
	l.Unsent = cmp.Or(l.Unsent, 512<<20)
	l.UnsentPerAddress = cmp.Or(l.UnsentPerAddress, 64<<20)
	l.Posts = cmp.Or(l.Posts, 1024)
	l.Polls = cmp.Or(l.Polls, 4096)
	l.PollsPerAddress = cmp.Or(l.PollsPerAddress, 256)
	l.PostRate = cmp.Or(l.PostRate, 200)
	l.PostBurst = cmp.Or(l.PostBurst, 400)
	l.TableRate = cmp.Or(l.TableRate, 5)
	l.TableBurst = cmp.Or(l.TableBurst, 100)
	return l
}

// Bounds that are no matter of taste.
const (
	headerTime             = 5 * time.Second   // to send a header
	requestTime            = 30 * time.Second  // to send a request
	answerTime             = 120 * time.Second // to wait for an answer and to take it: a full bundle has up to 16 MiB
	stallTime              = 10 * time.Second  // to take a piece of it
	maxPiece               = 64 << 10          // bytes
	idleTime               = 2 * time.Minute   // between requests of a connection
	shutdownTime           = 30 * time.Second  // for requests that are being answered
	maxHeader              = 16 << 10          // bytes
	maxBody                = tlog.MaxEntry     // bytes of an entry; a body may go on with its blobs
	maxBundling            = 8                 // bundles made at the same time; others wait
	maxZipped              = 64 << 20          // bytes of bundles kept compressed
	maxAttaching           = 64                // bodies with blobs read at the same time, of at most 1 MiB
	maxAttachingPerAddress = 8
	attachTime             = 10 * time.Second // to send the blobs of a body
	maxWait                = 60 * time.Second // of a long poll; proxies cut longer ones
	maxPage                = 256              // tables or messages in one answer
	maxPageBytes           = 1 << 20          // of messages in one answer, unless one alone is larger
	maxAddresses           = 16 << 10         // remembered for their rates
	retryBusy              = 1                // seconds, plus up to two more by chance
	retryReadOnly          = 60               // seconds
)

// buckets are token buckets, one for each address.
type buckets struct {
	limit rate.Limit
	burst int

	mu    sync.Mutex
	known map[netip.Prefix]*list.Element
	order *list.List // of *bucket, the one used last in front
}

type bucket struct {
	address netip.Prefix
	limiter *rate.Limiter
}

func newBuckets(perSecond float64, burst int) *buckets {
	limit := rate.Limit(perSecond)
	if perSecond < 0 {
		limit = rate.Inf
	}
	return &buckets{limit: limit, burst: burst, known: map[netip.Prefix]*list.Element{}, order: list.New()}
}

// take takes a token of the address, and returns how long to wait if there is
// none.
func (b *buckets) take(address netip.Prefix, now time.Time) (wait time.Duration, ok bool) {
	limiter := b.of(address)
	if limiter.AllowN(now, 1) {
		return 0, true
	}
	r := limiter.ReserveN(now, 1)
	defer r.CancelAt(now)
	return r.DelayFrom(now), false
}

func (b *buckets) of(address netip.Prefix) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.known[address]; ok {
		b.order.MoveToFront(e)
		return e.Value.(*bucket).limiter
	}
	// Forgetting gives the one unused for longest a full bucket, no more.
	if b.order.Len() >= maxAddresses {
		oldest := b.order.Remove(b.order.Back()).(*bucket)
		delete(b.known, oldest.address)
	}
	fresh := &bucket{address, rate.NewLimiter(b.limit, b.burst)}
	b.known[address] = b.order.PushFront(fresh)
	return fresh.limiter
}

// shares are what callers hold of something bounded: requests, bytes, or
// connections, in all and for each address.
type shares struct {
	most, mostPerAddress int

	mu        sync.Mutex
	held      int
	byAddress map[netip.Prefix]int
}

func newShares(most, mostPerAddress int) *shares {
	return &shares{most: most, mostPerAddress: mostPerAddress, byAddress: map[netip.Prefix]int{}}
}

// enter takes n for an address, if there are as many.
func (s *shares) enter(address netip.Prefix, n int) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+n > s.most || s.byAddress[address]+n > s.mostPerAddress {
		return nil, problem(client.Busy, "too many requests at the same time")
	}
	s.held += n
	s.byAddress[address] += n
	return func() { s.leave(address, n) }, nil
}

func (s *shares) leave(address netip.Prefix, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= n
	if s.byAddress[address] -= n; s.byAddress[address] == 0 {
		delete(s.byAddress, address)
	}
}

// addressOf is where the connection comes from: an IPv4 address, or the /64 of
// an IPv6 one, which is what a household is given.
func addressOf(r *http.Request) netip.Prefix { return addressIn(r.RemoteAddr) }

func addressIn(remote string) netip.Prefix {
	peer, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	address := peer.Addr().Unmap().WithZone("")
	bits := 32
	if address.Is6() {
		bits = 64
	}
	prefix, _ := address.Prefix(bits)
	return prefix
}
