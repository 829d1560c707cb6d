package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// hall is a server with its players and what abusers need.
type hall struct {
	o       options
	kinds   []kind
	players []*player
	material
	file string // of the material
}

// Numbers of an abuser's wrong proofs, all with different bytes.
const (
	wrongSeats   = 60 // each at a table of its own
	wrongOfFirst = 400
	wrongOfOther = 8
)

// player posts the entries of games that were played before.
type player struct {
	url     string
	client  *http.Client
	entries [][]byte
}

func newHall(o options, kinds []kind, url, log, file string) (*hall, error) {
	h := &hall{o: o, kinds: kinds, file: file, material: material{URL: url, Rate: o.rate}}
	// Enough entries for all measurements.
	need := int(o.span/o.pace)*(2*len(kinds)*o.rounds+2) + 100
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
	prepare := []func() error{h.prepareLists}
	if !kinds[0].tls {
		prepare = append(prepare, h.prepareAbuse)
	}
	if h.hasKind("offers") {
		prepare = append(prepare, func() error { return h.prepareOffers(log) })
	}
	if h.hasKind("bundles") || h.hasKind("registrations") {
		prepare = append(prepare, h.prepareEvent)
	}
	for _, p := range prepare {
		if err := p(); err != nil {
			return nil, fmt.Errorf("preparing: %w", err)
		}
	}
	return h, h.save(file)
}

// hasKind reports whether one of the kinds begins with a word.
func (h *hall) hasKind(word string) bool {
	return slices.ContainsFunc(h.kinds, func(k kind) bool { return strings.HasPrefix(k.name, word) })
}

func newTable(name string, seed uint64) (*tabletest.Table, error) {
	game, ok := games.Lookup("schwarzer-peter/v1")
	s, ok2 := suite.Lookup(name)
	if !ok || !ok2 {
		return nil, fmt.Errorf("unknown game or suite %s", name)
	}
	return tabletest.New(game, tabletest.Config{Seats: 3, Deals: 1, Suite: proof.Suite(s), Options: map[string]string{"pack": "52"}}, seed)
}

// costliest is the suite whose proofs take longest to check.
const costliest = "ristretto255-cutandchoose/v1"

// listed is the number of further tables, so that a list of them is full.
const listed = 256

// prepareLists posts tables from other addresses.
func (h *hall) prepareLists() error {
	for i := range listed {
		t, err := newTable(suite.Default, 1<<61+uint64(i))
		if err != nil {
			return err
		}
		if err := postAccepted(clientAt(fmt.Sprintf("127.0.3.%d", 1+i/64)), h.URL, t.Entries[0]); err != nil {
			return err
		}
	}
	return nil
}

// prepareAbuse posts the abuser's own tables up to the first shuffle.
func (h *hall) prepareAbuse() error {
	for i := range wrongSeats {
		n := wrongOfOther
		if i == 0 {
			n = wrongOfFirst
		}
		if err := h.prepareTable(uint64(i), n); err != nil {
			return err
		}
	}
	return nil
}

// postAccepted posts an entry that must be accepted.
func postAccepted(c *http.Client, url string, entry []byte) error {
	status, err := sendEntry(context.Background(), c, url, entry)
	if err == nil && status != http.StatusCreated {
		err = fmt.Errorf("answered %d", status)
	}
	return err
}

// prepareTable posts a table, and forges the given number of wrong proofs of the seat that has to
// shuffle.
func (h *hall) prepareTable(i uint64, wrongs int) error {
	t, err := newTable(costliest, 1<<62+i)
	if err != nil {
		return err
	}
	d, err := t.PlayUntil(table.Shuffle)
	if err != nil {
		return err
	}
	for _, e := range t.Entries {
		if err := postAccepted(clientAt(abuserAddress), h.URL, e); err != nil {
			return err
		}
	}
	shuffle, err := t.HonestMessage(d.Seats[0], d, nil)
	if err != nil {
		return err
	}
	h.Known, h.Table = t.Entries[1], "/v1/tables/"+t.State.ID().String()
	if h.Stale, err = t.Forge(shuffle, func(m *wire.Message) { m.Parent[0] ^= 1 }); err != nil {
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
	h.Wrong = append(h.Wrong, list)
	return nil
}

// sendEntry posts an entry and returns the status of the answer.
func sendEntry(ctx context.Context, c *http.Client, url string, entry []byte) (int, error) {
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

// postOn posts the next entries until ctx ends and the current post is answered.
func (p *player) postOn(ctx context.Context, pace time.Duration) (took []time.Duration, failed int) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for len(p.entries) > 0 {
		select {
		case <-ctx.Done():
			return took, failed
		case <-tick.C:
		}
		begin := time.Now()
		status, err := sendEntry(context.WithoutCancel(ctx), p.client, p.url, p.entries[0])
		took = append(took, time.Since(begin))
		if err == nil && status == http.StatusCreated {
			p.entries = p.entries[1:]
		} else {
			failed++ // the same entry again
		}
	}
	return took, failed
}
