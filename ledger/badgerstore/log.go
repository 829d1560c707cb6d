package badgerstore

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/trillian"
	"github.com/google/trillian/storage"
	"github.com/google/trillian/storage/tree"
	"github.com/transparency-dev/merkle/compact"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// LogStorage returns the store as Trillian's log storage.
func (s *Store) LogStorage() storage.LogStorage { return logStorage{s} }

// logStorage and adminStorage are two types because both interfaces have a
// ReadWriteTransaction.
type logStorage struct{ *Store }

// CheckDatabaseAccessible returns an error if the store has failed.
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

// SnapshotForTree begins a read-only transaction. For a tree that is not initialised it returns one
// together with storage.ErrTreeNeedsInit, as all of Trillian's storages do.
func (s logStorage) SnapshotForTree(_ context.Context, t *trillian.Tree) (storage.ReadOnlyLogTreeTX, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	state, err := s.stateOf(t.TreeId)
	if err != nil {
		return nil, err
	}
	head := state.currentHead() // before the transaction, which sees at least this head
	tx := &logTX{store: s.Store, state: state, txn: s.db.NewTransaction(false), head: head}
	if tx.head.root == nil {
		return tx, storage.ErrTreeNeedsInit
	}
	return tx, nil
}

// beginWrite begins a writing transaction. The caller holds state.write.
func (s *Store) beginWrite(state *treeState, b *Batch) (*logTX, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	txn := state.spare
	state.spare = nil
	if txn != nil && b == nil {
		txn.Discard() // the spare does not see the batch before, part of which may not be in memory
		txn = nil
	}
	if txn == nil {
		txn = s.db.NewTransaction(true)
	}
	return &logTX{store: s, state: state, txn: txn, head: state.next, batch: b}, nil
}

// prepareNext begins the transactions that will be wanted while the coming commit runs, since Badger
// would not begin them before its end. The transaction for the next batch does not see the coming
// commit and need not: the nodes that it changes are in the edge of the head, or are older.
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
		// From now on the next batch builds on this one. If the commit fails, the store fails, and
		// neither batch has happened.
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

// errUnasked refuses calls that a ledger never makes: entries outside of a batch or without an index,
// as in trees of type LOG, and reading entries by their hash, for which there is Lookup.
var errUnasked = status.Error(codes.Unimplemented, "a ledger asks for no such thing")

// QueueLeaves is for trees of type LOG.
func (s logStorage) QueueLeaves(context.Context, *trillian.Tree, []*trillian.LogLeaf, time.Time) ([]*trillian.QueuedLogLeaf, error) {
	return nil, errUnasked
}

// AddSequencedLeaves stages leaves in the [Batch] of ctx for the transaction that follows. Without a
// batch it refuses them. It sets no time on them, since the sequencer would measure how long each has
// waited.
func (s logStorage) AddSequencedLeaves(ctx context.Context, t *trillian.Tree, leaves []*trillian.LogLeaf, now time.Time) ([]*trillian.QueuedLogLeaf, error) {
	state, err := s.stateOf(t.TreeId)
	if err != nil {
		return nil, err
	}
	b := batchOf(ctx)
	if b == nil {
		return nil, errUnasked
	}
	next := state.nextIndex() + uint64(len(b.leaves))
	results := make([]*trillian.QueuedLogLeaf, len(leaves))
	queued := make([]trillian.QueuedLogLeaf, len(leaves)) // allocated together
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

// A Batch makes AddSequencedLeaves and the sequencer pass after it one transaction. Under a context
// of [WithBatch], AddSequencedLeaves only checks the leaves and stages them here. The next
// ReadWriteTransaction dequeues and writes them, together with the sequencer's nodes and root. If
// anything fails, the leaves are dropped with the Batch.
//
// The leaves must continue the tree. The caller vouches for two things that are not checked again: no
// identity hash is stored already (see [Store.Lookup]), and the hashes of a leaf are those of RFC
// 6962.
type Batch struct {
	// BeforeCommit is called with the new size and root hash once everything is ready to be
	// committed. An error cancels the transaction. After BeforeCommit returns, the next transaction
	// on the tree can begin beside this commit; so it must not return before the previous commit is
	// done.
	BeforeCommit func(size uint64, root []byte) error

	// AfterCommit is called as soon as the transaction is on disk.
	AfterCommit func() error

	// Step, in tests of faults, is called at every step of the transaction. Its error is the error of
	// that step.
	Step func(step string) error

	leaves []*trillian.LogLeaf
	stamp  time.Time // when the leaves came
}

// atStep calls Step, if there are a batch and a Step.
func (b *Batch) atStep(step string) error {
	if b == nil || b.Step == nil {
		return nil
	}
	return b.Step(step)
}

type batchKey struct{}

// WithBatch returns a context under which the store uses b.
func WithBatch(ctx context.Context, b *Batch) context.Context {
	return context.WithValue(ctx, batchKey{}, b)
}

func batchOf(ctx context.Context) *Batch {
	b, _ := ctx.Value(batchKey{}).(*Batch)
	return b
}

// logTX implements storage.LogTreeTX and so storage.ReadOnlyLogTreeTX. It belongs to one goroutine.
type logTX struct {
	store *Store
	state *treeState
	txn   *badger.Txn
	head  head            // at the beginning, or as stored by this transaction
	tiles map[tileID]tile // changed by this transaction
	batch *Batch
}

var _ storage.LogTreeTX = (*logTX)(nil)

// Commit ends a read-only transaction. ReadWriteTransaction commits a writing one.
func (tx *logTX) Commit(context.Context) error { return tx.store.Err() }

// Close releases the transaction.
func (tx *logTX) Close() error {
	tx.txn.Discard()
	return nil
}

// LatestSignedLogRoot returns the root at the beginning of the transaction.
func (tx *logTX) LatestSignedLogRoot(context.Context) (*trillian.SignedLogRoot, error) {
	return tx.head.signedRoot()
}

// GetMerkleNodes returns nodes of complete subtrees, in the order asked for.
func (tx *logTX) GetMerkleNodes(_ context.Context, ids []compact.NodeID) ([]tree.Node, error) {
	nodes := make([]tree.Node, 0, len(ids))
	for _, id := range ids {
		h, err := tx.state.nodeHash(tx.txn, tx.head, id)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, tree.Node{ID: id, Hash: h})
	}
	return nodes, nil
}

