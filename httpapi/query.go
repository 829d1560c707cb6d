package httpapi

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/wire"
)

// tableID reads the id in the path.
func tableID(r *http.Request) (wire.Hash, error) {
	id, err := wire.ParseHash(r.PathValue("id"))
	if err != nil {
		return wire.Hash{}, problem(client.MalformedRequest, "a table's id has 64 lower-case hexadecimal digits")
	}
	return id, nil
}

// number reads a parameter of the query, a decimal number from low to high.
func number(r *http.Request, name string, low, high int) (n int, given bool, err error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return low, false, nil
	}
	n, err = strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, false, problem(client.MalformedRequest, "%s must be a number from %d to %d", name, low, high)
	}
	return n, true, nil
}

// limitOf reads the length of a page. More than a page is a page.
func limitOf(r *http.Request) (int, error) {
	n, given, err := number(r, "limit", 1, math.MaxInt32)
	if !given {
		n = maxPage
	}
	return min(n, maxPage), err
}

// waitOf reads how many seconds to wait, with a fraction or without. More than
// the longest wait is the longest wait.
func waitOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0) {
		return 0, problem(client.MalformedRequest, "wait must be a number of seconds")
	}
	return time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second)), nil
}

// beginning is how an id may begin.
var beginning = regexp.MustCompile(`^[0-9a-f]{0,64}$`)

// filterOf reads which tables are wanted.
func filterOf(r *http.Request) (client.TableFilter, error) {
	q := r.URL.Query()
	f := client.TableFilter{ID: q.Get("id"), State: client.TableState(q.Get("state")), Player: q.Get("player"), Game: q.Get("game")}
	switch f.State {
	case "", client.TableWaiting, client.TablePlaying, client.TableOver, client.TableFoul:
	default:
		return f, problem(client.MalformedRequest, "state must be waiting, playing, over or foul")
	}
	if !beginning.MatchString(f.ID) {
		return f, problem(client.MalformedRequest, "id must be how a table's id begins: at most 64 lower-case hexadecimal digits")
	}
	return f, nil
}
