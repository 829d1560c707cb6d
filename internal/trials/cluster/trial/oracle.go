package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
)

// ErrFork says that of two signed checkpoints neither is the beginning of the other.
var ErrFork = errors.New("the log has forked")

// ErrLost says that an acknowledged entry is not where its receipt says.
var ErrLost = errors.New("an acknowledged entry is lost")

// Oracle records every checkpoint that anybody has seen, and judges the log.
type Oracle struct {
	Key note.Verifier

	mu     sync.Mutex
	seen   map[uint64]tlog.Hash
	last   []byte // the last parsed checkpoint; most come again
	hashes []sumdb.Hash
	leaves []tlog.Hash
	at     map[tlog.Hash]uint64
	judged map[uint64]bool
	acks   int // number of acknowledgements judged
}

// NewOracle returns an oracle that has seen nothing.
func NewOracle(key note.Verifier) *Oracle {
	return &Oracle{Key: key, seen: map[uint64]tlog.Hash{}, at: map[tlog.Hash]uint64{}, judged: map[uint64]bool{}}
}

// TakeCheckpoint records a checkpoint. Another root for the same size is a fork at once.
func (o *Oracle) TakeCheckpoint(signed []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if string(signed) == string(o.last) {
		return nil
	}
	c, err := tlog.OpenCheckpoint(signed, o.Key)
	if err != nil {
		return err
	}
	o.last = append(o.last[:0], signed...)
	if root, ok := o.seen[c.Size]; ok && root != c.Root {
		return fmt.Errorf("%w: two roots at %d entries, %x and %x", ErrFork, c.Size, root, c.Root)
	}
	o.seen[c.Size] = c.Root
	return nil
}

// Judge reads the log behind each URL up to its checkpoint and checks everything seen before.
// Checkpoints seen meanwhile may be larger and are checked next time.
func (o *Oracle) Judge(ctx context.Context, acks []Ack, urls ...string) error {
	unjudged := o.unjudgedRoots()
	for _, url := range urls {
		shown, err := o.readEntries(ctx, url)
		if err != nil {
			return fmt.Errorf("%s: %w", url, err)
		}
		unjudged[shown.Size] = shown.Root
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for ; o.acks < len(acks); o.acks++ {
		a := acks[o.acks]
		if a.Index >= uint64(len(o.leaves)) || o.leaves[a.Index] != a.Leaf {
			return fmt.Errorf("%w: %x at %d, of %d entries", ErrLost, a.Leaf, a.Index, len(o.leaves))
		}
	}
	for size, root := range unjudged {
		if err := o.beginning(size, root); err != nil {
			return err
		}
		o.judged[size] = true
	}
	return nil
}

func (o *Oracle) unjudgedRoots() map[uint64]tlog.Hash {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := maps.Clone(o.seen)
	maps.DeleteFunc(list, func(size uint64, _ tlog.Hash) bool { return o.judged[size] })
	return list
}

// readEntries reads the entries of a front end beyond the known ones. Its checkpoint covers those
// below.
func (o *Oracle) readEntries(ctx context.Context, url string) (cp tlog.Checkpoint, err error) {
	c, err := client.New(url, o.Key, nil)
	if err != nil {
		return cp, err
	}
	if cp, err = c.Checkpoint(ctx); err != nil {
		return cp, err
	}
	if err := o.TakeCheckpoint(cp.Note); err != nil {
		return cp, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if cp.Size <= uint64(len(o.leaves)) {
		return cp, nil
	}
	for entry, err := range c.Entries(ctx, uint64(len(o.leaves)), cp.Size) {
		if err != nil {
			return cp, err
		}
		if err := o.addEntry(entry); err != nil {
			return cp, err
		}
	}
	return cp, nil
}

func (o *Oracle) addEntry(entry []byte) error {
	n := uint64(len(o.leaves))
	leaf := sumdb.RecordHash(entry)
	if before, ok := o.at[tlog.Hash(leaf)]; ok {
		return fmt.Errorf("the entry %d is there again at %d", before, n)
	}
	stored, err := sumdb.StoredHashesForRecordHash(int64(n), leaf, o)
	if err != nil {
		return err
	}
	o.hashes, o.leaves = append(o.hashes, stored...), append(o.leaves, tlog.Hash(leaf))
	o.at[tlog.Hash(leaf)] = n
	return nil
}

// ReadHashes implements golang.org/x/mod/sumdb/tlog.HashReader.
func (o *Oracle) ReadHashes(indexes []int64) (list []sumdb.Hash, err error) {
	for _, i := range indexes {
		list = append(list, o.hashes[i])
	}
	return list, nil
}

func (o *Oracle) beginning(size uint64, root tlog.Hash) error {
	if size > uint64(len(o.leaves)) {
		return fmt.Errorf("%w: a checkpoint of %d entries was seen, all front ends together have %d", ErrLost, size, len(o.leaves))
	}
	computed, err := sumdb.TreeHash(int64(size), o)
	if err == nil && tlog.Hash(computed) != root {
		err = fmt.Errorf("%w: at %d entries a root was seen that is not the log's", ErrFork, size)
	}
	return err
}

// Size returns the number of known entries.
func (o *Oracle) Size() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.leaves)
}

// Watch records every checkpoint that url shows, until ctx ends.
func (o *Oracle) Watch(ctx context.Context, url string) error {
	carrier := &http.Client{Timeout: 5 * time.Second}
	for ctx.Err() == nil {
		if b, err := fetch(ctx, carrier, url+"/checkpoint"); err == nil {
			if err := o.TakeCheckpoint(b); err != nil {
				return fmt.Errorf("%s: %w", url, err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}
