package ledger

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/tlog"
)

// A Copy is the log in a directory, opened without the order that it may follow. It can only be read
// and moved between a cluster and this directory. It appends and signs nothing.
type Copy struct {
	dir     string
	follows string // "" if the log is kept alone
	options Options
	ledger  *Ledger
}

// OpenCopy opens the log in dir, which nobody else has open. Order, Register and Follows
// of o are not looked at.
func OpenCopy(dir string, o Options) (*Copy, error) {
	o.Order, o.Register, o.Follows = nil, nil, ""
	follows, err := readMarker(dir, o.Signer)
	if err != nil {
		return nil, err
	}
	l := newLedger(o)
	if err = l.acquireAll(dir, o); err == nil {
		err = l.comparePromised()
	}
	if err != nil {
		return nil, errors.Join(err, l.release())
	}
	return &Copy{dir, follows, o, l}, nil
}

// Close ends it.
func (c *Copy) Close() error { return c.ledger.release() }

// Follows is what the directory's marker says that it follows; empty if it is kept alone.
func (c *Copy) Follows() string { return c.follows }

// Head is all that it has.
func (c *Copy) Head() Promise {
	h := c.ledger.engine.head()
	return Promise{Size: h.size, Root: h.root}
}

// Has says why it does not have a promise in it; nil if it has.
func (c *Copy) Has(p Promise) error {
	if have := c.Head().Size; have < p.Size {
		return fmt.Errorf("%s: %w: it has %d entries, %d were promised. Take the directory of another front end, or serve this one until it has them",
			c.dir, ErrRolledBack, have, p.Size)
	}
	root, err := c.ledger.engine.rootAt(p.Size)
	if err == nil && root != p.Root {
		err = fmt.Errorf("%s: %w: at size %d its root is %v, promised was %v", c.dir, ErrRolledBack, p.Size, root, p.Root)
	}
	return err
}

// Entries yields the entries start to end-1; what is yielded is valid until the next one.
func (c *Copy) Entries(start, end uint64) iter.Seq2[[]byte, error] {
	return c.ledger.store.Entries(start, end)
}

// Blob implements tlog.BlobReader.
func (c *Copy) Blob(ctx context.Context, hash [sha256.Size]byte) ([]byte, error) {
	return c.ledger.Blob(ctx, hash)
}

// LargestPromise is the largest of several copies of one log, of which the others must be
// beginnings.
func LargestPromise(copies ...*Copy) (p Promise, err error) {
	var most *Copy
	for _, c := range copies {
		if most == nil || c.Head().Size > most.Head().Size {
			most = c
		}
	}
	for _, c := range copies {
		if err := most.Has(c.Head()); err != nil {
			return Promise{}, fmt.Errorf("%s and %s hold different histories, and one of them may have been signed: %w", most.dir, c.dir, err)
		}
	}
	return most.Head(), nil
}

// Follow makes the directory one that follows; it had better be known that all it may have
// signed is in what it follows.
func (c *Copy) Follow(follows string) error {
	err := os.Remove(filepath.Join(c.dir, restoredFile)) // the register knows how far the log had got
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.writeMarker(follows)
}

func (c *Copy) writeMarker(follows string) error {
	c.follows = follows
	return durable.Replace(filepath.Join(c.dir, markerFile), []byte(markerFor(c.options.Signer, follows)), 0o600)
}

// leavingFile has the name under which a directory leaves, so that it may be begun again
// and only one directory leaves.
const leavingFile = "leaving"

// Leave takes the log out of the register, for good, and makes the directory one that is
// kept alone. It must have all that was promised. Once begun it can be repeated; another
// directory cannot leave then.
func (c *Copy) Leave(ctx context.Context, r Register) error {
	who, err := c.leaverName()
	if err != nil {
		return err
	}
	for {
		p, err := r.Load(ctx)
		if err != nil {
			return fmt.Errorf("register: %w", err)
		}
		if p.Left != "" && p.Left != who {
			return fmt.Errorf("%w: another directory has taken it out, and goes on alone. From this one the log would be forked", ErrLeft)
		}
		if err := c.Has(p); err != nil {
			return err
		}
		if p.Left == who {
			return c.writeMarker("")
		}
		left := p
		left.Left = who
		if _, err := r.Swap(ctx, p, left); err != nil {
			return fmt.Errorf("register: %w. Nothing has changed in %s; repeat the command", err, c.dir)
		}
	}
}

// leaverName is the name under which this directory leaves.
func (c *Copy) leaverName() (string, error) {
	path := filepath.Join(c.dir, leavingFile)
	text, err := durable.ReadFile(path, 64)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	name := make([]byte, 8)
	if _, err := rand.Read(name); err != nil {
		return "", err
	}
	who := hex.EncodeToString(name)
	return who, durable.Replace(path, []byte(who+"\n"), 0o600)
}

var _ tlog.BlobReader = (*Copy)(nil)
