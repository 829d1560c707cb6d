package ledgertest

import (
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/rfc6962"
	merkle "github.com/transparency-dev/merkle/testonly"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

// NewKey makes a key, as text and to sign with.
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

// A History is a log in memory, with a tree of other people's code, that can be
// made to branch. Its methods may be called concurrently.
type History struct {
	t       testing.TB
	signers []note.Signer

	mu   sync.Mutex
	name string
	tree *merkle.Tree
}

// NewHistory returns an empty history of the log of these signers.
func NewHistory(t testing.TB, signers ...note.Signer) *History {
	return &History{t: t, signers: signers, name: "entry", tree: merkle.New(rfc6962.DefaultHasher)}
}

// Grow appends n entries.
func (h *History) Grow(n int) *History {
	h.mu.Lock()
	defer h.mu.Unlock()
	for range n {
		h.tree.AppendData(fmt.Appendf(nil, "%s %d", h.name, h.tree.Size()))
	}
	return h
}

// BranchAt returns another history with the same first size entries, and others
// from there on.
func (h *History) BranchAt(size uint64) *History {
	h.mu.Lock()
	defer h.mu.Unlock()
	other := NewHistory(h.t, h.signers...)
	for i := range size {
		other.tree.Append(h.tree.LeafHash(i))
	}
	other.name = h.name + "'"
	return other
}

// Size returns the number of entries.
func (h *History) Size() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tree.Size()
}

// CheckpointAt returns the signed checkpoint of the first size entries.
func (h *History) CheckpointAt(size uint64) tlog.Checkpoint {
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
func (h *History) RequestSince(old, size uint64) tlog.AddCheckpoint {
	h.t.Helper()
	return tlog.AddCheckpoint{Old: old, Hashes: h.Proof(old, size), Checkpoint: h.CheckpointAt(size).Note}
}

// Proof returns the hashes of the consistency proof from old to size.
func (h *History) Proof(old, size uint64) (hashes []tlog.Hash) {
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
