package ledgertest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/compact"
	"golang.org/x/mod/sumdb/note"
	xtlog "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tlog"
)

// Memory is a log in memory for tests.
type Memory struct {
	signer note.Signer

	mu         sync.RWMutex
	tree       tree
	indexes    map[tlog.Hash]uint64
	checkpoint tlog.Checkpoint
}

var _ tlog.Log = (*Memory)(nil)

// NewMemory returns an empty log with a fresh key.
func NewMemory(origin string) (*Memory, note.Verifier, error) {
	private, public, err := note.GenerateKey(rand.Reader, origin)
	if err != nil {
		return nil, nil, err
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		return nil, nil, err
	}
	key, err := note.NewVerifier(public)
	if err != nil {
		return nil, nil, err
	}
	m, err := NewMemoryOf(signer)
	return m, key, err
}

// NewMemoryOf returns an empty log of a signer, which may also sign other things.
func NewMemoryOf(signer note.Signer) (m *Memory, err error) {
	m = &Memory{signer: signer, indexes: make(map[tlog.Hash]uint64)}
	m.checkpoint, err = tlog.SignCheckpoint(0, tlog.EmptyRoot(), signer)
	return m, err
}

// Append implements tlog.Log.
func (m *Memory) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	if err := tlog.CheckSize(entry); err != nil {
		return tlog.Receipt{}, err
	}
	if err := ctx.Err(); err != nil {
		return tlog.Receipt{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	index, ok := m.indexes[tlog.LeafHash(entry)]
	if !ok {
		index = uint64(len(m.tree.entries))
		if err := m.addEntry(entry); err != nil {
			return tlog.Receipt{}, err
		}
	}
	path, err := xtlog.ProveRecord(int64(len(m.tree.entries)), int64(index), m.tree.hashes)
	return tlog.Receipt{Index: index, Hashes: path, Checkpoint: m.checkpoint.Note}, err
}

// PutAnyway appends any entry, even one that is there already, which a real log never does.
func (m *Memory) PutAnyway(entry []byte) (index uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return uint64(m.tree.size()), m.addEntry(entry)
}

func (m *Memory) addEntry(entry []byte) error {
	grown, err := m.tree.withEntries(entry)
	if err != nil {
		return err
	}
	leaf := tlog.LeafHash(entry)
	if _, again := m.indexes[leaf]; !again {
		m.indexes[leaf] = uint64(m.tree.size())
	}
	m.tree = grown
	m.checkpoint, err = tlog.SignCheckpoint(uint64(grown.size()), grown.root(), m.signer)
	return err
}

// Checkpoint implements tlog.Reader.
func (m *Memory) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.checkpoint, nil
}

// Entries implements tlog.Reader.
func (m *Memory) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		m.mu.RLock()
		entries := m.tree.entries
		m.mu.RUnlock()
		if start > end || end > uint64(len(entries)) {
			yield(nil, fmt.Errorf("%w: from %d to %d of %d", tlog.ErrRange, start, end, len(entries)))
			return
		}
		for _, entry := range entries[start:end] {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(append([]byte{}, entry...), nil) {
				return
			}
		}
	}
}

// Inclusion implements tlog.Reader.
func (m *Memory) Inclusion(_ context.Context, index, size uint64) (tlog.Inclusion, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if index >= size || size > uint64(len(m.tree.entries)) {
		return tlog.Inclusion{}, fmt.Errorf("%w: entry %d in size %d", tlog.ErrRange, index, size)
	}
	path, err := xtlog.ProveRecord(int64(size), int64(index), m.tree.hashes)
	return tlog.Inclusion{Index: index, Size: size, Hashes: path}, err
}

// Consistency implements tlog.Reader.
func (m *Memory) Consistency(_ context.Context, old, size uint64) (tlog.Consistency, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if old > size || size > uint64(len(m.tree.entries)) {
		return tlog.Consistency{}, fmt.Errorf("%w: size %d in size %d", tlog.ErrRange, old, size)
	}
	p := tlog.Consistency{Old: old, Size: size}
	if old == 0 {
		return p, nil
	}
	hashes, err := xtlog.ProveTree(int64(size), int64(old), m.tree.hashes)
	p.Hashes = hashes
	return p, err
}

// tree is a list of entries and the tree over them, computed by x/mod. It never changes; withEntries
// may extend it once.
type tree struct {
	entries [][]byte
	hashes  hashes
}

// hashes are in the order of xtlog.StoredHashIndex.
type hashes []xtlog.Hash

// ReadHashes implements xtlog.HashReader.
func (h hashes) ReadHashes(indexes []int64) ([]xtlog.Hash, error) {
	list := make([]xtlog.Hash, len(indexes))
	for i, index := range indexes {
		list[i] = h[index]
	}
	return list, nil
}

// withEntries returns the tree with copies of more entries.
func (t tree) withEntries(entries ...[]byte) (tree, error) {
	for _, entry := range entries {
		more, err := xtlog.StoredHashes(t.size(), entry, t.hashes)
		if err != nil {
			return tree{}, err
		}
		t.hashes = append(t.hashes, more...)
		t.entries = append(t.entries, bytes.Clone(entry))
	}
	return t, nil
}

func (t tree) size() int64 { return int64(len(t.entries)) }

func (t tree) root() tlog.Hash { return t.rootAt(uint64(t.size())) }

// rootAt returns the root of the first size entries.
func (t tree) rootAt(size uint64) tlog.Hash {
	root, err := xtlog.TreeHash(int64(size), t.hashes)
	if err != nil {
		panic(err) // no hash is missing
	}
	return root
}

// nodeHash returns the root of a complete subtree, which must be in the tree.
func (t tree) nodeHash(id compact.NodeID) tlog.Hash {
	return t.hashes[xtlog.StoredHashIndex(int(id.Level), int64(id.Index))]
}

// NewKey makes a key and returns it as text and as a signer.
func NewKey(t testing.TB, name string, a tlog.Algorithm) (skey string, s *tlog.SignerKey) {
	t.Helper()
	skey, _, err := tlog.GenerateKey(rand.Reader, name, a)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = tlog.ParseSignerKey(skey, time.Now); err != nil {
		t.Fatal(err)
	}
	return skey, s
}