// SetMerkleNodes sorts the nodes, stores the hashes of tiles among them and drops the others.
func (tx *logTX) SetMerkleNodes(_ context.Context, nodes []tree.Node) error {
	if err := tx.batch.atStep("nodes"); err != nil {
		return err
	}
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n tree.Node) bool { return n.ID.Level%tileHeight != 0 })
	slices.SortFunc(nodes, func(a, b tree.Node) int {
		return cmp.Or(cmp.Compare(a.ID.Level, b.ID.Level), cmp.Compare(a.ID.Index, b.ID.Index))
	})
	for len(nodes) > 0 {
		id, _, _ := placeOf(nodes[0].ID)
		n := slices.IndexFunc(nodes, func(n tree.Node) bool { other, _, _ := placeOf(n.ID); return other != id })
		if n < 0 {
			n = len(nodes)
		}
		if err := tx.setHashes(id, nodes[:n]); err != nil {
			return err
		}
		nodes = nodes[n:]
	}
	return nil
}

// setHashes gives a tile its next hashes, and stores what each requires: the tile if it is full now,
// otherwise the hash, unless it can be computed from an entry.
func (tx *logTX) setHashes(id tileID, nodes []tree.Node) error {
	t, ok := tx.tiles[id]
	if !ok {
		var err error
		if t, err = tx.state.tileAt(tx.txn, tx.head, id); err != nil {
			return err
		}
	}
	for _, n := range nodes {
		_, _, slot := placeOf(n.ID)
		if int(slot) != t.width() || len(n.Hash) != hashSize {
			return fmt.Errorf("node %+v does not continue the tree", n.ID)
		}
		t = t.withHash(hash(n.Hash))
		var err error
		if t.width() == tileWidth {
			err = tx.txn.Set(levelKey(prefixTile, tx.state.id, id.level, id.index), t.dataOf(tileWidth))
		} else if id.level > 0 {
			err = tx.txn.Set(levelKey(prefixNode, tx.state.id, id.level, id.index*tileWidth+slot), n.Hash)
		}
		if err != nil {
			return err
		}
	}
	if tx.tiles == nil {
		tx.tiles = make(map[tileID]tile)
	}
	tx.tiles[id] = t
	return nil
}

// StoreSignedLogRoot makes root the latest root.
func (tx *logTX) StoreSignedLogRoot(_ context.Context, root *trillian.SignedLogRoot) error {
	if err := tx.batch.atStep("root"); err != nil {
		return err
	}
	next, err := newHead(root.GetLogRoot())
	if err != nil {
		return err
	}
	next.edge = tx.head.edge
	tx.head = next
	return tx.txn.Set(treeKey(prefixRoot, tx.state.id), root.GetLogRoot())
}

// GetLeavesByRange is unsupported: ledgers read with [Tree.Entries].
func (tx *logTX) GetLeavesByRange(context.Context, int64, int64) ([]*trillian.LogLeaf, error) {
	return nil, errUnasked
}

// DequeueLeaves writes the leaves of the batch and returns them. All of them belong to this
// transaction. It fails without a batch.
func (tx *logTX) DequeueLeaves(_ context.Context, limit int, _ time.Time) ([]*trillian.LogLeaf, error) {
	if tx.batch == nil {
		return nil, errUnasked
	}
	if err := tx.batch.atStep("entries"); err != nil {
		return nil, err
	}
	if len(tx.batch.leaves) > limit {
		return nil, fmt.Errorf("batch of %d entries above limit %d", len(tx.batch.leaves), limit)
	}
	for _, leaf := range tx.batch.leaves {
		index := uint64(leaf.LeafIndex)
		if err := tx.txn.Set(indexKey(prefixEntry, tx.state.id, index), encodePlain(leaf, tx.batch.stamp)); err != nil {
			return nil, err
		}
		if err := tx.txn.Set(hashKey(prefixIdentity, tx.state.id, leaf.LeafIdentityHash), binary.BigEndian.AppendUint64(nil, index)); err != nil {
			return nil, err
		}
	}
	return tx.batch.leaves, nil
}

// UpdateSequencedLeaves is unsupported: it is for trees of type LOG.
func (tx *logTX) UpdateSequencedLeaves(context.Context, []*trillian.LogLeaf) error { return errUnasked }

// GetLeavesByHash is unsupported: it is for readers of Trillian's log server.
func (tx *logTX) GetLeavesByHash(context.Context, [][]byte, bool) ([]*trillian.LogLeaf, error) {
	return nil, errUnasked
}

// lookupIdentity returns the value of an identity key.
func lookupIdentity(txn *badger.Txn, tree int64, identity []byte) (uint64, bool, error) {
	v, err := getValue(txn, hashKey(prefixIdentity, tree, identity))
	if err != nil || v == nil {
		return 0, false, err
	}
	if len(v) != 8 {
		return 0, false, fmt.Errorf("index of identity hash %x is corrupt", identity)
	}
	return binary.BigEndian.Uint64(v), true, nil
}
