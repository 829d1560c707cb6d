package httpapi

import (
	"math"
	"net/http"
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
