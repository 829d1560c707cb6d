package admission_test

import (
	"bytes"
	"context"
	"iter"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"
	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// memory is a log in memory.
type memory struct {
	signer note.Signer
	key    note.Verifier

	mu      sync.Mutex
	entries [][]byte
	hashes  []tlog.Hash // as golang.org/x/mod/sumdb/tlog stores them
}

func newMemory(t testing.TB) *memory {
	signer, vkey := keys(t, "log.example")
	v := testmust.Have(note.NewVerifier(vkey))(t)
	return &memory{signer: signer, key: v}
}

func (m *memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		list[i] = m.hashes[x]
	}
	return list, nil
}

func (m *memory) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.entries)
	root := tlog.EmptyRoot()
	if n > 0 {
		root, _ = sumdb.TreeHash(int64(n), m)
	}
	return tlog.SignCheckpoint(uint64(n), root, m.signer)
}

func (m *memory) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		m.mu.Lock()
		list := m.entries
		m.mu.Unlock()
		if end > uint64(len(list)) {
			yield(nil, tlog.ErrRange)
			return
		}
		for _, e := range list[start:end] {
			if !yield(bytes.Clone(e), nil) {
				return
			}
		}
	}
}

func (m *memory) Inclusion(_ context.Context, index, size uint64) (tlog.Inclusion, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := sumdb.ProveRecord(int64(size), int64(index), m)
	return tlog.Inclusion{Index: index, Size: size, Hashes: p}, err
}

func (m *memory) Consistency(_ context.Context, old, size uint64) (tlog.Consistency, error) {
	panic("not needed")
}

// put appends without asking anybody, as a dishonest operator can.
func (m *memory) put(entry []byte) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := int64(len(m.entries))
	stored, _ := sumdb.StoredHashes(n, entry, m)
	m.hashes = append(m.hashes, stored...)
	m.entries = append(m.entries, bytes.Clone(entry))
	return uint64(n)
}

func (m *memory) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	index, known := m.find(entry)
	if !known {
		index = m.put(entry)
	}
	c, err := m.Checkpoint(ctx)
	if err != nil {
		return tlog.Receipt{}, err
	}
	p, err := m.Inclusion(ctx, index, c.Size)
	return tlog.Receipt{Index: index, Hashes: p.Hashes, Checkpoint: c.Note}, err
}

func (m *memory) find(entry []byte) (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range m.entries {
		if bytes.Equal(e, entry) {
			return uint64(i), true
		}
	}
	return 0, false
}
