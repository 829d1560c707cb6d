package report

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// Recording keeps what a source showed of one table, so that a report tells of exactly the bytes that
// were verified.
type Recording struct {
	table wire.Hash
	// Source of blobs that were not recorded. Their hashes authenticate them.
	src tlog.BlobReader

	mu      sync.Mutex
	entries map[uint64][]byte
	blobs   map[[sha256.Size]byte][]byte
}

// NewRecording makes an empty recording of a table.
func NewRecording(table wire.Hash) *Recording {
	return &Recording{table: table, entries: map[uint64][]byte{}, blobs: map[[sha256.Size]byte][]byte{}}
}

// Table returns the id of the recorded table.
func (r *Recording) Table() wire.Hash { return r.table }

// RecordFrom returns a source that shows what src shows and records it.
func (r *Recording) RecordFrom(src tlog.EntryReader) tlog.EntryReader {
	r.src, _ = src.(tlog.BlobReader)
	if x, ok := src.(tableset.Extract); ok {
		return &extractTap{recordedSource{src, r}, x}
	}
	return &recordedSource{src, r}
}

type recordedSource struct {
	tlog.EntryReader
	to *Recording
}

// Entries implements tlog.EntryReader.
func (t *recordedSource) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		at := start
		for entry, err := range t.EntryReader.Entries(ctx, start, end) {
			if err == nil {
				t.to.keepEntry(at, entry)
			}
			if at++; !yield(entry, err) {
				return
			}
		}
	}
}

// extractTap records an extract and is one itself.
type extractTap struct {
	recordedSource
	extract tableset.Extract
}

// Marks implements verifier.MarksOf, if the extract does.
func (t *extractTap) Marks(c tlog.Checkpoint, see func(index uint64, mark []byte)) error {
	if x, ok := t.extract.(verifier.MarksOf); ok {
		return x.Marks(c, see)
	}
	return nil
}

// Extract implements tableset.Extract.
func (t *extractTap) Extract(c tlog.Checkpoint) (iter.Seq2[uint64, []byte], error) {
	entries, err := t.extract.Extract(c)
	if err != nil {
		return nil, err
	}
	return func(yield func(uint64, []byte) bool) {
		for index, entry := range entries {
			t.to.keepEntry(index, entry)
			if !yield(index, entry) {
				return
			}
		}
	}, nil
}

// keepEntry keeps an entry of the table, recognised as the verifier does.
func (r *Recording) keepEntry(index uint64, entry []byte) {
	if wire.TableOf(entry) != r.table {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[index] = slices.Clone(entry)
}

// Blob implements tlog.BlobReader.
func (t *recordedSource) Blob(ctx context.Context, hash [sha256.Size]byte) ([]byte, error) {
	src, ok := t.EntryReader.(tlog.BlobReader)
	if !ok {
		return nil, tlog.ErrNoBlob
	}
	b, err := src.Blob(ctx, hash)
	if err == nil {
		t.to.mu.Lock()
		defer t.to.mu.Unlock()
		t.to.blobs[hash] = b
	}
	return b, err
}

// blobOf returns a blob that the verifier read.
func (r *Recording) blobOf(b wire.Blob) ([]byte, error) {
	if bytes, ok := r.blobs[b.Hash]; ok {
		return bytes, nil
	}
	if r.src == nil {
		return nil, tlog.ErrNoBlob
	}
	return r.src.Blob(context.Background(), b.Hash)
}

// RereadTables records tables of a log that were verified. It reads the log once more and refuses it
// if its entries do not have the root of c. It records the first table in any case, and as many of
// the next ones as fit in limit bytes of entries all together. The caller calls it again for the
// rest, so that memory does not grow with the number of tables.
func RereadTables(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint, tables []wire.Hash, limit int) ([]*Recording, error) {
	if x, ok := src.(tableset.Extract); ok {
		return rereadExtract(x, c, tables[0])
	}
	picked, err := bundle.PickEntries(ctx, src, c, tables, limit, nil)
	if err != nil {
		return nil, fmt.Errorf("reading again what was verified: %w", err)
	}
	list := make([]*Recording, len(picked))
	for i, entries := range picked {
		list[i] = NewRecording(tables[i])
		list[i].src, _ = src.(tlog.BlobReader)
		for _, e := range entries {
			list[i].entries[e.Index] = e.Bytes
		}
	}
	return list, nil
}

// rereadExtract records the table of an extract.
func rereadExtract(x tableset.Extract, c tlog.Checkpoint, table wire.Hash) ([]*Recording, error) {
	r := NewRecording(table)
	entries, err := r.RecordFrom(x).(tableset.Extract).Extract(c)
	if err != nil {
		return nil, err
	}
	for range entries { // recorded as they pass
	}
	return []*Recording{r}, nil
}

// parsedEntries lists the entries of the table in the order of the log. An entry that does not parse
// belongs to no table (50.3).
func (r *Recording) parsedEntries() []replay.PlacedEntry {
	var list []replay.PlacedEntry
	for _, index := range slices.Sorted(maps.Keys(r.entries)) {
		if e, err := wire.ParseEntry(r.entries[index]); err == nil {
			list = append(list, replay.PlacedEntry{Index: index, Entry: e})
		}
	}
	begins := slices.IndexFunc(list, func(p replay.PlacedEntry) bool { return p.Entry.Hash == r.table })
	return slices.DeleteFunc(list, func(p replay.PlacedEntry) bool {
		return p.Entry.Act != nil && (begins < 0 || !list[begins].Entry.Table.HasActs())
	})
}
