package client

import (
	"context"
	"fmt"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
)

// Shown returns the newest checkpoint as the server shows it. Nothing of it is
// verified, and nothing is believed. It waits up to wait for one of more than above
// entries, if the server has a way to wait: logs of others have only /checkpoint.
func (c *Client) Shown(ctx context.Context, above uint64, wait time.Duration) ([]byte, error) {
	if wait > 0 {
		path := fmt.Sprintf("/v1/checkpoint?min_size=%d&wait=%.3f", above+1, wait.Seconds())
		signed, err := c.do(ctx, request{path: path, accept: "text/plain", limit: tlog.MaxCheckpoint, wait: wait})
		if err == nil {
			if _, err = tlog.ParseCheckpoint(signed); err == nil {
				return signed, nil
			}
		}
	}
	return c.do(ctx, request{path: "/checkpoint", limit: tlog.MaxCheckpoint})
}

// Tile returns a hash or entry tile as the server shows it, as wide as t. Nothing
// of it is verified but its form.
func (c *Client) Tile(ctx context.Context, t tlog.Tile) ([]byte, error) {
	size := tlog.MaxEntry + 2
	if t.Level != tlog.EntriesLevel {
		size = len(tlog.Hash{})
	}
	data, width, err := c.fetch(ctx, t, func(width int) int { return width * size })
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
