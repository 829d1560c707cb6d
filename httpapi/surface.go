package httpapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// getCheckpoint serves the newest signed checkpoint.
func (s *logAPI) getCheckpoint(w http.ResponseWriter, r *http.Request) error {
	c, err := s.log.Checkpoint(r.Context())
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serveTagged(w, r, c.Note, tagOf(c.Note))
}

// getTile serves hash tiles and entry tiles. The path is parsed as it was
// sent: an escaped spelling of a tile's path is another path.
func (s *logAPI) getTile(w http.ResponseWriter, r *http.Request) error {
	t, err := tlog.ParseTilePath(strings.TrimPrefix(r.URL.EscapedPath(), "/"))
	if err != nil {
		return problem(client.NotFound, "%v", err)
	}
	zip := t.Level == tlog.EntriesLevel && limit.TakesCoding(r, "gzip")
	var tag string
	data, err := s.tileReads.makeAnswer(r, func() (data []byte, err error) {
		data, tag, err = s.tileWithTag(r, t, zip)
		return data, err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	if t.Level == tlog.EntriesLevel {
		w.Header().Set("Vary", "Accept-Encoding")
	}
	if zip {
		w.Header().Set("Content-Encoding", "gzip")
	}
	return s.tileReads.serveTagged(w, r, data, tag)
}

// tileWithTag returns a tile and its tag. What is to be zipped is that only if it is
// sent: the tag is made from the plain bytes.
func (s *logAPI) tileWithTag(r *http.Request, t tlog.Tile, zip bool) (data []byte, tag string, err error) {
	if t.Level != tlog.EntriesLevel {
		data, err = s.tiles.Tile(r.Context(), t)
		return data, tagOf(data), err
	}
	as, full := answerVersion{name: t.Path(), zip: zip}, t.Width == tlog.TileWidth
	if data, tag := s.entryTiles.get(as); data != nil {
		return data, tag, nil
	}
	if data, err = s.tiles.Tile(r.Context(), t); err != nil {
		return nil, "", err
	}
	if tag = tagOf(data); zip {
		tag = strings.TrimSuffix(tag, `"`) + `-gzip"`
		if r.Method == http.MethodHead || clientHas(r, tag) {
			return data, tag, nil
		}
		data = s.zip(data)
	}
	if full {
		s.entryTiles.putForever(as, data, tag)
	}
	return data, tag, nil
}

// getBlob serves a blob by the SHA-256 of its bytes.
func (s *logAPI) getBlob(w http.ResponseWriter, r *http.Request) error {
	hash, err := wire.ParseHash(r.PathValue("hash"))
	if err != nil {
		return problem(client.MalformedRequest, "%v", err)
	}
	if s.blobs == nil {
		return problem(client.NotFound, "this log keeps no blobs")
	}
	blob, err := s.reads.makeAnswer(r, func() ([]byte, error) { return s.blobs.Blob(r.Context(), hash) })
	if errors.Is(err, tlog.ErrNoBlob) {
		return problem(client.NotFound, "there is no blob %s", hash)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	return s.reads.serveTagged(w, r, blob, tagOf(blob))
}

// clientHas implements If-None-Match, RFC 9110 §13.1.2. Our tags have no commas.
func clientHas(r *http.Request, tag string) bool {
	for _, header := range r.Header.Values("If-None-Match") {
		for candidate := range strings.SplitSeq(header, ",") {
			candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
			if candidate == tag || candidate == "*" {
				return true
			}
		}
	}
	return false
}
