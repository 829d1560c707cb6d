package ledger_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

// disk is a front end's, which says how many entries are durable on it.
type disk struct {
	ledger.Stores
	durable atomic.Uint64
}

func (d *disk) OpenStore(dir string, log *slog.Logger) (ledger.Store, error) {
	s, err := d.Stores.OpenStore(dir, log)
	return &diskStore{s, d}, err
}

type diskStore struct {
	ledger.Store
	disk *disk
}

func (s *diskStore) Add(entries [][]byte, c ledger.Commit) error {
	after, size := c.After, s.disk.durable.Load()+uint64(len(entries))
	c.After = func() error {
		s.disk.durable.Store(size)
		return after()
	}
	return s.Store.Add(entries, c)
}

// promisesOf is the register as one front end has it, which looks at that one's disk when it promises.
type promisesOf struct {
	ledger.Register
	disk *disk
	t    *testing.T
}

func (r promisesOf) Swap(ctx context.Context, old, next ledger.Promise) (ledger.Promise, error) {
	if has := r.disk.durable.Load(); has < next.Size {
		r.t.Errorf("%d entries are promised, %d are on the disk of the front end that promises them", next.Size, has)
	}
	return r.Register.Swap(ctx, old, next)
}

// What the cluster's database shows may be nowhere else: a commit that waits for the standby and is cancelled is
// committed all the same. An entry that is promised, or acknowledged, while the front end that does so has it
// nowhere but there, is lost with that database.
func TestPromisedIsOnOwnDisk(t *testing.T) {
	c := newCluster(t)
	var clients sync.WaitGroup
	var ends [2]durableEnd
	for i := range ends {
		e := &ends[i]
		e.open(t, c)
		for client := range 4 {
			clients.Go(func() {
				for n := range 25 {
					e.append(t, fmt.Appendf(nil, "%d of client %d at %d", n, client, i))
				}
			})
		}
	}
	clients.Wait()
	c.order.Cut(0)
	for i := range ends {
		ends[i].hasAll(t)
	}
}

// durableEnd is a front end, and what it has acknowledged.
type durableEnd struct {
	disk
	dir   string
	log   *ledger.Ledger
	mu    sync.Mutex
	acked map[string]uint64
}

func (e *durableEnd) open(t *testing.T, c *cluster) {
	t.Helper()
	e.dir, e.acked, e.disk.Stores = c.directory(t), map[string]uint64{}, c.stores
	o := c.options()
	o.Store, o.Register = &e.disk, promisesOf{c.register, &e.disk, t}
	e.log = testmust.Have(ledger.Open(e.dir, o))(t)
	t.Cleanup(func() { e.log.Close() })
}

func (e *durableEnd) append(t *testing.T, entry []byte) {
	r, err := e.log.Append(t.Context(), entry)
	if err != nil {
		t.Error(err)
		return
	}
	if has := e.durable.Load(); has <= r.Index {
		t.Errorf("entry %d is acknowledged, %d are on the disk of the front end that answers", r.Index, has)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.acked[string(entry)] = r.Index
}

// hasAll checks that what was acknowledged here is here, without anything else of the cluster.
func (e *durableEnd) hasAll(t *testing.T) {
	t.Helper()
	e.log.Close()
	s := testmust.Have(e.disk.Stores.OpenStore(filepath.Join(e.dir, "store"), nil))(t)
	defer s.Close()
	if len(e.acked) != 100 {
		t.Errorf("%d acknowledged", len(e.acked))
	}
	for entry, at := range e.acked {
		if index, ok, err := s.Lookup(tlog.LeafHash([]byte(entry))); index != at || !ok || err != nil {
			t.Errorf("LOST: %q was acknowledged at %d: at %d, %v, %v", entry, at, index, ok, err)
		}
	}
}
