package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

// Checkpoint is published as soon as the log has signed it: entries come by the
// thousand in a second, cosignatures once. So there are two newest checkpoints,
// the log's own, and the one that cosigners have seen, which is behind it while
// the log is busy, and the same when it is not. Both have readers. The obvious
// alternative, to publish nothing before it is cosigned, would let one absent
// cosigner hold up every game.

// PublishCosigned publishes c, a checkpoint of this log that has been cosigned
// since. The caller has verified the cosignatures. If c is still the newest
// checkpoint it takes its place. It survives a restart; one that is smaller than
// the last is ignored.
func (l *Ledger) PublishCosigned(c tlog.Checkpoint) error {
	if err := l.enterStore(); err != nil {
		return err
	}
	defer l.leaveStore()
	l.cosigning.Lock()
	defer l.cosigning.Unlock()
	if last := l.cosigned.Load(); last != nil && last.Size > c.Size {
		return nil
	}
	if err := l.checkOwn(c, l.published.Load().checkpoint.Size); err != nil {
		return err
	}
	if err := durable.Replace(filepath.Join(l.dir, cosignedFile), c.Note, 0o600); err != nil {
		return err
	}
	l.cosigned.Store(&c)
	if p := l.published.Load(); p.checkpoint.Size == c.Size {
		// Unless there is a newer one by now. Those who wait for that go on waiting.
		l.published.CompareAndSwap(p, &publishedHead{checkpoint: c, at: p.at, superseded: p.superseded})
	}
	l.shareCosigned(c)
	return nil
}

// sharedTime bounds what other front ends are told of a cosigned checkpoint.
const sharedTime = 2 * time.Second

// shareCosigned puts a cosigned checkpoint into the register, where the other front ends find
// it when they begin.
func (l *Ledger) shareCosigned(c tlog.Checkpoint) {
	if l.following == nil {
		return
	}
	r, ok := l.following.register.(Cosignings)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), sharedTime)
	defer cancel()
	if err := r.PutCosigned(ctx, c); err != nil {
		l.logger.Warn("the register does not take the cosigned checkpoint", "size", c.Size, "err", err)
	}
}

// adoptCosigned takes over what other front ends had cosigned. The log is published as far
// as was promised.
func (l *Ledger) adoptCosigned() error {
	r, ok := l.following.register.(Cosignings)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), sharedTime)
	defer cancel()
	note, err := r.CosignedNote(ctx)
	if err != nil || note == nil {
		return err
	}
	c, err := tlog.ParseCheckpoint(note)
	if last := l.cosigned.Load(); err != nil || last != nil && last.Size >= c.Size {
		return err
	}
	if err := l.following.catchUp(c.Size); err != nil { // others promise and have cosigned meanwhile
		return err
	}
	if err := l.checkOwn(c, l.published.Load().checkpoint.Size); err != nil {
		return fmt.Errorf("the register: %w", err)
	}
	l.cosigned.Store(&c)
	return nil
}

// checkOwn verifies that c is of this log's history, which has size entries.
func (l *Ledger) checkOwn(c tlog.Checkpoint, size uint64) error {
	noted, err := tlog.ParseCheckpoint(c.Note)
	if err != nil {
		return fmt.Errorf("a cosigned checkpoint: %w", err)
	}
	if noted.Origin != l.signer.Name() || noted.Size != c.Size || noted.Root != c.Root {
		return fmt.Errorf("a cosigned checkpoint of %q with %d entries is not what its note says", noted.Origin, noted.Size)
	}
	if c.Size > size {
		return fmt.Errorf("%w: cosigners have seen %d entries, there are %d", ErrRolledBack, c.Size, size)
	}
	root, err := l.engine.rootAt(c.Size)
	if err == nil && root != c.Root {
		err = fmt.Errorf("%w: cosigners have seen root %v at size %d, it is %v", ErrRolledBack, c.Root, c.Size, root)
	}
	return err
}

// resumeCosigned reads the checkpoint that was cosigned last, if there is one.
func (l *Ledger) resumeCosigned() error {
	path := filepath.Join(l.dir, cosignedFile)
	b, err := durable.ReadFile(path, tlog.MaxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	c, err := tlog.ParseCheckpoint(b)
	if err == nil {
		err = l.checkOwn(c, l.engine.head().size)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	l.cosigned.Store(&c)
	return nil
}

// CosignedReader reads the log up to the newest checkpoint that was published with
// cosignatures. Before the first its Checkpoint is tlog.ErrNotCosigned.
func (l *Ledger) CosignedReader() tlog.Reader { return cosignedReader{l, l} }

type cosignedReader struct {
	tlog.Reader
	ledger *Ledger
}

// Checkpoint returns the newest checkpoint with cosignatures.
func (r cosignedReader) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	c := r.ledger.cosigned.Load()
	if c == nil {
		return tlog.Checkpoint{}, tlog.ErrNotCosigned
	}
	return *c, nil
}

// Stop ends the log for good, see FailedChannel: somebody has found that going on would
// fork it. Entries that are being committed may still be answered.
func (l *Ledger) Stop(reason error) { l.failWith(reason) }
