package badgerstore

import (
	"context"

	"github.com/google/trillian"
)

// A Batch makes AddSequencedLeaves and the sequencer pass after it one
// transaction. Under a context of [WithBatch], AddSequencedLeaves only checks
// the leaves and keeps them here; the next ReadWriteTransaction dequeues and
// writes them, together with the nodes and the root that the sequencer makes
// of them. Whatever fails, the leaves are forgotten with the Batch.
//
// In a batch the leaves must continue the tree. If one of them is there
// already, by its identity hash, none is kept; the results say which.
type Batch struct {
	// BeforeCommit, if not nil, is called with the new LogRootV1 once everything is
	// ready to be committed. Its error stops the transaction, and nothing has
	// happened.
	BeforeCommit func(root []byte) error

	leaves []*trillian.LogLeaf
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
