package httpapi

import (
	"cmp"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/wire"
)

// query reads what a request asks for in its path and behind it. The first mistake is
// kept: until that was looked at, what is read may be anything.
type query struct {
	r   *http.Request
	err error
}

func (q *query) wrong(format string, args ...any) {
	q.err = cmp.Or(q.err, error(problem(client.MalformedRequest, format, args...)))
}

// table reads the id in the path.
func (q *query) table() wire.Hash {
	id, err := wire.ParseHash(q.r.PathValue("id"))
	if err != nil {
		q.wrong("a table's id has 64 lower-case hexadecimal digits")
	}
	return id
}

// index reads the index in the path.
func (q *query) index() uint64 {
	text := q.r.PathValue("index")
	index, err := strconv.ParseUint(text, 10, 63)
	if err != nil || strconv.FormatUint(index, 10) != text {
		q.wrong("%.30q is not an index", text)
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
		q.wrong("%s must be a number from %d to %d", name, low, high)
	}
	return n, true
}

// limit reads the length of a page. More than a page is a page.
func (q *query) limit() int {
	n, given := q.number("limit", 1, math.MaxInt32)
	if !given {
		n = maxPage
	}
	return min(n, maxPage)
}

// wait reads how many seconds to wait, with a fraction or without. More than
// the longest wait is the longest wait.
func (q *query) wait() time.Duration {
	text := q.r.URL.Query().Get("wait")
	if text == "" {
		return 0
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0) {
		q.wrong("wait must be a number of seconds")
	}
	return time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second))
}

// resumed reads where a stream begins: after the event that the client had
// last, or where a parameter says.
func (q *query) resumed(name string, most int) int {
	last := q.r.Header.Get("Last-Event-ID")
	if last == "" {
		n, _ := q.number(name, 0, most)
		return n
	}
	n, err := strconv.ParseUint(last, 10, 63)
	if err != nil || n >= uint64(most) || strconv.FormatUint(n, 10) != last {
		q.wrong("Last-Event-ID %.30q is not the id of an event", last)
	}
	return int(n) + 1
}

// standing reads how far the client knows the log; nil if no proofs are asked for.
func (q *query) standing() *standing {
	edge, one := q.number("edge", 0, math.MaxInt64)
	size, other := q.number("size", 0, math.MaxInt64)
	if !one && !other {
		return nil
	}
	if !one || !other || edge > size {
		q.wrong("edge and size belong together, and edge is no more than size")
	}
	return &standing{uint64(edge), uint64(size)}
}

// beginning is how an id may begin.
var beginning = regexp.MustCompile(`^[0-9a-f]{0,64}$`)

// filter reads which tables are wanted.
func (q *query) filter() client.TableFilter {
	of := q.r.URL.Query()
	f := client.TableFilter{ID: of.Get("id"), State: client.TableState(of.Get("state")), Player: of.Get("player"), Game: of.Get("game")}
	switch f.State {
	case "", client.TableWaiting, client.TablePlaying, client.TableOver, client.TableFoul:
	default:
		q.wrong("state must be waiting, playing, over or foul")
	}
	if !beginning.MatchString(f.ID) {
		q.wrong("id must be how a table's id begins: at most 64 lower-case hexadecimal digits")
	}
	return f
}
