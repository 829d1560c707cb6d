package badgerstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/trillian"
	"github.com/google/trillian/storage"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// LogTrees returns the store as a log storage that has trees of type LOG too, for which
// Trillian's own conformance suites ask: their entries wait in a queue for an index.
func (s *Store) LogTrees() storage.LogStorage { return logTrees{logStorage{s}} }

type logTrees struct{ logStorage }

// queueTX is a transaction on a LOG tree.
type queueTX struct{ *logTX }

func (s logTrees) SnapshotForTree(ctx context.Context, t *trillian.Tree) (storage.ReadOnlyLogTreeTX, error) {
	tx, err := s.logStorage.SnapshotForTree(ctx, t)
	if inner, ok := tx.(*logTX); ok && t.TreeType == trillian.TreeType_LOG {
		return queueTX{inner}, err
	}
	return tx, err
}

func (s logTrees) ReadWriteTransaction(ctx context.Context, t *trillian.Tree, f storage.LogTXFunc) error {
	return s.logStorage.ReadWriteTransaction(ctx, t, func(ctx context.Context, tx storage.LogTreeTX) error {
		if t.TreeType == trillian.TreeType_LOG {
			tx = queueTX{tx.(*logTX)}
		}
		return f(ctx, tx)
	})
}

// GetLeavesByRange returns the entries from start on, at most count, of those in the tree.
func (tx queueTX) GetLeavesByRange(ctx context.Context, start, count int64) ([]*trillian.LogLeaf, error) {
	size := int64(tx.head.size)
	if start >= 0 && count > 0 {
		if start >= size {
			return nil, status.Errorf(codes.OutOfRange, "range from %d in tree of size %d", start, size)
		}
		count = min(count, size-start)
	}
	return tx.logTX.GetLeavesByRange(ctx, start, count)
}

// UpdateSequencedLeaves stores entries of the queue under the indexes they got.
func (tx queueTX) UpdateSequencedLeaves(_ context.Context, leaves []*trillian.LogLeaf) error {
	for _, leaf := range leaves {
		if err := putLeaf(tx.txn, tx.state.id, leaf); err != nil {
			return err
		}
	}
	return nil
}

const (
	prefixQueue    = 'q' // position -> entry record
	prefixQueueEnd = 'Q' // -> positions of head and tail of the queue

	// queuedBit marks the value of an identity key as a position in the queue.
	queuedBit = 1 << 63
)

// loadByIdentityQueued is loadByIdentity for a tree with a queue.
func loadByIdentityQueued(txn *badger.Txn, tree int64, identity []byte) (*trillian.LogLeaf, error) {
	index, ok, err := lookup(txn, tree, identity)
	if err == nil && ok && index&queuedBit != 0 {
		return loadQueued(txn, tree, index&^queuedBit)
	}
	return loadByIdentity(txn, tree, identity)
}

// The queue of a LOG tree is a row of entries between two positions. Dequeueing
// moves the head along and deletes nothing: to walk over deleted keys costs
// Badger more than all the rest.
type queue struct{ head, tail uint64 }

func loadQueue(txn *badger.Txn, tree int64) (queue, error) {
	v, err := get(txn, treeKey(prefixQueueEnd, tree))
	if err != nil || v == nil {
		return queue{}, err
	}
	if len(v) != 16 {
		return queue{}, fmt.Errorf("queue of tree %d is corrupt", tree)
	}
	return queue{head: binary.BigEndian.Uint64(v), tail: binary.BigEndian.Uint64(v[8:])}, nil
}

func (q queue) store(txn *badger.Txn, tree int64) error {
	v := binary.BigEndian.AppendUint64(nil, q.head)
	return txn.Set(treeKey(prefixQueueEnd, tree), binary.BigEndian.AppendUint64(v, q.tail))
}

// loadQueued returns the entry at a position of the queue; it has no index yet.
func loadQueued(txn *badger.Txn, tree int64, position uint64) (*trillian.LogLeaf, error) {
	record, err := get(txn, indexKey(prefixQueue, tree, position))
	if err != nil {
		return nil, err
	}
	if record == nil {
		return nil, fmt.Errorf("position %d of the queue is missing", position)
	}
	return decodeLeaf(record, 0)
}

// QueueLeaves puts leaves into the queue of a LOG tree.
func (s logTrees) QueueLeaves(_ context.Context, t *trillian.Tree, leaves []*trillian.LogLeaf, now time.Time) ([]*trillian.QueuedLogLeaf, error) {
	state, err := s.tree(t.TreeId)
	if err != nil {
		return nil, err
	}
	state.write.Lock()
	defer state.write.Unlock()
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	q, err := loadQueue(txn, t.TreeId)
	if err != nil {
		return nil, err
	}
	results := make([]*trillian.QueuedLogLeaf, 0, len(leaves))
	for _, leaf := range leaves {
		leaf.QueueTimestamp = timestamppb.New(now)
		r, err := q.push(txn, t.TreeId, leaf)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	if err := q.store(txn, t.TreeId); err != nil {
		return nil, err
	}
	return results, s.commit(txn, nil)
}

// push appends a leaf to the queue unless its identity hash is stored.
func (q *queue) push(txn *badger.Txn, tree int64, leaf *trillian.LogLeaf) (*trillian.QueuedLogLeaf, error) {
	stored, err := loadByIdentityQueued(txn, tree, leaf.LeafIdentityHash)
	if err != nil {
		return nil, err
	}
	if stored != nil {
		return queuedLeaf(stored, codes.AlreadyExists, "leaf is stored"), nil
	}
	record := encodeLeaf(leaf)
	if len(record) >= maxRecord {
		return nil, status.Errorf(codes.InvalidArgument, "entry of %d bytes is too large", len(record))
	}
	if err := txn.Set(indexKey(prefixQueue, tree, q.tail), record); err != nil {
		return nil, err
	}
	if err := putIdentity(txn, tree, leaf.LeafIdentityHash, q.tail|queuedBit); err != nil {
		return nil, err
	}
	q.tail++
	return &trillian.QueuedLogLeaf{Leaf: leaf}, nil
}

// DequeueLeaves takes leaves off the queue that are not younger than cutoff.
func (tx queueTX) DequeueLeaves(_ context.Context, limit int, cutoff time.Time) ([]*trillian.LogLeaf, error) {
	q, err := loadQueue(tx.txn, tx.state.id)
	if err != nil {
		return nil, err
	}
	var leaves []*trillian.LogLeaf
	for ; q.head < q.tail && len(leaves) < limit; q.head++ {
		leaf, err := loadQueued(tx.txn, tx.state.id, q.head)
		if err != nil {
			return nil, err
		}
		if leaf.QueueTimestamp.AsTime().After(cutoff) {
			break
		}
		leaves = append(leaves, leaf)
	}
	if len(leaves) == 0 {
		return nil, nil
	}
	return leaves, q.store(tx.txn, tx.state.id)
}
