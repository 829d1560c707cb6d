package admission

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// store is a log and what it keeps beside it.
type store struct {
	log        tlog.Log
	blobs      tlog.Blobs // nil: none
	appendTime time.Duration
	carries    bool // the log takes an entry's blobs with it
}

// errUnasked says that the log was not asked to take the entry.
var errUnasked = errors.New("nothing was appended")

// saysNotTaken tells whether an error of append says that the log has not taken the
// entry this time.
func saysNotTaken(err error) bool {
	for _, certain := range []error{errUnasked, tlog.ErrReadOnly, tlog.ErrBusy, tlog.ErrEmpty, tlog.ErrTooLarge} {
		if errors.Is(err, certain) {
			return true
		}
	}
	return false
}

// appendVerdict keeps the blobs of an entry, and then makes the log take it. It waits for the
// outcome even if the caller does not: an entry handed to the log may be taken whether
// or not anybody still listens. A panic of the log is an answer that does not say whether it
// took the entry.
func (s store) appendVerdict(ctx context.Context, v *verdict) (t appendedEntry) {
	t.verdict = v
	defer func() {
		if cause := recover(); cause != nil {
			t.err = fmt.Errorf("the log panicked: %v\n%s", cause, debug.Stack())
		}
	}()
	blobs := blobsToKeep(v.entry, v.fault)
	if !s.carries {
		if err := s.keepBlobs(ctx, blobs); err != nil {
			t.err = fmt.Errorf("%w: %w", errUnasked, err)
			return t
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.appendTime)
	defer cancel()
	before, err := s.log.Checkpoint(ctx)
	if err != nil {
		t.err = fmt.Errorf("%w: %w", errUnasked, err)
		return t
	}
	if carrier, ok := s.log.(tlog.Carrier); ok && s.carries {
		t.receipt, t.err = carrier.AppendWith(ctx, v.entry.Bytes(), blobs)
	} else {
		t.receipt, t.err = s.log.Append(ctx, v.entry.Bytes())
	}
	t.again = t.receipt.Index < before.Size
	return t
}

// blobsToKeep are the blobs that the log has to keep with an entry. Blobs that no judge needs
// may be anything.
func blobsToKeep(e *bulletin.Entry, fault *table.Fault) [][]byte {
	if e.Message == nil || e.Message.IsDetached() || !needsBlobs(fault) {
		return nil
	}
	return e.Message.BlobBytes()
}

func (s store) entryAt(ctx context.Context, index uint64) ([]byte, error) {
	return EntryAt(ctx, s.log, index)
}

// EntryAt returns one entry of r.
func EntryAt(ctx context.Context, r tlog.Reader, index uint64) ([]byte, error) {
	next, stop := iter.Pull2(r.Entries(ctx, index, index+1))
	defer stop()
	entry, err, ok := next()
	if !ok {
		return nil, fmt.Errorf("the log does not show entry %d", index)
	}
	return entry, err
}

// Receipt proves that r has an entry, under its newest checkpoint. It is
// tlog.ErrRange if there is no entry with this index.
func Receipt(ctx context.Context, r tlog.Reader, index uint64) (tlog.Receipt, error) {
	c, err := r.Checkpoint(ctx)
	if err != nil {
		return tlog.Receipt{}, err
	}
	if index >= c.Size {
		return tlog.Receipt{}, fmt.Errorf("%w: entry %d of %d", tlog.ErrRange, index, c.Size)
	}
	p, err := r.Inclusion(ctx, index, c.Size)
	if err != nil {
		return tlog.Receipt{}, err
	}
	return tlog.Receipt{Index: index, Hashes: p.Hashes, Checkpoint: c.Note}, nil
}

// needsBlobs tells whether who judges a message again needs its blobs: a foul that
// was found without its proofs is evidence without them.
func needsBlobs(fault *table.Fault) bool { return fault == nil || fault.OnProofs() }

// keepBlobs makes the blobs of an entry durable, before the log promises the entry.
func (s store) keepBlobs(ctx context.Context, blobs [][]byte) error {
	for _, blob := range blobs {
		if err := s.blobs.PutBlob(ctx, blob); err != nil {
			return err
		}
	}
	return nil
}

// blobReader returns a way to the blobs of the log.
func (s store) blobReader(ctx context.Context) replay.Blobs {
	return func(b wire.Blob) ([]byte, error) {
		if s.blobs == nil {
			return nil, tlog.ErrNoBlob
		}
		return s.blobs.Blob(ctx, b.Hash)
	}
}

// lacksBlobs tells whether a blob of a message in the log cannot be had, and should be.
func (s store) lacksBlobs(ctx context.Context, m *wire.Message, fault *table.Fault) bool {
	blob := s.blobReader(ctx)
	return needsBlobs(fault) && slices.ContainsFunc(m.Blobs(), func(b wire.Blob) bool {
		_, err := blob(b)
		return err != nil
	})
}

// hasEntry returns nil if the log keeps blobs and e is at one of some places, which are
// of a table that need not be replayed.
func (s store) hasEntry(ctx context.Context, places []uint64, e *bulletin.Entry) error {
	if s.blobs == nil {
		return wire.ErrDetached
	}
	for _, index := range places {
		entry, err := s.entryAt(ctx, index)
		if err != nil {
			return err
		}
		if wire.HashEntry(entry) == e.Hash {
			return nil
		}
	}
	return wire.ErrDetached
}

// restoreBlobs keeps the blobs of a message that the log has at one of some places: a disk
// may have lost what every player still has.
func (s store) restoreBlobs(ctx context.Context, places []uint64, e *bulletin.Entry) error {
	if e.Message == nil || e.Message.IsDetached() {
		return wire.ErrDetached
	}
	if err := s.hasEntry(ctx, places, e); err != nil {
		return err
	}
	return s.keepBlobs(ctx, blobsToKeep(e, nil))
}
