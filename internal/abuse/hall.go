package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// hall is a server with its players, and what the abuser needs.
type hall struct {
	o       options
	url     string
	players []*player
	abuser  *http.Client

	known []byte // in the log already
	stale []byte // signed by its seat, on an old head
	wrong []byte // due, dear to check, and wrong
}

// player posts games that were played before, entry by entry.
type player struct {
	url     string
	client  *http.Client
	entries [][]byte
}

func newHall(o options, url string) (*hall, error) {
	h := &hall{o: o, url: url, abuser: clientAt("127.0.2.1")}
	// As many entries as can be posted in all measurements.
	kinds := len(h.abuses())
	need := int(o.span/o.pace)*(2*kinds*o.rounds+2) + 100
	for i := range o.players {
		p := &player{url: url, client: clientAt(fmt.Sprintf("127.0.1.%d", i+1))}
		h.players = append(h.players, p)
		for seed := uint64(1); len(p.entries) < need; seed++ {
			t, err := newTable(suite.Default, uint64(i)<<32+seed)
			if err != nil {
				return nil, err
			}
			if err := t.Play(1 << 20); err != nil {
				return nil, err
			}
			p.entries = append(p.entries, t.Entries...)
		}
	}
	return h, h.prepareAbuse()
}

func newTable(name string, seed uint64) (*tabletest.Table, error) {
	game, ok := games.Lookup("schwarzer-peter/v1")
	s, ok2 := suite.Lookup(name)
	if !ok || !ok2 {
		return nil, fmt.Errorf("unknown game or suite %s", name)
	}
	return tabletest.New(game, tabletest.Config{Seats: 3, Deals: 1, Suite: proof.Suite(s), Options: map[string]string{"pack": "52"}}, seed)
}

// dearest is the suite whose proofs cost most to check.
const dearest = "ristretto255-cutandchoose/v1"

// prepareAbuse posts a table of the abuser's own up to its first shuffle.
func (h *hall) prepareAbuse() error {
	t, err := newTable(dearest, 1<<62)
	if err != nil {
		return err
	}
	d, err := t.PlayUntil(table.Shuffle)
	if err != nil {
		return err
	}
	for _, e := range t.Entries {
		if status, err := send(context.Background(), h.abuser, h.url, e); err != nil || status != http.StatusCreated {
			return fmt.Errorf("preparing: %d %w", status, err)
		}
	}
	h.known = t.Entries[1]
	shuffle, err := t.Message(d.Seats[0], d, nil)
	if err != nil {
		return err
	}
	if h.wrong, err = t.Forge(shuffle, func(m *wire.Message) { p := m.Proofs[0]; p[len(p)-40] ^= 1 }); err != nil {
		return err
	}
	h.stale, err = t.Forge(shuffle, func(m *wire.Message) { m.Parent[0] ^= 1 })
	return err
}

// send posts an entry, and returns the status of the answer.
func send(ctx context.Context, c *http.Client, url string, entry []byte) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/entries", bytes.NewReader(entry))
	if err != nil {
		return 0, err
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// play posts on from where it was, until ctx ends. The time of a post that is
// cut off by the end does not count.
func (p *player) play(ctx context.Context, pace time.Duration) (took []time.Duration, failed int) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for len(p.entries) > 0 {
		select {
		case <-ctx.Done():
			return took, failed
		case <-tick.C:
		}
		begin := time.Now()
		status, err := send(context.WithoutCancel(ctx), p.client, p.url, p.entries[0])
		switch {
		case err == nil && status == http.StatusCreated:
			took = append(took, time.Since(begin))
			p.entries = p.entries[1:]
		default:
			failed++ // and again
		}
	}
	return took, failed
}
