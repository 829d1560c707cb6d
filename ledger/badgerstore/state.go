package badgerstore

import (
	"encoding/binary"
	"fmt"
	"maps"
	"sync"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/trillian"
	"github.com/google/trillian/storage"
	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// maxCachedTiles bounds the full tiles cached per tree, 16 KiB each.
const maxCachedTiles = 2048

// maxLevels bounds the levels of tiles of a tree and so its partial tiles.
const maxLevels = 64 / tileHeight

// treeState is the part of a tree that the store keeps in memory.
type treeState struct {
	id    int64
	write sync.Mutex  // held by the one transaction that writes, until it commits
	next  head        // the head that the next such transaction builds on; guarded by write
	spare *badger.Txn // for the next batch, or nil; guarded by write

	view lookupView

	mu   sync.RWMutex    // guards the fields below
	head head            // on disk; what readers see
	full map[tileID]tile // cache of full tiles
}

// A head is the state of a tree at its latest root. It never changes; a commit replaces it.
type head struct {
	root []byte          // LogRootV1; nil before the tree is initialised
	size uint64          // from root
	hash []byte          // from root
	edge map[tileID]tile // the partial tiles that have been needed so far
}

// stateOf returns the state of a tree and loads it from Badger if need be.
func (s *Store) stateOf(id int64) (*treeState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.trees[id]; ok {
		return t, nil
	}
	t := &treeState{id: id, full: make(map[tileID]tile)}
	err := s.readOnly(func(txn *badger.Txn) error {
		description, err := getValue(txn, treeKey(prefixTree, id))
		if err != nil {
			return err
		}
		if len(description) == 0 {
			return status.Errorf(codes.NotFound, "no tree %d", id)
		}
		t.head, err = loadHead(txn, id)
		t.next = t.head
		return err
	})
	if err != nil {
		return nil, err
	}
	s.trees[id] = t
	return t, nil
}

func loadHead(txn *badger.Txn, id int64) (head, error) {
	root, err := getValue(txn, treeKey(prefixRoot, id))
	if err != nil || root == nil {
		return head{}, err
	}
	return newHead(root)
}

// newHead reads size and hash of a LogRootV1 in TLS encoding,
//
//	version (2 bytes: 1) | size (8) | length of hash (1) | hash | time, revision, metadata
//
// without Trillian's parser, which uses reflection and takes longer than all hashing for an entry.
func newHead(root []byte) (head, error) {
	if len(root) < 11 || root[0] != 0 || root[1] != 1 || len(root) < 11+int(root[10]) {
		return head{}, fmt.Errorf("root %x is not a LogRootV1", root)
	}
	return head{root: root, size: binary.BigEndian.Uint64(root[2:]), hash: root[11 : 11+int(root[10])]}, nil
}

// signedRoot returns the root in Trillian's type.
func (h head) signedRoot() (*trillian.SignedLogRoot, error) {
	if h.root == nil {
		return nil, storage.ErrTreeNeedsInit
	}
	return &trillian.SignedLogRoot{LogRoot: h.root}, nil
}

// nextIndex returns the index of the entry that comes next.
func (t *treeState) nextIndex() uint64 {
	t.write.Lock()
	defer t.write.Unlock()
	return t.next.size
}

// currentHead returns the current head. A Badger transaction begun afterwards sees at least this
// head.
func (t *treeState) currentHead() head {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.head
}

// withTiles returns h with the tiles changed by a transaction in its edge. Full tiles stay in the
// edge until the transaction after.
func (h head) withTiles(changed map[tileID]tile) head {
	edge := make(map[tileID]tile, len(h.edge)+len(changed))
	for id, tile := range h.edge {
		if tile.width() < tileWidth {
			edge[id] = tile
		}
	}
	maps.Copy(edge, changed)
	h.edge = edge
	return h
}

// advanceTo makes h the current head after its commit.
func (t *treeState) advanceTo(h head) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, tile := range h.edge {
		if tile.width() == tileWidth {
			t.rememberFull(id, tile)
		}
	}
	t.head = h
}

