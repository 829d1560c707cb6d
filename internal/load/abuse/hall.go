package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
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

	known []byte     // in the log already
	stale []byte     // signed by its seat, on an old head
	wrong [][][]byte // due, dear to check, and wrong: some of each of some seats
	seat  *list      // of them: those of the first seat
	seats *list      // one of each seat in turn
}

// list is gone through in turn, and from the beginning in the end.
type list struct {
	entries [][]byte
	at      atomic.Uint64
}

func (l *list) next() []byte { return l.entries[(l.at.Add(1)-1)%uint64(len(l.entries))] }

// How many wrong proofs an abuser has. Their bytes differ.
const (
	wrongSeats   = 60 // each at a table of its own
	wrongOfFirst = 400
	wrongOfOther = 8
)

// player posts games that were played before, entry by entry.
type player struct {
	url     string
	client  *http.Client
	entries [][]byte
}

func newHall(o options, url string) (*hall, error) {
	h := &hall{o: o, url: url, abuser: clientAt("127.0.2.1")}
	// As many entries as can be posted in all measurements.
	kinds := len(h.measured())
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

// prepareAbuse posts tables of the abuser's own up to the first shuffle.
func (h *hall) prepareAbuse() error {
	h.seat, h.seats = &list{}, &list{}
	for i := range wrongSeats {
		n := wrongOfOther
		if i == 0 {
			n = wrongOfFirst
		}
		if err := h.prepareTable(uint64(i), n); err != nil {
			return fmt.Errorf("preparing: %w", err)
		}
	}
	h.seat.entries = h.wrong[0]
	for k := range wrongOfOther {
		for _, wrong := range h.wrong {
			h.seats.entries = append(h.seats.entries, wrong[k])
		}
	}
	return nil
}

// prepareTable posts one, and forges so many wrong proofs of the seat that has to
// shuffle.
func (h *hall) prepareTable(i uint64, wrongs int) error {
	t, err := newTable(dearest, 1<<62+i)
	if err != nil {
		return err
	}
	d, err := t.PlayUntil(table.Shuffle)
	if err != nil {
		return err
	}
	for _, e := range t.Entries {
		if status, err := send(context.Background(), h.abuser, h.url, e); err != nil || status != http.StatusCreated {
			return fmt.Errorf("%d %w", status, err)
		}
	}
	shuffle, err := t.Message(d.Seats[0], d, nil)
	if err != nil {
		return err
	}
	h.known = t.Entries[1]
	if h.stale, err = t.Forge(shuffle, func(m *wire.Message) { m.Parent[0] ^= 1 }); err != nil {
		return err
	}
	var list [][]byte
	for k := range wrongs {
		wrong, err := t.Forge(shuffle, func(m *wire.Message) {
			p := m.Proofs[0]
			p[len(p)-40] ^= byte(1 + k%255)
			p[len(p)-72] ^= byte(k / 255)
		})
		if err != nil {
			return err
		}
		list = append(list, wrong)
	}
	h.wrong = append(h.wrong, list)
	return nil
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
// under way in the end does not count: then the abuser closes all it has at once.
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
			if ctx.Err() == nil {
				took = append(took, time.Since(begin))
			}
			p.entries = p.entries[1:]
		default:
			failed++ // and again
		}
	}
	return took, failed
}
