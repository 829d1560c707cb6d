package badgerstore

import (
	"context"
	"sync"
	"time"

	"github.com/google/trillian"
	"github.com/google/trillian/storage"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// LogStorage returns the store as Trillian's log storage.
func (s *Store) LogStorage() storage.LogStorage { return logStorage{s} }

// logStorage and adminStorage are two types because both interfaces have a
// ReadWriteTransaction.
type logStorage struct{ *Store }

// CheckDatabaseAccessible reports a store that has failed.
func (s logStorage) CheckDatabaseAccessible(context.Context) error { return s.Err() }

// GetActiveLogIDs returns the logs that may get entries sequenced.
func (s logStorage) GetActiveLogIDs(ctx context.Context) ([]int64, error) {
	trees, err := s.listTrees(false)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, t := range trees {
		if t.TreeState == trillian.TreeState_ACTIVE || t.TreeState == trillian.TreeState_DRAINING {
			ids = append(ids, t.TreeId)
		}
	}
	return ids, nil
}

// SnapshotForTree begins a transaction that only reads. Before the tree is
// initialised it returns one together with storage.ErrTreeNeedsInit, as all of
// Trillian's storages do.
func (s logStorage) SnapshotForTree(_ context.Context, t *trillian.Tree) (storage.ReadOnlyLogTreeTX, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	state, err := s.stateOf(t.TreeId)
	if err != nil {
		return nil, err
	}
	head := state.currentHead() // before the transaction, which sees at least that
	tx := &logTX{store: s.Store, state: state, txn: s.db.NewTransaction(false), head: head}
	if tx.head.root == nil {
		return tx, storage.ErrTreeNeedsInit
	}
	return tx, nil
}

// beginWrite begins a transaction that writes. state.write is held.
func (s *Store) beginWrite(state *treeState, b *Batch) (*logTX, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	txn := state.spare
	state.spare = nil
	if txn != nil && b == nil {
		txn.Discard() // it does not see the batch before, and what is not in memory of it
		txn = nil
	}
	if txn == nil {
		txn = s.db.NewTransaction(true)
	}
	return &logTX{store: s, state: state, txn: txn, head: state.next, batch: b}, nil
}

// prepareNext begins the transactions that will be wanted beside the commit that
// comes now: Badger would begin them when it has ended. The one for the next batch
// does not see what is committed now. It need not: the nodes that it changes are
// in the edge of the head, or are older.
func (s *Store) prepareNext(state *treeState) {
	state.spare = s.db.NewTransaction(true)
	state.view.prepareSlots(s.db, state.currentHead().size)
}

// ReadWriteTransaction runs f and commits what it wrote, once.
func (s logStorage) ReadWriteTransaction(ctx context.Context, t *trillian.Tree, f storage.LogTXFunc) error {
	state, err := s.stateOf(t.TreeId)
	if err != nil {
		return err
	}
	b := batchOf(ctx)
	state.write.Lock()
	unlock := sync.OnceFunc(state.write.Unlock)
	defer unlock()
	tx, err := s.beginWrite(state, b)
	if err != nil {
		return err
	}
	defer tx.Close()
	if err := f(ctx, tx); err != nil {
		return err
	}
	next := tx.head.withTiles(tx.tiles)
	if b != nil {
		if err := b.BeforeCommit(next.size, next.hash); err != nil {
			return err
		}
		s.prepareNext(state)
	}
	state.next = next
	if b != nil {
		// The next batch builds on this one from now on. Should the commit fail,
		// the store fails, and none of the two will ever have happened.
		unlock()
	}
	if err := s.commitDurably(tx.txn, b); err != nil {
		return err
	}
	state.advanceTo(next)
	state.view.committing.Store(false)
	if b != nil {
		return b.AfterCommit()
	}
	return nil
}

// errUnasked refuses what no ledger asks for: entries outside of a batch, or without an
// index as in trees of type LOG, and entries by their hash, for which there is Lookup.
var errUnasked = status.Error(codes.Unimplemented, "a ledger asks for no such thing")

// QueueLeaves is for trees of type LOG.
func (s logStorage) QueueLeaves(context.Context, *trillian.Tree, []*trillian.LogLeaf, time.Time) ([]*trillian.QueuedLogLeaf, error) {
	return nil, errUnasked
}

// AddSequencedLeaves keeps leaves for the transaction that follows, in a [Batch]. Without
// one it refuses them.
func (s logStorage) AddSequencedLeaves(ctx context.Context, t *trillian.Tree, leaves []*trillian.LogLeaf, now time.Time) ([]*trillian.QueuedLogLeaf, error) {
	state, err := s.stateOf(t.TreeId)
	if err != nil {
		return nil, err
	}
	b := batchOf(ctx)
	if b == nil {
		return nil, errUnasked
	}
	return s.stageLeaves(b, state, leaves, now)
}

// stageLeaves keeps leaves for the transaction of their batch. Their time is kept apart:
// on a leaf, the sequencer would measure how long each has waited.
func (s logStorage) stageLeaves(b *Batch, state *treeState, leaves []*trillian.LogLeaf, now time.Time) ([]*trillian.QueuedLogLeaf, error) {
	next := state.nextIndex() + uint64(len(b.leaves))
	results := make([]*trillian.QueuedLogLeaf, len(leaves))
	queued := make([]trillian.QueuedLogLeaf, len(leaves)) // of one piece
	for i, leaf := range leaves {
		if uint64(leaf.LeafIndex) != next+uint64(i) {
			return nil, status.Errorf(codes.OutOfRange, "index %d in a batch from %d on", leaf.LeafIndex, next)
		}
		queued[i].Leaf = leaf
		results[i] = &queued[i]
	}
	b.leaves, b.stamp = append(b.leaves, leaves...), now
	return results, nil
}

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

// atStep calls Step. There need not be a batch.
func (b *Batch) atStep(step string) error {
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
