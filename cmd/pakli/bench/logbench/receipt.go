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

// Receipts verifies the receipts of many clients of one log. Each receipt's proof
// is checked; the signature of a checkpoint once, for all who were given the same
// bytes.
type Receipts struct {
	Key note.Verifier

	mu   sync.Mutex
	seen map[string]tlog.Checkpoint // verified, by their bytes: the latest ones
}

// maxSeen is more checkpoints than those whose receipts come at the same time.
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

// numberSize is how many bytes the entries of a client differ in, the first ones.
const numberSize = 8

// Appenders returns clients who append random entries of this size, without end.
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

// VerifyingAppender is how such a client appends to a log.
func (v *Receipts) VerifyingAppender(log tlog.Log) func(ctx context.Context, entry []byte) error {
	return func(ctx context.Context, entry []byte) error {
		r, err := log.Append(ctx, entry)
		if err != nil {
			return err
		}
		return v.Verify(r, entry)
	}
}

// KeepingAppender is Appended with the receipts kept, and verified by the function that is
// returned besides: for a comparison with what gives no receipts. The entries must
// be those of Appenders, of which only the first bytes change: to keep or to hash
// each would be work that the other side does not have.
func (v *Receipts) KeepingAppender(log tlog.Log) (add func(ctx context.Context, entry []byte) error, verify func() error) {
	type kept struct {
		receipt tlog.Receipt
		entry   []byte
		number  [numberSize]byte // what entry began with
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
