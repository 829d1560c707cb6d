package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

// File is a register in a directory of this machine, which several processes may share. It is as
// safe as its disk and does not survive the loss of the machine.
type File struct {
	origin string
	dir    string
}

var (
	_ ledger.Register   = (*File)(nil)
	_ ledger.Cosignings = (*File)(nil)
)

// OpenFile returns the register of a log in a directory, which it makes.
func OpenFile(origin, dir string) (*File, error) {
	dir = filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(origin))))
	return &File{origin, dir}, os.MkdirAll(dir, 0o700)
}

// withLock runs f while no other process changes the register.
func (r *File) withLock(f func() error) error {
	lock := flock.New(filepath.Join(r.dir, "lock"))
	if err := lock.Lock(); err != nil {
		return err
	}
	return errors.Join(f(), lock.Close())
}

func (r *File) promisePath() string { return filepath.Join(r.dir, "promise") }

// Load implements ledger.Register.
func (r *File) Load(context.Context) (ledger.Promise, error) {
	text, err := os.ReadFile(r.promisePath())
	if errors.Is(err, fs.ErrNotExist) {
		return ledger.Promise{}, fmt.Errorf("%w: there is no %s", ledger.ErrNoPromise, r.promisePath())
	}
	if err != nil {
		return ledger.Promise{}, err
	}
	return ParsePromise(r.origin, text)
}

// Make makes p the first promise. If there is one already, Make keeps and returns that.
func (r *File) Make(ctx context.Context, p ledger.Promise) (now ledger.Promise, err error) {
	err = r.withLock(func() (err error) {
		if now, err = r.Load(ctx); !errors.Is(err, ledger.ErrNoPromise) {
			return err
		}
		now = p
		return r.writePromise(p)
	})
	return now, err
}

// Swap implements ledger.Register.
func (r *File) Swap(ctx context.Context, old, next ledger.Promise) (now ledger.Promise, err error) {
	err = r.withLock(func() (err error) {
		if now, err = r.Load(ctx); err != nil || now != old {
			return err
		}
		now = next
		return r.writePromise(next)
	})
	return now, err
}

func (r *File) writePromise(p ledger.Promise) error {
	return durable.Replace(r.promisePath(), MarshalPromise(r.origin, p), 0o600)
}

// between is the time between two reads of the file.
const between = 20 * time.Millisecond

// PromiseChanged implements ledger.Register.
func (r *File) PromiseChanged(ctx context.Context, p ledger.Promise) (<-chan struct{}, error) {
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		for now, err := r.Load(ctx); err == nil && now == p; now, err = r.Load(ctx) {
			select {
			case <-time.After(between):
			case <-ctx.Done():
				return
			}
		}
	}()
	return changed, nil
}

func (r *File) cosignedPath() string { return filepath.Join(r.dir, "cosigned") }

// CosignedNote implements ledger.Cosignings.
func (r *File) CosignedNote(context.Context) ([]byte, error) {
	note, err := os.ReadFile(r.cosignedPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return note, err
}

// PutCosigned implements ledger.Cosignings.
func (r *File) PutCosigned(ctx context.Context, c tlog.Checkpoint) error {
	return r.withLock(func() error {
		was, err := r.CosignedNote(ctx)
		if err != nil {
			return err
		}
		if last, err := tlog.ParseCheckpoint(was); err == nil && last.Size >= c.Size {
			return nil
		}
		return durable.Replace(r.cosignedPath(), c.Note, 0o600)
	})
}
