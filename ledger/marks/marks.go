// Package marks judges the marks of a log while it is read (docs/spec/52-time.md, 52.2).
//
// A mark at index j is good if the log's key signed the checkpoint that it carries, the
// checkpoint's size s satisfies j − 65,536 ≤ s ≤ j, and its root is that of the first s entries. A
// checkpoint that the log signed with another root proves a second history and convicts the log.
// Every other mark is void, as if it were not there. Each cosignature is verified once, when a
// claim names the mark.
package marks

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// ErrNotShown says that only a part of the log was read and that the mark is not in it.
var ErrNotShown = errors.New("the mark is not shown")

// Marks are the marks of one log. One goroutine reads the log; others may ask for marks meanwhile.
type Marks struct {
	keys     []note.Verifier
	recent   tlog.Recent
	partial  bool // entries were left out
	contrary *tlog.BeginningError

	mu   sync.Mutex
	good map[wire.Hash]*mark
}

type mark struct {
	index      uint64
	checkpoint tlog.Checkpoint
	times      map[string]int64 // by keeper; 0 if it has not signed
}

// New returns the marks of a log with these keys before any entry was read.
func New(keys ...note.Verifier) *Marks {
	return &Marks{keys: keys, good: map[wire.Hash]*mark{}}
}

// NewPartial returns the marks of a log that is not read whole: it knows only marks that Add adds.
func NewPartial(keys ...note.Verifier) *Marks {
	m := New(keys...)
	m.partial = true
	return m
}

// SetComplete says that all marks that a caller may ask for were added: any other is no good mark.
func (m *Marks) SetComplete() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.partial = false
}

// Take takes the next entry of the log with its leaf hash. If an entry is left out, it judges no
// further marks; see [Marks.Add].
func (m *Marks) Take(index uint64, leaf tlog.Hash, entry []byte) {
	if m.partial = m.partial || index != m.recent.Size(); m.partial {
		return
	}
	if wire.BeginsMark(entry) {
		m.judgeMark(index, wire.Hash(leaf), entry)
	}
	m.recent.Append(leaf)
}

func (m *Marks) judgeMark(index uint64, hash wire.Hash, entry []byte) {
	c, err := ReadMark(index, entry, m.keys)
	if err != nil {
		return
	}
	switch root, known := m.recent.Root(c.Size); {
	case known && root == c.Root:
		m.addGood(hash, index, c)
	case known && m.contrary == nil:
		m.contrary = &tlog.BeginningError{A: c, Root: root}
	}
}

// ReadMark reads a mark at an index of the log with these keys and returns its checkpoint. The
// caller compares the checkpoint's root with the log's.
func ReadMark(index uint64, entry []byte, keys []note.Verifier) (c tlog.Checkpoint, err error) {
	m, err := wire.ParseMark(entry)
	if err != nil {
		return c, err
	}
	if c, err = tlog.OpenCheckpoint(m.Note, keys...); err != nil {
		return c, err
	}
	if c.Size > index || index-c.Size > tlog.RecentSizes {
		return c, fmt.Errorf("the mark at index %d is of a checkpoint of size %d: that is none of the %d sizes before", index, c.Size, tlog.RecentSizes)
	}
	return c, nil
}

func (m *Marks) addGood(hash wire.Hash, index uint64, c tlog.Checkpoint) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.good[hash] == nil { // if the same bytes are in the log twice, the first place counts
		m.good[hash] = &mark{index: index, checkpoint: c, times: map[string]int64{}}
	}
}

// Add adds a mark, as an extract of a log shows it: the caller has proved its index and that its
// checkpoint belongs to the log's history. Void marks are ignored.
func (m *Marks) Add(index uint64, entry []byte) {
	if c, err := ReadMark(index, entry, m.keys); err == nil {
		m.addGood(wire.HashEntry(entry), index, c)
	}
}

// Contradiction returns an error of class tlog.ErrForked if some mark carries a checkpoint that the
// log signed but that contradicts the history read under c, otherwise nil.
func (m *Marks) Contradiction(c tlog.Checkpoint) error {
	if m.contrary == nil {
		return nil
	}
	e := *m.contrary
	e.B = c
	return &e
}

// Mark returns the good mark with this entry hash. The error is keeper.ErrNoMark if there is none,
// and ErrNotShown if that cannot be known.
func (m *Marks) Mark(hash wire.Hash) (keeper.Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.good[hash]
	switch {
	case found != nil:
		return keeper.Mark{Index: found.index, Size: found.checkpoint.Size, Time: func(keeper string) (int64, bool) { return m.timeBy(found, keeper) }}, nil
	case m.partial:
		return keeper.Mark{}, fmt.Errorf("mark %s: %w", hash, ErrNotShown)
	}
	return keeper.Mark{}, fmt.Errorf("mark %s: %w", hash, keeper.ErrNoMark)
}

// Place is the index and hash of a log entry that has the form of a mark.
type Place struct {
	Index uint64
	Hash  wire.Hash
}

// Places lists the places of the good marks in the order of the log.
func (m *Marks) Places() (list []Place) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for hash, mark := range m.good {
		list = append(list, Place{mark.index, hash})
	}
	slices.SortFunc(list, func(a, b Place) int { return cmp.Compare(a.Index, b.Index) })
	return list
}

// timeBy returns the time of a keeper's cosignature, which it verifies once, and whether there is
// one.
func (m *Marks) timeBy(of *mark, keeper string) (int64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, known := of.times[keeper]
	if !known {
		t = TimeOf(of.checkpoint, keeper)
		of.times[keeper] = t
	}
	return t, t != 0
}

// MarkOf returns the mark at an index with c, a checkpoint of the log's history.
func MarkOf(index uint64, c tlog.Checkpoint) keeper.Mark {
	return keeper.Mark{Index: index, Size: c.Size, Time: func(keeper string) (int64, bool) {
		t := TimeOf(c, keeper)
		return t, t != 0
	}}
}

// TimeOf returns the time of a keeper's cosignature of c in seconds since 1970, or 0 if there is
// none. The keeper is named by its verifier key.
func TimeOf(c tlog.Checkpoint, keeper string) int64 {
	k, err := tlog.ParseCosignerKey(keeper)
	if err != nil {
		return 0
	}
	t, err := c.CosignedAt(k)
	if err != nil || t.IsZero() {
		return 0
	}
	return t.Unix()
}
