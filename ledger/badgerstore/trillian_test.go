package badgerstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/trillian"
	"github.com/google/trillian/storage"
	"github.com/transparency-dev/merkle/rfc6962"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// LogTrees returns the store as a log storage with all that Trillian's own conformance
// suites ask for, and no ledger: trees of type LOG, whose entries wait in a queue for an
// index; entries outside of a batch, with hashes of their own; and entries by their hash.
func (s *Store) LogTrees() storage.LogStorage { return logTrees{logStorage{s}} }

type logTrees struct{ logStorage }

// anyTX is a transaction on any tree, and queueTX on a LOG tree.
type (
	anyTX   struct{ *logTX }
	queueTX struct{ anyTX }
)

func wrapped(tx *logTX, t *trillian.Tree) storage.LogTreeTX {
	if t.TreeType == trillian.TreeType_LOG {
		return queueTX{anyTX{tx}}
	}
	return anyTX{tx}
}

func (s logTrees) SnapshotForTree(ctx context.Context, t *trillian.Tree) (storage.ReadOnlyLogTreeTX, error) {
	tx, err := s.logStorage.SnapshotForTree(ctx, t)
	if inner, ok := tx.(*logTX); ok {
		return wrapped(inner, t), err
	}
	return tx, err
}

func (s logTrees) ReadWriteTransaction(ctx context.Context, t *trillian.Tree, f storage.LogTXFunc) error {
	return s.logStorage.ReadWriteTransaction(ctx, t, func(ctx context.Context, tx storage.LogTreeTX) error {
		return f(ctx, wrapped(tx.(*logTX), t))
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

// AddSequencedLeaves stores leaves under their indexes, outside of a Batch too. A leaf whose identity hash is stored under another index is refused with
// FailedPrecondition, and returned as it is stored.
func (s logTrees) AddSequencedLeaves(ctx context.Context, t *trillian.Tree, leaves []*trillian.LogLeaf, now time.Time) ([]*trillian.QueuedLogLeaf, error) {
	if batchOf(ctx) != nil {
		return s.logStorage.AddSequencedLeaves(ctx, t, leaves, now)
	}
	state, err := s.tree(t.TreeId)
	if err != nil {
		return nil, err
	}
	stamp := timestamppb.New(now)
	for _, leaf := range leaves {
		leaf.QueueTimestamp = stamp
	}
	state.write.Lock()
	defer state.write.Unlock()
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	results := make([]*trillian.QueuedLogLeaf, 0, len(leaves))
	for _, leaf := range leaves {
		r, err := addLeaf(txn, t.TreeId, leaf)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, s.commit(txn, nil)
}

// addLeaf stores a leaf unless its index or its identity hash is taken.
func addLeaf(txn *badger.Txn, tree int64, leaf *trillian.LogLeaf) (*trillian.QueuedLogLeaf, error) {
	stored, err := loadLeaf(txn, tree, uint64(leaf.LeafIndex))
	if err != nil {
		return nil, err
	}
	if stored == nil {
		stored, err = loadByIdentity(txn, tree, leaf.LeafIdentityHash)
	}
	if err != nil || stored != nil {
		return addResult(leaf, stored), err
	}
	return addResult(leaf, nil), putLeaf(txn, tree, leaf)
}

// addResult compares a leaf with what is stored in its place.
func addResult(leaf, stored *trillian.LogLeaf) *trillian.QueuedLogLeaf {
	switch {
	case stored == nil:
		return &trillian.QueuedLogLeaf{Leaf: leaf}
	case stored.LeafIndex != leaf.LeafIndex:
		return queuedLeaf(stored, codes.FailedPrecondition, "identity hash is stored under another index")
	case !slices.Equal(stored.LeafIdentityHash, leaf.LeafIdentityHash):
		return queuedLeaf(stored, codes.FailedPrecondition, "index is taken by another leaf")
	default:
		return queuedLeaf(stored, codes.AlreadyExists, "leaf is stored")
	}
}

func queuedLeaf(stored *trillian.LogLeaf, code codes.Code, why string) *trillian.QueuedLogLeaf {
	return &trillian.QueuedLogLeaf{Leaf: stored, Status: status.New(code, why).Proto()}
}

// loadByIdentity returns the entry with this identity hash, nil if there is none.
func loadByIdentity(txn *badger.Txn, tree int64, identity []byte) (*trillian.LogLeaf, error) {
	index, ok, err := lookup(txn, tree, identity)
	if err != nil || !ok {
		return nil, err
	}
	return loadLeaf(txn, tree, index)
}

// GetLeavesByHash returns the entries with these leaf hashes, in order of their
// indexes for each hash.
func (tx anyTX) GetLeavesByHash(_ context.Context, hashes [][]byte, _ bool) ([]*trillian.LogLeaf, error) {
	var leaves []*trillian.LogLeaf
	for _, h := range hashes {
		indexes, err := tx.indexesOf(h)
		if err != nil {
			return nil, err
		}
		for _, index := range indexes {
			leaf, err := loadLeaf(tx.txn, tx.state.id, index)
			if err != nil {
				return nil, err
			}
			if leaf != nil && slices.Equal(leaf.MerkleLeafHash, h) {
				leaves = append(leaves, leaf)
			}
		}
	}
	return leaves, nil
}

// indexesOf returns the indexes of entries that may have this leaf hash.
func (tx anyTX) indexesOf(leafHash []byte) ([]uint64, error) {
	var indexes []uint64
	index, ok, err := lookup(tx.txn, tx.state.id, leafHash)
	if err != nil {
		return nil, err
	}
	if ok {
		indexes = append(indexes, index)
	}
	prefix := hashKey(prefixLeafHash, tx.state.id, leafHash)
	it := tx.txn.NewIterator(badger.IteratorOptions{Prefix: prefix})
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		indexes = append(indexes, binary.BigEndian.Uint64(it.Item().Key()[len(prefix):]))
	}
	slices.Sort(indexes)
	return indexes, nil
}

// putLeaf stores an entry under its index, and the index under its hashes.
func putLeaf(txn *badger.Txn, tree int64, leaf *trillian.LogLeaf) error {
	if leaf.LeafIndex < 0 {
		return status.Errorf(codes.OutOfRange, "index %d", leaf.LeafIndex)
	}
	record := encodeLeaf(leaf)
	if len(record) >= maxRecord {
		return status.Errorf(codes.InvalidArgument, "entry of %d bytes is too large", len(record))
	}
	index := uint64(leaf.LeafIndex)
	if err := txn.Set(indexKey(prefixEntry, tree, index), record); err != nil {
		return err
	}
	if !slices.Equal(leaf.LeafIdentityHash, leaf.MerkleLeafHash) {
		if err := txn.Set(leafHashKey(tree, leaf.MerkleLeafHash, index), nil); err != nil {
			return err
		}
	}
	return putIdentity(txn, tree, leaf.LeafIdentityHash, index)
}

func encodeLeaf(leaf *trillian.LogLeaf) []byte {
	flags := byte(0)
	b := make([]byte, 9, 9+len(leaf.LeafValue)+len(leaf.ExtraData)+96)
	binary.BigEndian.PutUint64(b[1:], unixNano(leaf.QueueTimestamp))
	if !bytes.Equal(leaf.MerkleLeafHash, rfc6962.DefaultHasher.HashLeaf(leaf.LeafValue)) {
		flags |= flagLeafHash
		b = append(b, leaf.MerkleLeafHash...)
	}
	if !bytes.Equal(leaf.LeafIdentityHash, leaf.MerkleLeafHash) {
		flags |= flagIdentity
		b = append(append(b, byte(len(leaf.LeafIdentityHash))), leaf.LeafIdentityHash...)
	}
	if t := unixNano(leaf.IntegrateTimestamp); t != 0 {
		flags |= flagIntegrate
		b = binary.BigEndian.AppendUint64(b, t)
	}
	if len(leaf.ExtraData) > 0 {
		flags |= flagExtra
		b = binary.BigEndian.AppendUint32(b, uint32(len(leaf.ExtraData)))
		b = append(b, leaf.ExtraData...)
	}
	b[0] = flags
	return append(b, leaf.LeafValue...)
}

func leafHashKey(tree int64, hash []byte, index uint64) []byte {
	return binary.BigEndian.AppendUint64(hashKey(prefixLeafHash, tree, hash), index)
}

func unixNano(t *timestamppb.Timestamp) uint64 {
	if t == nil {
		return 0
	}
	return uint64(t.AsTime().UnixNano())
}

// AnyTrees returns the store as an admin storage whose trees change.
func (s *Store) AnyTrees() storage.AdminStorage { return anyAdmin{adminStorage{s}} }

type (
	anyAdmin   struct{ adminStorage }
	anyAdminTX struct{ *adminTX }
)

func (s anyAdmin) ReadWriteTransaction(ctx context.Context, f storage.AdminTXFunc) error {
	return s.adminStorage.ReadWriteTransaction(ctx, func(ctx context.Context, tx storage.AdminTX) error {
		return f(ctx, anyAdminTX{tx.(*adminTX)})
	})
}

// UpdateTree changes what may be changed of a tree.
func (tx anyAdminTX) UpdateTree(ctx context.Context, id int64, update func(*trillian.Tree)) (*trillian.Tree, error) {
	t, err := tx.GetTree(ctx, id)
	if err != nil {
		return nil, err
	}
	before := proto.CloneOf(t)
	update(t)
	if err := storage.ValidateTreeForUpdate(ctx, before, t); err != nil {
		return nil, err
	}
	t.UpdateTime = timestamppb.New(time.Now())
	return tx.put(t)
}
