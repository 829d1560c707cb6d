package badgerstore

import (
	"context"
	"time"

	"github.com/google/trillian"
)

// A Batch makes AddSequencedLeaves and the sequencer pass after it one
// transaction. Under a context of [WithBatch], AddSequencedLeaves only checks
// the leaves and keeps them here; the next ReadWriteTransaction dequeues and
// writes them, together with the nodes and the root that the sequencer makes
// of them. Whatever fails, the leaves are forgotten with the Batch.
//
// The leaves must continue the tree. The caller has made sure of two things that are
// not checked again: that no identity hash is stored already (see
// [Store.Lookup]), and that the hashes of a leaf are those of RFC 6962.
type Batch struct {
	// BeforeCommit is called with the new size and root hash once everything is
	// ready to be committed. Its error stops the transaction, and nothing has
	// happened. When it returns, the next transaction on the tree can begin,
	// beside the commit of this one; it must not return before the commit of the
	// one before is done.
	BeforeCommit func(size uint64, root []byte) error

	// AfterCommit is called as soon as the transaction is on disk.
	AfterCommit func() error

	// Step, in tests of faults, is called at every step of the transaction. An
	// error of its is that step's.
	Step func(step string) error

	leaves []*trillian.LogLeaf
	stamp  time.Time // when they came
}

// at calls Step. There need not be a batch.
func (b *Batch) at(step string) error {
	if b == nil || b.Step == nil {
		return nil
	}
	return b.Step(step)
}

type batchKey struct{}

// WithBatch returns a context under which the store works in b.
func WithBatch(ctx context.Context, b *Batch) context.Context {
	return context.WithValue(ctx, batchKey{}, b)
}

func batchOf(ctx context.Context) *Batch {
	b, _ := ctx.Value(batchKey{}).(*Batch)
	return b
}
