package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

// Restore makes a log in dir, which must be as Create wants it, of the first
// c.Size entries of a copy and the blobs that named says they name. It makes one
// only if their root is that of c, and leaves it closed.
//
// The caller makes sure that the log has published nothing beyond c. Otherwise
// going on would fork it.
func Restore(ctx context.Context, dir string, o Options, c tlog.Checkpoint, from tlog.EntryReader, named tlog.Named) error {
	return build(dir, func(making string) error {
		if err := fill(making, o); err != nil {
			return err
		}
		l, err := Open(making, o)
		if err != nil {
			return err
		}
		if err := errors.Join(l.refill(ctx, c, from, named), l.Close()); err != nil {
			return err
		}
		return durable.Replace(filepath.Join(making, restoredFile), []byte(restoredText), 0o600)
	})
}

// refill appends everything, in order.
func (l *Ledger) refill(ctx context.Context, c tlog.Checkpoint, from tlog.EntryReader, named tlog.Named) error {
	var last *batch
	err := tlog.ReadAll(ctx, from, c, func(entry []byte, leaf tlog.Hash, _ *tlog.Tree) (err error) {
		for _, hash := range named(entry) {
			blob, err := tlog.BlobsOf(from).Blob(ctx, hash)
			if err == nil {
				err = l.PutBlob(ctx, blob)
			}
			if err != nil {
				return err
			}
		}
		last, err = l.refillEntry(entry, leaf, last)
		return err
	})
	if err != nil {
		return err
	}
	if last != nil {
		<-last.done
	}
	if err := l.Err(); err != nil {
		return err
	}
	if got := l.published.Load().checkpoint; got.Size != c.Size || got.Root != c.Root {
		return fmt.Errorf("the copy gives %d entries with root %v, its checkpoint says %d with %v", got.Size, got.Root, c.Size, c.Root)
	}
	return nil
}

// refillEntry queues an entry after those before it, and waits for the last
// batch if there is no room.
func (l *Ledger) refillEntry(entry []byte, leaf tlog.Hash, last *batch) (*batch, error) {
	if err := tlog.CheckSize(entry); err != nil {
		return nil, err
	}
	p := &pending{entry: bytes.Clone(entry), leaf: leaf}
	for {
		b, err := l.queue.add(p)
		if !errors.Is(err, tlog.ErrBusy) {
			return b, err
		}
		if <-last.done; last.err != nil {
			return nil, last.err
		}
	}
}

// restoredText is for people; that the file is there is what counts.
const restoredText = "made by a restoration; removed when enough cosigners have said that they know of nothing further\n"

// Restored reports whether the log was made by Restore, and it has not
// been confirmed since that the log had published nothing further. Then it may be an
// old copy, and the caller must not serve it without asking.
func (l *Ledger) Restored() (bool, error) {
	_, err := os.Stat(filepath.Join(l.dir, restoredFile))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Confirm says that those who would know have been asked, see Restored.
func (l *Ledger) Confirm() error {
	if err := os.Remove(filepath.Join(l.dir, restoredFile)); err != nil {
		return err
	}
	return durable.SyncDirectory(l.dir)
}
