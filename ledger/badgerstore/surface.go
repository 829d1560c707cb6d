package badgerstore

import (
	"fmt"
	"iter"

	"github.com/dgraph-io/badger/v4"
	"github.com/transparency-dev/merkle/compact"
)

// Lookup returns the index of the entry with this identity hash, if there is
// one in the tree.
func (s *Store) Lookup(tree int64, identity []byte) (index uint64, ok bool, err error) {
	err = s.read(func(txn *badger.Txn) error {
		index, ok, err = lookup(txn, tree, identity)
		return err
	})
	return index, ok && index&queuedBit == 0, err
}

// Nodes returns the hashes of complete subtrees of a tree.
func (s *Store) Nodes(tree int64, ids []compact.NodeID) ([][]byte, error) {
	state, err := s.tree(tree)
	if err != nil {
		return nil, err
	}
	h := state.snapshot()
	if hashes, ok := state.cachedNodes(h, ids); ok {
		return hashes, s.Err()
	}
	hashes := make([][]byte, 0, len(ids))
	err = s.read(func(txn *badger.Txn) error {
		for _, id := range ids {
			n, err := state.node(txn, h, id)
			if err != nil {
				return err
			}
			hashes = append(hashes, n)
		}
		return nil
	})
	return hashes, err
}

// HashTile returns the first width hashes of a tile of a tree, as C2SP
// tlog-tiles serves them. The tree must have them.
func (s *Store) HashTile(tree int64, level int, index uint64, width int) ([]byte, error) {
	state, err := s.tree(tree)
	if err != nil {
		return nil, err
	}
	var data []byte
	h := state.snapshot()
	err = s.read(func(txn *badger.Txn) error {
		t, err := state.tile(txn, h, tileID{level: level, index: index})
		if err != nil {
			return err
		}
		if width < 1 || width > t.width() {
			return fmt.Errorf("badgerstore: tile %d of level %d has %d hashes, not %d", index, level, t.width(), width)
		}
		data = t.data(width)
		return nil
	})
	return data, err
}

// Entries yields the bytes of the entries start to end-1. The tree must have
// them. A yielded slice is valid until the next one.
func (s *Store) Entries(tree int64, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		err := s.read(func(txn *badger.Txn) error {
			it := txn.NewIterator(badger.IteratorOptions{Prefix: treeKey(prefixEntry, tree), PrefetchValues: false})
			defer it.Close()
			it.Seek(indexKey(prefixEntry, tree, start))
			for index := start; index < end; index++ {
				entry, err := entryAt(it, tree, index)
				if err != nil {
					return err
				}
				if !yield(entry, nil) {
					return nil
				}
				it.Next()
			}
			return nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// entryAt returns the entry under the iterator, which must be the one with this
// index.
func entryAt(it *badger.Iterator, tree int64, index uint64) ([]byte, error) {
	if !it.Valid() || string(it.Item().Key()) != string(indexKey(prefixEntry, tree, index)) {
		return nil, fmt.Errorf("badgerstore: entry %d is missing", index)
	}
	var entry []byte
	err := it.Item().Value(func(record []byte) (err error) {
		entry, err = entryValue(record)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("badgerstore: entry %d: %w", index, err)
	}
	return entry, nil
}
