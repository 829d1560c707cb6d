package client_test

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// A tile narrower than what the server still has, and one that it has: as wide as
// asked for, entries and hashes.
func TestTileIsAsWideAsAskedFor(t *testing.T) {
	s := newSite(t, false)
	s.fill(t, 300)
	c := s.client(t)
	for _, level := range []int{tlog.EntriesLevel, 0} {
		whole := testmust.Have(c.Tile(t.Context(), tlog.Tile{Level: level, Width: tlog.TileWidth}))(t)
		partial := tlog.Tile{Level: level, Width: 255}.Path()
		s.lie("/"+partial, func(int, []byte) (int, []byte) { return http.StatusNotFound, nil })
		for _, width := range []int{1, 255} {
			part, err := c.Tile(t.Context(), tlog.Tile{Level: level, Width: width})
			if err != nil || !bytes.HasPrefix(whole, part) {
				t.Errorf("level %d, width %d: %v", level, width, err)
			}
			if level == tlog.EntriesLevel {
				_, err = tlog.ParseEntryTile(part, width)
			} else {
				_, err = tlog.ParseTile(part, width)
			}
			if err != nil {
				t.Errorf("level %d, width %d: %v", level, width, err)
			}
		}
		s.honest()
	}
}

// A server without a way to wait, or one that answers everything with a page: the
// plain checkpoint is asked for.
func TestShownWithoutAWayToWait(t *testing.T) {
	s := newSite(t, false)
	s.fill(t, 3)
	c := s.client(t)
	want := testmust.Have(c.Shown(t.Context(), 2, time.Second))(t)
	for name, lie := range map[string]func(int, []byte) (int, []byte){
		"404":    func(int, []byte) (int, []byte) { return http.StatusNotFound, []byte("no") },
		"a page": func(int, []byte) (int, []byte) { return http.StatusOK, []byte("<html>") },
	} {
		s.lie("/v1/checkpoint", lie)
		if got, err := c.Shown(t.Context(), 2, time.Second); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v %s", name, err, got)
		}
	}
}
