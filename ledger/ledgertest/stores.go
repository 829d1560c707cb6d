package ledgertest

import (
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/transparency-dev/merkle/compact"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

// Stores keeps the stores of ledgers in memory for tests. Committed content outlives Close, but not
// the process. A store's directory contains its number, so that it can be moved.
type Stores struct {
	mu   sync.Mutex
	kept []*keptStore
}

var _ ledger.Stores = (*Stores)(nil)

const numberFile = "number"

// CreateStore implements ledger.Stores.
func (s *Stores) CreateStore(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, &keptStore{indexes: make(map[tlog.Hash]uint64)})
	number := strconv.Itoa(len(s.kept) - 1)
	return os.WriteFile(filepath.Join(dir, numberFile), []byte(number), 0o600)
}

// OpenStore implements ledger.Stores.
func (s *Stores) OpenStore(dir string, _ *slog.Logger) (ledger.Store, error) {
	text, err := os.ReadFile(filepath.Join(dir, numberFile))
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(string(text))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || number < 0 || number >= len(s.kept) {
		return nil, fmt.Errorf("ledgertest: %s: %w", dir, fs.ErrNotExist)
	}
	k := s.kept[number]
	if !k.open.TryLock() {
		return nil, fmt.Errorf("ledgertest: the store in %s is open", dir)
	}
	return &store{keptStore: k}, nil
}

// keptStore is the committed content of a store.
type keptStore struct {
	open    sync.Mutex // held while the store is open
	mu      sync.RWMutex
	tree    tree
	indexes map[tlog.Hash]uint64
}

// store is an open store.
type store struct {
	*keptStore
	adding sync.Mutex // serializes Add
}

func (s *store) currentTree() tree {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tree
}

// Head implements ledger.Store.
func (s *store) Head() (uint64, tlog.Hash) {
	t := s.currentTree()
	return uint64(t.size()), t.root()
}

// Add implements ledger.Store.
func (s *store) Add(entries [][]byte, c ledger.Commit) error {
	s.adding.Lock()
	defer s.adding.Unlock()
	before := s.currentTree()
	grown, err := before.withEntries(entries...)
	if err != nil {
		return err
	}
	root := grown.root()
	if err := c.Before(uint64(grown.size()), root[:]); err != nil {
		return err
	}
	s.mu.Lock()
	s.tree = grown
	for i, entry := range entries {
		s.indexes[tlog.LeafHash(entry)] = uint64(before.size()) + uint64(i)
	}
	s.mu.Unlock()
	return c.After()
}

// Lookup implements ledger.Store.
func (s *store) Lookup(leaf tlog.Hash) (uint64, bool, error) {
	index, ok, _, err := s.LookupBefore(leaf)
	return index, ok, err
}

// LookupBefore implements ledger.Store.
func (s *store) LookupBefore(leaf tlog.Hash) (index uint64, ok bool, known uint64, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	index, ok = s.indexes[leaf]
	return index, ok, uint64(s.tree.size()), nil
}

// Entries implements ledger.Store.
func (s *store) Entries(start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, entry := range s.currentTree().entries[start:end] {
			if !yield(entry, nil) {
				return
			}
		}
	}
}

// Nodes implements ledger.Store.
func (s *store) Nodes(ids []compact.NodeID) ([][]byte, error) {
	t, nodes := s.currentTree(), make([][]byte, len(ids))
	for i, id := range ids {
		h := t.nodeHash(id)
		nodes[i] = h[:]
	}
	return nodes, nil
}

// HashTile implements ledger.Store.
func (s *store) HashTile(level int, index uint64, width int) (data []byte, err error) {
	t := s.currentTree()
	for i := range uint64(width) {
		h := t.nodeHash(compact.NewNodeID(uint(8*level), index*tlog.TileWidth+i))
		data = append(data, h[:]...)
	}
	return data, nil
}

// AddBytes implements ledger.Store.
func (s *store) AddBytes() int { return 1 << 20 }

// Space implements ledger.Store.
func (s *store) Space() (free, needed uint64, err error) { return 1, 0, nil }

// Tables implements ledger.Store.
func (s *store) Tables() int { return 1 }

// Close implements ledger.Store.
func (s *store) Close() error {
	s.open.Unlock()
	return nil
}
