package client

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sync"

	"golang.org/x/mod/sumdb/note"
	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Client is a log at a URL. Its methods may be called at the same time. Results of its [Server]'s
// methods are not verified.
type Client struct {
	Server
	keys []note.Verifier

	mu       sync.Mutex
	believed tlog.Checkpoint
	tiles    tiles.TileCache
	kept     keptTile
	followed map[wire.Hash]*followedTable
	calls    uint64 // of Messages
}

var _ tlog.Log = (*Client)(nil)

// maxSize bounds the size of a believed log: golang.org/x/mod/sumdb/tlog numbers all nodes of a tree,
// twice as many as entries, in 63 bits.
const maxSize = 1 << 60

// RollbackError says that the server showed an older checkpoint than before. Both are signed and
// consistent, so it is no evidence against the log.
type RollbackError struct{ Believed, Shown tlog.Checkpoint }

func (e *RollbackError) Error() string {
	return fmt.Sprintf("the server shows %d entries of %s, which has had %d: it has an old copy for now, or hides something", e.Shown.Size, e.Shown.Origin, e.Believed.Size)
}

// New returns the log with key v at a URL, the prefix of its C2SP read surface. A nil Carrier means
// the default one. A log that changes keys also has others; each is enough. New sends nothing.
func New(base string, v note.Verifier, carry Carrier, also ...note.Verifier) (*Client, error) {
	s, err := newServer(base, carry)
	if err != nil {
		return nil, err
	}
	return &Client{
		Server: s, keys: append([]note.Verifier{v}, also...), followed: map[wire.Hash]*followedTable{},
		believed: tlog.Checkpoint{Origin: v.Name(), Root: tlog.EmptyRoot()},
	}, nil
}

// AskLog asks the server at a URL for its log's keys. The answer is not verified: relying on it means
// trusting the server once.
func AskLog(ctx context.Context, base string, carry Carrier) (LogInfo, error) {
	s, err := newServer(base, carry)
	if err != nil {
		return LogInfo{}, err
	}
	return s.Log(ctx)
}

// BelievedCheckpoint returns the newest verified checkpoint. Its Note is nil before the first.
func (c *Client) BelievedCheckpoint() tlog.Checkpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.believed
}

// Keys returns the log's keys.
func (c *Client) Keys() []note.Verifier { return c.keys }

// BelieveCheckpoint believes a signed checkpoint from elsewhere, such as an earlier run: from now on
// the log has to be consistent with it.
func (c *Client) BelieveCheckpoint(ctx context.Context, signed []byte) error {
	cp, err := c.openCheckpoint(signed)
	if err != nil {
		return err
	}
	return c.believeNewer(ctx, cp)
}

// openCheckpoint reads a checkpoint and verifies the log's signature.
func (c *Client) openCheckpoint(signed []byte) (tlog.Checkpoint, error) {
	cp, err := tlog.OpenCheckpoint(signed, c.keys...)
	if err == nil && cp.Size > maxSize {
		err = fmt.Errorf("%w checkpoint: %d entries are more than any log has", tlog.ErrMalformed, cp.Size)
	}
	return cp, err
}

// Checkpoint implements tlog.Reader.
func (c *Client) Checkpoint(ctx context.Context) (tlog.Checkpoint, error) {
	before := c.BelievedCheckpoint()
	signed, err := c.sendUntilAnswered(ctx, request{path: "/checkpoint", limit: tlog.MaxCheckpoint})
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	cp, err := c.openCheckpoint(signed)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	if err := c.believeNewer(ctx, cp); err != nil {
		return tlog.Checkpoint{}, err
	}
	if cp.Size < before.Size {
		return tlog.Checkpoint{}, &RollbackError{Believed: before, Shown: cp}
	}
	return c.copyBelieved(), nil
}

func (c *Client) copyBelieved() tlog.Checkpoint {
	cp := c.BelievedCheckpoint()
	cp.Note = bytes.Clone(cp.Note)
	return cp
}

// believeNewer checks that a signed checkpoint and the believed one belong to one history, and keeps
// the newer.
func (c *Client) believeNewer(ctx context.Context, cp tlog.Checkpoint) error {
	for {
		old := c.BelievedCheckpoint()
		if err := c.compareTrees(ctx, old, cp); err != nil {
			return err
		}
		if cp.Size < old.Size || c.replaceBelieved(old, cp) {
			return nil
		}
	}
}

// replaceBelieved believes cp instead of old, unless another call has replaced old already.
func (c *Client) replaceBelieved(old, cp tlog.Checkpoint) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.believed.Size != old.Size {
		return false
	}
	c.believed = cp
	return true
}

