package logbench

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

// Receipts verifies the receipts of many clients of one log. It checks the proof of each receipt, but
// the signature of a checkpoint only once.
type Receipts struct {
	Key note.Verifier

	mu   sync.Mutex
	seen map[string]tlog.Checkpoint // the latest verified ones, by their bytes
}

// maxSeen exceeds the number of checkpoints whose receipts come at the same time.
const maxSeen = 64

// Verify checks a receipt for an entry.
func (v *Receipts) Verify(r tlog.Receipt, entry []byte) error {
	c, err := v.open(r.Checkpoint)
	if err != nil {
		return err
	}
	p := tlog.Inclusion{Index: r.Index, Size: c.Size, Hashes: r.Hashes}
	return p.Verify(tlog.LeafHash(entry), c.Root)
}

func (v *Receipts) open(checkpoint []byte) (tlog.Checkpoint, error) {
	v.mu.Lock()
	c, ok := v.seen[string(checkpoint)]
	v.mu.Unlock()
	if ok {
		return c, nil
	}
	c, err := tlog.OpenCheckpoint(checkpoint, v.Key)
	if err != nil {
		return c, fmt.Errorf("logbench: %w", err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen == nil || len(v.seen) >= maxSeen {
		v.seen = map[string]tlog.Checkpoint{}
	}
	v.seen[string(checkpoint)] = c
	return c, nil
}

// numberSize is how many bytes, the first ones, differ between a client's entries.
const numberSize = 8

// Appenders returns clients that append random entries of this size without end.
func Appenders(clients, size int, add func(ctx context.Context, entry []byte) error) []Client {
	list := make([]Client, clients)
	for i := range list {
		entry := make([]byte, size)
		rand.Read(entry)
		n := uint64(0)
		list[i] = func(ctx context.Context) (bool, error) {
			n++
			binary.BigEndian.PutUint64(entry, n)
			return true, add(ctx, entry)
		}
	}
	return list
}

// VerifyingAppender returns a function that appends to a log and verifies the receipt.
func (v *Receipts) VerifyingAppender(log tlog.Log) func(ctx context.Context, entry []byte) error {
	return func(ctx context.Context, entry []byte) error {
		r, err := log.Append(ctx, entry)
		if err != nil {
			return err
		}
		return v.Verify(r, entry)
	}
}

// KeepingAppender returns a function that appends and keeps receipts, and a function that verifies
// these later: for a comparison with a log without receipts. The entries must be those of Appenders,
// which differ only in their first bytes: keeping or hashing each would be work that the other side
// does not have.
func (v *Receipts) KeepingAppender(log tlog.Log) (add func(ctx context.Context, entry []byte) error, verify func() error) {
	type kept struct {
		receipt tlog.Receipt
		entry   []byte
		number  [numberSize]byte // the beginning of entry
	}
	var mu sync.Mutex
	var all []kept
	add = func(ctx context.Context, entry []byte) error {
		r, err := log.Append(ctx, entry)
		if err != nil {
			return err
		}
		k := kept{r, entry, [numberSize]byte(entry)}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, k)
		return nil
	}
	return add, func() error {
		for _, k := range all {
			copy(k.entry, k.number[:])
			if err := v.Verify(k.receipt, k.entry); err != nil {
				return err
			}
		}
		return nil
	}
}
