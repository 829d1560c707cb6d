package cosign_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/transparency-dev/merkle/rfc6962"
	merkle "github.com/transparency-dev/merkle/testonly"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

// A logHistory is a log in memory, with a tree of other people's code, that can be
// made to branch. Its methods may be called concurrently.
type logHistory struct {
	t       testing.TB
	signers []note.Signer

	mu   sync.Mutex
	name string
	tree *merkle.Tree
}

// newHistory returns an empty history of the log of these signers.
func newHistory(t testing.TB, signers ...note.Signer) *logHistory {
	return &logHistory{t: t, signers: signers, name: "entry", tree: merkle.New(rfc6962.DefaultHasher)}
}

// Grow appends n entries.
func (h *logHistory) Grow(n int) *logHistory {
	h.mu.Lock()
	defer h.mu.Unlock()
	for range n {
		h.tree.AppendData(fmt.Appendf(nil, "%s %d", h.name, h.tree.Size()))
	}
	return h
}

// BranchAt returns another history with the same first size entries, and others
// from there on.
func (h *logHistory) BranchAt(size uint64) *logHistory {
	h.mu.Lock()
	defer h.mu.Unlock()
	other := newHistory(h.t, h.signers...)
	for i := range size {
		other.tree.Append(h.tree.LeafHash(i))
	}
	other.name = h.name + "'"
	return other
}

// Size returns the number of entries.
func (h *logHistory) Size() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tree.Size()
}

// CheckpointAt returns the signed checkpoint of the first size entries.
func (h *logHistory) CheckpointAt(size uint64) tlog.Checkpoint {
	h.t.Helper()
	h.mu.Lock()
	root := tlog.Hash(h.tree.HashAt(size))
	h.mu.Unlock()
	c, err := tlog.SignCheckpoint(size, root, h.signers[0], h.signers[1:]...)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// RequestSince returns the request to cosign the tree of size, after old.
func (h *logHistory) RequestSince(old, size uint64) tlog.AddCheckpoint {
	h.t.Helper()
	return tlog.AddCheckpoint{Old: old, Hashes: h.Proof(old, size), Checkpoint: h.CheckpointAt(size).Note}
}

// Proof returns the hashes of the consistency proof from old to size.
func (h *logHistory) Proof(old, size uint64) (hashes []tlog.Hash) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	proof, err := h.tree.ConsistencyProof(old, size)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, b := range proof {
		hashes = append(hashes, tlog.Hash(b))
	}
	return hashes
}
