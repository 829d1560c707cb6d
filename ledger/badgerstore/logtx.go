package badgerstore

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/trillian"
	"github.com/google/trillian/storage"
	"github.com/google/trillian/storage/tree"
	"github.com/transparency-dev/merkle/compact"
)

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