// rememberFull caches a full tile, in place of another one if the cache is full. The caller holds
// t.mu.
func (t *treeState) rememberFull(id tileID, full tile) {
	if len(t.full) >= maxCachedTiles {
		for other := range t.full { // in random order
			delete(t.full, other)
			break
		}
	}
	t.full[id] = full
}

// tileAt returns the tile id at head h. It has at least all hashes of it in a tree of h.size.
func (t *treeState) tileAt(txn *badger.Txn, h head, id tileID) (tile, error) {
	if cached, ok := t.cachedTile(h, id); ok {
		return cached, nil
	}
	loaded, err := loadTile(txn, t.id, id, id.availableHashes(h.size))
	if err == nil {
		t.cacheTile(h, id, loaded)
	}
	return loaded, err
}

// cachedTile returns a tile if it is in memory.
func (t *treeState) cachedTile(h head, id tileID) (tile, bool) {
	if edge, ok := h.edge[id]; ok {
		return edge, true
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	full, ok := t.full[id]
	return full, ok
}

// nodeHash returns the hash of a complete subtree at head h. The caller must not change it.
func (t *treeState) nodeHash(txn *badger.Txn, h head, id compact.NodeID) ([]byte, error) {
	where, height, slot := placeOf(id)
	tile, err := t.tileAt(txn, h, where)
	if err != nil {
		return nil, err
	}
	if slot >= uint64(len(tile.rows[height])) {
		return nil, fmt.Errorf("tree has no node %+v", id)
	}
	return tile.rows[height][slot][:], nil
}

// cachedNodes returns nodes if all their tiles are in memory, without a transaction of Badger. Tiles
// of recent entries are.
func (t *treeState) cachedNodes(h head, ids []compact.NodeID) ([][]byte, bool) {
	hashes := make([][]byte, 0, len(ids))
	at, tile, ok := tileID{level: -1}, tile{}, false
	for _, id := range ids {
		where, height, slot := placeOf(id)
		if where != at {
			at = where
			tile, ok = t.cachedTile(h, at)
		}
		if !ok || slot >= uint64(len(tile.rows[height])) {
			return nil, false
		}
		hashes = append(hashes, tile.rows[height][slot][:])
	}
	return hashes, true
}

// cacheTile caches a tile that was loaded for head h.
func (t *treeState) cacheTile(h head, id tileID, loaded tile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if loaded.width() == tileWidth {
		t.rememberFull(id, loaded)
		return
	}
	if t.head.size != h.size || len(t.head.edge) > maxLevels {
		return
	}
	edge := maps.Clone(t.head.edge)
	if edge == nil {
		edge = make(map[tileID]tile)
	}
	edge[id] = loaded
	t.head.edge = edge
}

// loadTile reads a tile from Badger: a full one as stored, a partial one from the entries (level 0)
// or from single hashes.
func loadTile(txn *badger.Txn, tree int64, id tileID, width int) (tile, error) {
	if width == tileWidth {
		data, err := getValue(txn, levelKey(prefixTile, tree, id.level, id.index))
		if err != nil {
			return tile{}, err
		}
		return tileFromData(data)
	}
	t := newTile()
	for slot := range width {
		h, err := loadHash(txn, tree, id.level, id.index*tileWidth+uint64(slot))
		if err != nil {
			return tile{}, err
		}
		t = t.withHash(h)
	}
	return t, nil
}

func loadHash(txn *badger.Txn, tree int64, level int, index uint64) (hash, error) {
	if level == 0 {
		record, err := getValue(txn, indexKey(prefixEntry, tree, index))
		if err != nil {
			return hash{}, err
		}
		if record == nil {
			return hash{}, fmt.Errorf("entry %d is missing", index)
		}
		value, err := entryValue(record)
		if err != nil {
			return hash{}, fmt.Errorf("entry %d: %w", index, err)
		}
		return hash(rfc6962.DefaultHasher.HashLeaf(value)), nil
	}
	h, err := getValue(txn, levelKey(prefixNode, tree, level, index))
	if err != nil {
		return hash{}, err
	}
	if len(h) != hashSize {
		return hash{}, fmt.Errorf("hash %d of level %d is missing", index, level)
	}
	return hash(h), nil
}
