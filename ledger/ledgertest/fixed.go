package ledgertest

import (
	"context"
	"errors"
	"iter"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

// FixedLog shows a list of entries under a checkpoint, whether they match or not.
type FixedLog struct {
	Signed tlog.Checkpoint
	List   [][]byte
}

// NewFixed returns a log of signed entries.
func NewFixed(t testing.TB, list [][]byte, signer note.Signer, also ...note.Signer) FixedLog {
	t.Helper()
	c, err := tlog.SignCheckpoint(uint64(len(list)), rootOf(list), signer, also...)
	if err != nil {
		t.Fatal(err)
	}
	return FixedLog{c, list}
}

func rootOf(list [][]byte) tlog.Hash {
	var tree tlog.Tree
	for _, e := range list {
		tree.Append(tlog.LeafHash(e))
	}
	return tree.Root()
}

// Checkpoint implements tlog.EntryReader.
func (f FixedLog) Checkpoint(context.Context) (tlog.Checkpoint, error) { return f.Signed, nil }

// Entries implements tlog.EntryReader.
func (f FixedLog) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := start; i < end; i++ {
			if i >= uint64(len(f.List)) {
				yield(nil, errors.New("the log shows no more"))
				return
			}
			if !yield(f.List[i], nil) {
				return
			}
		}
	}
}

// Tile implements tlog.TileReader. It computes tiles from the entries.
func (f FixedLog) Tile(_ context.Context, t tlog.Tile) (data []byte, err error) {
	if !t.IsWithin(uint64(len(f.List))) {
		return nil, tlog.ErrRange
	}
	span := 1 << (8 * max(t.Level, 0))
	for i := range t.Width {
		first := (int(t.Index)*tlog.TileWidth + i) * span
		if t.Level == tlog.EntriesLevel {
			data, err = tlog.AppendEntry(data, f.List[first])
		} else {
			root := rootOf(f.List[first : first+span])
			data = append(data, root[:]...)
		}
	}
	return data, err
}
