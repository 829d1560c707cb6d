package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// Load is clients that post until they are stopped.
type Load struct {
	URL     string
	Clients int // the first Players of them play, the others begin tables
	Players int
	Pace    time.Duration // between the posts of a client
	Seed    uint64        // of the first table; those of a log must differ
	Key     note.Verifier
	Saw     func(checkpoint []byte) error // is called with the checkpoint of each receipt

	mu     sync.Mutex
	acks   []Ack
	voids  int
	failed error
	begun  []time.Time // of each client's current post; zero: none
	group  sync.WaitGroup
	stop   context.CancelFunc
}

// Ack is an acknowledged entry.
type Ack struct {
	Index     uint64
	Leaf      tlog.Hash
	Client    int
	Begun, At time.Time
}

// Start starts the clients.
func (l *Load) Start(ctx context.Context) {
	ctx, l.stop = context.WithCancel(ctx)
	l.begun = make([]time.Time, l.Clients)
	for i := range l.Clients {
		l.group.Go(func() {
			if err := l.run(ctx, i); err != nil && ctx.Err() == nil {
				l.mu.Lock()
				l.failed = fmt.Errorf("client %d: %w", i, err)
				l.mu.Unlock()
			}
		})
	}
}

// Stop stops them in the middle of their work.
func (l *Load) Stop() {
	l.stop()
	l.group.Wait()
}

// SeenAcks returns the acknowledged entries, the number of void ones, and an error that no client
// should ever see.
func (l *Load) SeenAcks() ([]Ack, int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acks[:len(l.acks):len(l.acks)], l.voids, l.failed
}

// WaitingSince returns since when the longest waiting post has waited, or zero if none waits.
func (l *Load) WaitingSince() (since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.begun {
		if !b.IsZero() && (since.IsZero() || b.Before(since)) {
			since = b
		}
	}
	return since
}

func (l *Load) run(ctx context.Context, i int) error {
	p := l.poster(i)
	seed := l.Seed + uint64(i)<<32
	for ; ctx.Err() == nil; seed++ {
		t, err := newTable(seed)
		if err != nil {
			return err
		}
		if i < l.Players {
			if err := t.Play(1 << 20); err != nil {
				return err
			}
		}
		if err := p.table(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// poster returns the connections of a client.
func (l *Load) poster(i int) *poster {
	t := &http.Transport{DialContext: (&net.Dialer{Timeout: 2 * time.Second}).DialContext}
	return &poster{load: l, number: i, carrier: &http.Client{Transport: t, Timeout: 12 * time.Second}}
}

func newTable(seed uint64) (*tabletest.Table, error) {
	game, ok := games.Lookup("schwarzer-peter/v1")
	s, ok2 := suite.Lookup(suite.Default)
	if !ok || !ok2 {
		return nil, fmt.Errorf("no game of schwarzer-peter/v1 in %s", suite.Default)
	}
	return tabletest.New(game, tabletest.Config{Seats: 3, Deals: 1, Suite: proof.Suite(s), Options: map[string]string{"pack": "52"}}, seed)
}

// poster is one client's connections.
type poster struct {
	load    *Load
	number  int
	carrier *http.Client
	next    time.Time
}

// table posts all entries of a table, one after another.
func (p *poster) table(ctx context.Context, t *tabletest.Table) error {
	for n, entry := range t.Entries {
		path := "/v1/tables"
		if n > 0 {
			path += "/" + t.State.ID().String() + "/messages"
		}
		if err := p.postUntilTaken(ctx, path, entry); err != nil {
			return err
		}
	}
	return nil
}

// postUntilTaken posts the same bytes until they are acknowledged.
func (p *poster) postUntilTaken(ctx context.Context, path string, entry []byte) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(p.next)):
	}
	begun := time.Now()
	p.next = begun.Add(p.load.Pace)
	p.waits(begun)
	defer p.waits(time.Time{})
	for {
		ack, again, err := p.postOnce(ctx, path, entry)
		switch {
		case err == nil:
			ack.Begun, ack.Client = begun, p.number
			p.load.addAck(ack)
			return nil
		case !again:
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (p *poster) waits(since time.Time) {
	p.load.mu.Lock()
	defer p.load.mu.Unlock()
	p.load.begun[p.number] = since
}

func (l *Load) addAck(a Ack) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acks = append(l.acks, a)
}

// postOnce posts once. again says that the trouble will pass.
func (p *poster) postOnce(ctx context.Context, path string, entry []byte) (a Ack, again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.load.URL+path, bytes.NewReader(entry))
	if err != nil {
		return a, false, err
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("Accept", "application/json")
	resp, err := p.carrier.Do(r)
	if err != nil {
		return a, true, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return a, true, err
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return a, resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests, fmt.Errorf("%s: %s: %.300s", path, resp.Status, body)
	}
	a, err = p.verifyAck(entry, body)
	return a, false, err
}

func (p *poster) verifyAck(entry, body []byte) (Ack, error) {
	var said client.PostedEntry
	if err := json.Unmarshal(body, &said); err != nil {
		return Ack{}, err
	}
	receipt, err := tlog.ParseReceipt([]byte(said.Receipt))
	if err != nil {
		return Ack{}, err
	}
	if err := receipt.Verify(entry, p.load.Key); err != nil {
		return Ack{}, err
	}
	if said.Class == client.Void {
		p.load.mu.Lock()
		p.load.voids++
		p.load.mu.Unlock()
	}
	return Ack{Index: receipt.Index, Leaf: tlog.LeafHash(entry), At: time.Now()}, p.load.Saw(receipt.Checkpoint)
}