// compareTrees checks that the smaller tree is the beginning of the larger one: it computes the root
// of the smaller from tiles that hash to the root of the larger.
func (c *Client) compareTrees(ctx context.Context, a, b tlog.Checkpoint) error {
	if a.Size > b.Size {
		a, b = b, a
	}
	if a.Size > 0 && a.Origin != b.Origin {
		return twoLogs(a, b)
	}
	if a.Size == b.Size {
		return tlog.CheckFork(a, b)
	}
	root, err := c.rootAt(ctx, b, a.Size)
	if err == nil && root != a.Root {
		err = &tlog.BeginningError{A: a, B: b, Root: root}
	}
	return err
}

func twoLogs(a, b tlog.Checkpoint) error {
	return fmt.Errorf("the server shows checkpoints of two logs, %q and %q", a.Origin, b.Origin)
}

// believedAt returns a believed checkpoint of at least size entries.
func (c *Client) believedAt(ctx context.Context, size uint64) (tlog.Checkpoint, error) {
	if cp := c.BelievedCheckpoint(); cp.Size >= size {
		return cp, nil
	}
	cp, err := c.Checkpoint(ctx)
	if err == nil && cp.Size < size {
		err = fmt.Errorf("%w: %d entries of %d", tlog.ErrRange, size, cp.Size)
	}
	return cp, err
}

// Inclusion implements tlog.Reader.
func (c *Client) Inclusion(ctx context.Context, index, size uint64) (tlog.Inclusion, error) {
	if index >= size {
		return tlog.Inclusion{}, fmt.Errorf("%w: entry %d of %d", tlog.ErrRange, index, size)
	}
	cp, err := c.believedAt(ctx, size)
	if err != nil {
		return tlog.Inclusion{}, err
	}
	hashes, err := sumdb.ProveRecord(int64(size), int64(index), c.hashesOf(ctx, cp))
	return tlog.Inclusion{Index: index, Size: size, Hashes: hashes}, err
}

// Consistency implements tlog.Reader.
func (c *Client) Consistency(ctx context.Context, old, size uint64) (tlog.Consistency, error) {
	if old > size {
		return tlog.Consistency{}, fmt.Errorf("%w: from size %d to %d", tlog.ErrRange, old, size)
	}
	cp, err := c.believedAt(ctx, size)
	if err != nil || old == 0 {
		return tlog.Consistency{Old: old, Size: size}, err
	}
	hashes, err := sumdb.ProveTree(int64(size), int64(old), c.hashesOf(ctx, cp))
	return tlog.Consistency{Old: old, Size: size, Hashes: hashes}, err
}

// Entries implements tlog.Reader.
func (c *Client) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if start > end {
			yield(nil, fmt.Errorf("%w: from entry %d to %d", tlog.ErrRange, start, end))
			return
		}
		cp, err := c.believedAt(ctx, end)
		if err != nil {
			yield(nil, err)
			return
		}
		for start < end {
			entries, err := c.entryTile(ctx, cp, start, end, end)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, e := range entries {
				if !yield(bytes.Clone(e), nil) {
					return
				}
			}
			start += uint64(len(entries))
		}
	}
}

// Append implements tlog.Log.
func (c *Client) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	bare, _ := wire.CutParcel(entry)
	if err := tlog.CheckSize(bare); err != nil {
		return tlog.Receipt{}, err
	}
	_, r, err := c.postVerified(ctx, "/v1/entries", entry)
	return r, err
}

// postVerified posts an entry followed by its blobs, and believes the receipt, which is for the entry
// alone.
func (c *Client) postVerified(ctx context.Context, path string, parcel []byte) (PostedEntry, tlog.Receipt, error) {
	p, r, err := c.postUnbelieved(ctx, path, parcel)
	if err != nil {
		return PostedEntry{}, tlog.Receipt{}, err
	}
	return p, r, c.BelieveCheckpoint(ctx, r.Checkpoint)
}

// postUnbelieved is postVerified without checking yet that the log has only grown.
func (c *Client) postUnbelieved(ctx context.Context, path string, parcel []byte) (PostedEntry, tlog.Receipt, error) {
	entry, _ := wire.CutParcel(parcel)
	p, err := readAs[PostedEntry](ctx, &c.Server, request{path: path, entry: parcel})
	if err != nil {
		return PostedEntry{}, tlog.Receipt{}, err
	}
	r, err := tlog.ParseReceipt([]byte(p.Receipt))
	if err != nil {
		return PostedEntry{}, tlog.Receipt{}, err
	}
	if err := r.Verify(entry, c.keys...); err != nil {
		return PostedEntry{}, tlog.Receipt{}, err
	}
	if r.Index != p.Index {
		return PostedEntry{}, tlog.Receipt{}, fmt.Errorf("%w answer: index %d, receipt for %d", tlog.ErrMalformed, p.Index, r.Index)
	}
	return p, r, nil
}
