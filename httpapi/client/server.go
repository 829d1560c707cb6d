package client

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Server is a server at a URL. Results of its methods are not verified, except the hashes of blobs.
type Server struct {
	base  string // URL without a trailing slash
	carry Carrier
}

func newServer(base string, carry Carrier) (Server, error) {
	u, err := url.Parse(base)
	if err != nil {
		return Server{}, fmt.Errorf("this is no URL: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return Server{}, fmt.Errorf("%q is not the URL of a log: want http://host or https://host/prefix", base)
	}
	if carry == nil {
		carry = ownCarrier
	}
	return Server{strings.TrimRight(base, "/"), carry}, nil
}

// sendUntilAnswered sends the request until there is an answer, and returns the body of a 2xx.
func (s *Server) sendUntilAnswered(ctx context.Context, r request) ([]byte, error) {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		body, after, err := s.sendOnce(ctx, r)
		if err == nil || after < 0 || attempt == attempts || ctx.Err() != nil {
			return body, err
		}
		// Half of the pause is random, so that clients turned away together do not return together.
		wait := max(after, pause/2+rand.N(pause/2))
		pause = min(2*pause, LongestPause)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		}
	}
}

// sendOnce sends the request once. after is the least time to wait before another attempt, or below 0
// if that cannot help.
func (s *Server) sendOnce(ctx context.Context, r request) (body []byte, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime*time.Duration(1+len(r.entry)>>20)+r.wait)
	defer cancel()
	a, err := s.carry(ctx, r.callTo(s.base))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	case a.Status/100 != 2:
		return nil, retryAfter(a), refusalOf(a)
	case len(a.Body) > r.limit:
		return nil, -1, fmt.Errorf("%s: %w: answer of more than %d bytes", r.path, tlog.ErrMalformed, r.limit)
	}
	return a.Body, 0, nil
}

// retryAfter returns when to try again after an answer that is passing trouble, of the server or of a
// proxy while the server is away, or -1 after any other answer.
func retryAfter(a Answer) time.Duration {
	switch a.Status {
	case statusTooMany, statusBadGateway, statusUnavailable, statusGatewayTimeout:
	default:
		return -1
	}
	header := a.Header("Retry-After")
	if header == "" {
		return 0
	}
	seconds, err := strconv.ParseUint(header, 10, 31)
	if after := time.Duration(seconds) * time.Second; err == nil && after <= longestRetryAfter {
		return after
	}
	return -1
}

// isNotFound reports whether the server does not have what was requested.
func isNotFound(err error) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && p.Status == statusNotFound
}

// readAs calls the server and decodes a JSON document.
func readAs[T any](ctx context.Context, s *Server, r request) (doc T, err error) {
	r.limit = maxDocument
	body, err := s.sendUntilAnswered(ctx, r)
	if err != nil {
		return doc, err
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return doc, fmt.Errorf("%w document %s: %v", tlog.ErrMalformed, r.path, err)
	}
	return doc, nil
}

// ShownCheckpoint returns the newest checkpoint that the server shows, without believing it. It waits
// up to wait for one of more than above entries, if the server can wait: other people's logs have
// only /checkpoint.
func (s *Server) ShownCheckpoint(ctx context.Context, above uint64, wait time.Duration) ([]byte, error) {
	if wait > 0 {
		path := fmt.Sprintf("/v1/checkpoint?min_size=%d&wait=%.3f", above+1, wait.Seconds())
		signed, err := s.sendUntilAnswered(ctx, request{path: path, accept: "text/plain", limit: tlog.MaxCheckpoint, wait: wait})
		if err == nil {
			if _, err = tlog.ParseCheckpoint(signed); err == nil {
				return signed, nil
			}
		}
	}
	return s.sendUntilAnswered(ctx, request{path: "/checkpoint", limit: tlog.MaxCheckpoint})
}

