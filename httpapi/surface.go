package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// getCheckpoint serves the newest signed checkpoint.
func (s *Server) getCheckpoint(w http.ResponseWriter, r *http.Request) error {
	c, err := s.log.Checkpoint(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	serve(w, r, c.Note)
	return nil
}

// getTile serves hash tiles and entry bundles. The path is parsed as it was
// sent: an escaped spelling of a tile's path is another path.
func (s *Server) getTile(w http.ResponseWriter, r *http.Request) error {
	t, err := tlog.ParseTilePath(strings.TrimPrefix(r.URL.EscapedPath(), "/"))
	if err != nil {
		return problem(client.NotFound, "%v", err)
	}
	leave, err := s.reading.enter()
	if err != nil {
		return err
	}
	defer leave()
	data, err := s.tiles.Tile(r.Context(), t)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	if t.Level == tlog.EntriesLevel {
		w.Header().Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			w.Header().Set("Content-Encoding", "gzip")
			data = compressed(data)
		}
	}
	serve(w, r, data)
	return nil
}

// getReceipt proves an entry.
func (s *Server) getReceipt(w http.ResponseWriter, r *http.Request) error {
	index, err := strconv.ParseUint(r.PathValue("index"), 10, 63)
	if err != nil || strconv.FormatUint(index, 10) != r.PathValue("index") {
		return problem(client.MalformedRequest, "%.30q is not an index", r.PathValue("index"))
	}
	leave, err := s.reading.enter()
	if err != nil {
		return err
	}
	defer leave()
	receipt, err := admission.Receipt(r.Context(), s.log, index)
	if err != nil {
		return err
	}
	// C2SP has no media type for proofs; like checkpoints they are text.
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	serve(w, r, receipt.Marshal())
	return nil
}

// getBlob serves a blob by the SHA-256 of its bytes.
func (s *Server) getBlob(w http.ResponseWriter, r *http.Request) error {
	hash, err := wire.ParseHash(r.PathValue("hash"))
	if err != nil {
		return problem(client.MalformedRequest, "%v", err)
	}
	if s.blobs == nil {
		return problem(client.NotFound, "this log keeps no blobs")
	}
	leave, err := s.reading.enter()
	if err != nil {
		return err
	}
	defer leave()
	blob, err := s.blobs.Blob(r.Context(), hash)
	if errors.Is(err, tlog.ErrNoBlob) {
		return problem(client.NotFound, "there is no blob %s", hash)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	serve(w, r, blob)
	return nil
}

// serve answers with data, or with 304 if the client has it.
func serve(w http.ResponseWriter, r *http.Request, data []byte) {
	sum := sha256.Sum256(data)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	w.Header().Set("ETag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // the client may have gone
	}
}

// matches implements If-None-Match, RFC 9110 §13.1.2. Our tags have no commas.
func matches(headers []string, tag string) bool {
	for _, header := range headers {
		for candidate := range strings.SplitSeq(header, ",") {
			candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
			if candidate == tag || candidate == "*" {
				return true
			}
		}
	}
	return false
}

// acceptsGzip implements what matters of Accept-Encoding, RFC 9110 §12.5.3:
// gzip is named, and not with a quality of zero.
func acceptsGzip(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(header, ",") {
			name, weight, _ := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";")
			q, err := strconv.ParseFloat(strings.TrimPrefix(weight, "q="), 64)
			if strings.EqualFold(name, "gzip") {
				return weight == "" || err == nil && q > 0
			}
		}
	}
	return false
}

func compressed(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	// A bytes.Buffer takes everything.
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}
