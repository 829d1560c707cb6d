package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
)

// Patience with a server that does not answer, or asks to come again.
const (
	attempts     = 8
	firstPause   = 25 * time.Millisecond // doubled after every attempt
	longestPause = 2 * time.Second
	// longestRetryAfter is the longest wait a server may ask for: beyond it
	// the caller should decide.
	longestRetryAfter = 10 * time.Second
	// answerTime bounds one attempt, beyond the time a long poll waits.
	answerTime = 30 * time.Second
)

// Bounds on what is read of an answer. Content-Length is never believed.
const (
	maxProblem  = 64 << 10
	maxDocument = 8 << 20 // a page of messages, with every quotation mark escaped
)

// entryMedia is the media type of posted entries.
const entryMedia = "application/octet-stream"

// request is one call of the server.
type request struct {
	method string
	path   string        // with a leading slash, and the query
	accept string        // "": what the server prefers
	body   []byte        // an entry, if the method is POST
	limit  int           // on the answer, in bytes
	wait   time.Duration // that the server is asked to wait
}

// do sends the request until there is an answer, and returns the body of a 2xx.
func (c *Client) do(ctx context.Context, r request) ([]byte, error) {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		body, after, err := c.try(ctx, r)
		if err == nil || after < 0 || attempt == attempts || ctx.Err() != nil {
			return body, err
		}
		// Half of the pause is random, so that those who were turned away
		// together do not come back together.
		wait := max(after, pause/2+rand.N(pause/2))
		pause = min(2*pause, longestPause)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

// try sends the request once. If trying again may help, after is the time to
// wait at least, and below 0 otherwise.
func (c *Client) try(ctx context.Context, r request) (body []byte, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime+r.wait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return nil, -1, err
	}
	if r.method == http.MethodPost {
		req.Header.Set("Content-Type", entryMedia)
	}
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		body, err := readBounded(resp.Body, maxProblem)
		if err != nil && !errors.Is(err, tlog.ErrMalformed) {
			return nil, 0, err
		}
		return nil, retryAfter(resp), refusal(resp.StatusCode, resp.Header, body)
	}
	body, err = readBounded(resp.Body, r.limit)
	if errors.Is(err, tlog.ErrMalformed) {
		return nil, -1, fmt.Errorf("%s: %w", r.path, err)
	}
	return body, 0, err
}

// readBounded reads to the end, if that is within limit.
func readBounded(r io.Reader, limit int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(b) > limit {
		return nil, fmt.Errorf("%w: answer of more than %d bytes", tlog.ErrMalformed, limit)
	}
	return b, err
}

func retryAfter(resp *http.Response) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return -1
	}
	header := resp.Header.Get("Retry-After")
	if header == "" {
		return 0
	}
	seconds, err := strconv.ParseUint(header, 10, 31)
	if after := time.Duration(seconds) * time.Second; err == nil && after <= longestRetryAfter {
		return after
	}
	return -1
}

// document calls the server and reads a JSON document.
func (c *Client) document(ctx context.Context, r request, into any) error {
	r.limit = maxDocument
	body, err := c.do(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w document %s: %v", tlog.ErrMalformed, r.path, err)
	}
	return nil
}