// Tile returns a hash or entry tile as the server shows it, with t's width. Only its form is checked.
func (s *Server) Tile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	size := tlog.MaxEntry + 2
	if t.Level != tlog.EntriesLevel {
		size = len(tlog.Hash{})
	}
	data, width, err := s.fetchTile(ctx, t, func(width int) int { return width * size })
	if err != nil || width == t.Width {
		return data, err
	}
	if t.Level != tlog.EntriesLevel {
		return data[:min(len(data), t.Width*size)], nil
	}
	entries, err := tlog.ParseEntryTile(data, width)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Path(), err)
	}
	length := 0
	for _, e := range entries[:t.Width] {
		length += 2 + len(e)
	}
	return data[:length], nil
}

var _ tlog.BlobReader = (*Server)(nil)

// Blob implements tlog.BlobReader. It checks the hash of the answer.
func (s *Server) Blob(ctx context.Context, hash [sha256.Size]byte) ([]byte, error) {
	b, err := s.sendUntilAnswered(ctx, request{path: "/" + tlog.BlobPath(hash), limit: tlog.MaxBlob})
	if isNotFound(err) {
		return nil, fmt.Errorf("%w: %w", tlog.ErrNoBlob, err)
	}
	if err != nil {
		return nil, err
	}
	return b, tlog.CheckBlob(b, hash)
}

// CompleteEntry returns an entry followed by its blobs, or alone if the server lacks one of them. The
// table decides whether that matters.
func (s *Server) CompleteEntry(ctx context.Context, entry []byte) ([]byte, error) {
	parcel, err := wire.CompleteParcel(entry, func(b wire.Blob) ([]byte, error) { return s.Blob(ctx, b.Hash) })
	if errors.Is(err, tlog.ErrNoBlob) {
		return entry, nil
	}
	return parcel, err
}

// maxBundle bounds a bundle in bytes (docs/spec/85-bundle.md).
const maxBundle = 1 << 30

// Bundle returns the bundle of a table that the server makes.
func (s *Server) Bundle(ctx context.Context, id wire.Hash) ([]byte, error) {
	return s.sendUntilAnswered(ctx, request{path: "/v1/tables/" + id.String() + "/bundle", limit: maxBundle})
}

// CosignedCheckpoint returns the newest checkpoint with enough cosignatures for the log's own policy,
// or of a log without cosigners the newest one, as ShownCheckpoint does. It does not wait for the
// first one: the caller asks again anyway.
func (s *Server) CosignedCheckpoint(ctx context.Context) ([]byte, error) {
	signed, _, err := s.sendOnce(ctx, request{path: "/cosigned/checkpoint", limit: tlog.MaxCheckpoint})
	if isNotFound(err) {
		return s.ShownCheckpoint(ctx, 0, 0)
	}
	return signed, err
}

// HasCosigners reports whether the log has cosigners, as the server says.
func (s *Server) HasCosigners(ctx context.Context) (bool, error) {
	_, _, err := s.sendOnce(ctx, request{path: "/cosigned/checkpoint", limit: tlog.MaxCheckpoint})
	if isNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// AskCosigner returns the newest checkpoint of a log that the cosigner at a URL has signed
// (docs/spec/66-cosigners.md, 66.6.4), unverified.
func AskCosigner(ctx context.Context, base, origin string) ([]byte, error) {
	s, err := newServer(base, nil)
	if err != nil {
		return nil, err
	}
	return s.sendUntilAnswered(ctx, request{path: fmt.Sprintf("/%x/checkpoint", sha256.Sum256([]byte(origin))), limit: tlog.MaxCheckpoint})
}

// fetchTile fetches a hash or entry tile. If a partial one is gone because there is a full one, it
// fetches that and returns its width.
func (s *Server) fetchTile(ctx context.Context, t tlog.Tile, limit func(width int) int) ([]byte, int, error) {
	data, err := s.sendUntilAnswered(ctx, request{path: "/" + t.Path(), limit: limit(t.Width)})
	if isNotFound(err) && t.Width < tlog.TileWidth {
		full := tlog.Tile{Level: t.Level, Index: t.Index, Width: tlog.TileWidth}
		if data, err := s.sendUntilAnswered(ctx, request{path: "/" + full.Path(), limit: limit(full.Width)}); err == nil {
			return data, full.Width, nil
		}
	}
	return data, t.Width, err
}
