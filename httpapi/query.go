package httpapi

import (
	"cmp"
	"crypto/rand"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/protocol/wire"
)

// query reads what a request asks for in its path and behind it. The first mistake is
// kept: until that was looked at, what is read may be anything.
type query struct {
	r   *http.Request
	err error
}

func (q *query) noteMistake(format string, args ...any) {
	q.err = cmp.Or(q.err, error(problem(client.MalformedRequest, format, args...)))
}

func (q *query) tableID() wire.Hash { return q.subjectID("a table") }

func (q *query) eventID() wire.Hash { return q.subjectID("an event") }

// subjectID reads the id in the path.
func (q *query) subjectID(what string) wire.Hash {
	id, err := wire.ParseHash(q.r.PathValue("id"))
	if err != nil {
		q.noteMistake("%s's id has 64 lower-case hexadecimal digits", what)
	}
	return id
}

// entryIndex reads the index in the path.
func (q *query) entryIndex() uint64 {
	text := q.r.PathValue("index")
	index, err := strconv.ParseUint(text, 10, 63)
	if err != nil || strconv.FormatUint(index, 10) != text {
		q.noteMistake("%.30q is not an index", text)
	}
	return index
}

// number reads a parameter, a decimal number from low to high; low if it is not given.
func (q *query) number(name string, low, high int) (n int, given bool) {
	text := q.r.URL.Query().Get(name)
	if text == "" {
		return low, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		q.noteMistake("%s must be a number from %d to %d", name, low, high)
	}
	return n, true
}

// pageLimit reads the length of a page. More than a page is a page.
func (q *query) pageLimit() int {
	n, given := q.number("limit", 1, math.MaxInt32)
	if !given {
		n = maxPage
	}
	return min(n, maxPage)
}

// waitTime reads how many seconds to wait, with a fraction or without. More than
// the longest wait is the longest wait.
func (q *query) waitTime() time.Duration {
	text := q.r.URL.Query().Get("wait")
	if text == "" {
		return 0
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0) {
		q.noteMistake("wait must be a number of seconds")
	}
	return time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second))
}

// resumePoint reads where a stream begins: after the event that the client had
// last, or where a parameter says.
func (q *query) resumePoint(name string, most int) int {
	last := q.r.Header.Get("Last-Event-ID")
	if last == "" {
		n, _ := q.number(name, 0, most)
		return n
	}
	n, err := strconv.ParseUint(last, 10, 63)
	if err != nil || n >= uint64(most) || strconv.FormatUint(n, 10) != last {
		q.noteMistake("Last-Event-ID %.30q is not the id of an event", last)
	}
	return int(n) + 1
}

// knownLog reads how far the client knows the log; nil if no proofs are asked for.
func (q *query) knownLog() *knownLog {
	if q.r.URL.RawQuery == "" {
		return nil
	}
	edge, one := q.number("edge", 0, math.MaxInt64)
	size, other := q.number("size", 0, math.MaxInt64)
	if !one && !other {
		return nil
	}
	if !one || !other || edge > size {
		q.noteMistake("edge and size belong together, and edge is no more than size")
	}
	return &knownLog{uint64(edge), uint64(size)}
}

// beginning is how an id may begin.
var beginning = regexp.MustCompile(`^[0-9a-f]{0,64}$`)

// tableFilter reads which tables are wanted.
func (q *query) tableFilter() client.TableFilter {
	of := q.r.URL.Query()
	f := client.TableFilter{ID: of.Get("id"), State: client.TableState(of.Get("state")), Player: of.Get("player"), Game: of.Get("game"), Event: of.Get("event")}
	if round, given := q.number("round", 1, math.MaxUint16); given {
		f.Round = round
	}
	f.People, _ = q.number("people", 0, wire.MaxSeats)
	switch f.State {
	case "", client.TableWaiting, client.TablePlaying, client.TablePaused, client.TableStopped, client.TableOver, client.TableFoul:
	default:
		q.noteMistake("state must be waiting, playing, paused, stopped, over or foul")
	}
	if !beginning.MatchString(f.ID) {
		q.noteMistake("id must be how a table's id begins: at most 64 lower-case hexadecimal digits")
	}
	if _, err := wire.ParseHash(f.Event); f.Event != "" && err != nil {
		q.noteMistake("event must be the id of an event: 64 lower-case hexadecimal digits")
	}
	return f
}

// Media types of what is offered in more than one.
const (
	mediaText     = "text/plain; charset=utf-8"
	mediaJSON     = "application/json"
	mediaHTML     = "text/html; charset=utf-8"
	mediaMarkdown = "text/markdown; charset=utf-8"
)

// negotiate returns the media type that the client prefers, RFC 9110 §12.5.1:
// of equal ones the first that is offered, and that too if nothing is asked for.
func negotiate(w http.ResponseWriter, r *http.Request, offers ...string) (string, error) {
	w.Header().Add("Vary", "Accept")
	ranges := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(ranges) == "" {
		return offers[0], nil
	}
	best, most := "", 0.0
	for _, offer := range offers {
		if q := qualityOf(offer, ranges); q > most {
			best, most = offer, q
		}
	}
	if best == "" {
		return "", problem(client.NotAcceptable, "this is offered as %s", strings.Join(offers, " or "))
	}
	return best, nil
}

// qualityOf is the weight that the most specific of ranges gives to an offer.
// Parameters other than q are not looked at.
func qualityOf(offer, ranges string) (q float64) {
	media, _, _ := strings.Cut(offer, ";")
	kind, _, _ := strings.Cut(media, "/")
	specific := -1
	for item := range strings.SplitSeq(ranges, ",") {
		name, parameters, _ := strings.Cut(item, ";")
		of := func(pattern string) bool { return strings.EqualFold(strings.TrimSpace(name), pattern) }
		if i := slices.IndexFunc([]string{"*/*", kind + "/*", media}, of); i > specific {
			specific, q = i, limit.WeightOf(parameters)
		}
	}
	return q
}

// headerRequest names a request, in the header of request and answer, in
// problems and in the server's log.
const headerRequest = "X-Request-Id"

var wellFormedID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID is what the client calls its request, or a new name. What is not
// well-formed is not repeated.
func requestID(r *http.Request) string {
	if id := r.Header.Get(headerRequest); wellFormedID.MatchString(id) {
		return id
	}
	return rand.Text()
}

// isLocal tells whether a request is by a program, or a page, of this machine. A
// browser sends what any page likes to a server on loopback too, but with the
// page's origin (Fetch §3.2); and where a name from elsewhere was made to lead
// here, with that name.
func isLocal(r *http.Request) bool {
	if !limit.IsLoopback(r.Host) {
		return false
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !limit.IsLoopback(u.Host) {
			return false
		}
	}
	return true
}
