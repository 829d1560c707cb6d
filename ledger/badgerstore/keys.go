package badgerstore

import "encoding/binary"

// All keys begin with one byte of prefix and eight of tree id, big-endian like
// every number in a key.
const (
	prefixTree     = 't' // -> trillian.Tree as protobuf; empty once the tree is deleted for good
	prefixRoot     = 'r' // -> latest LogRootV1
	prefixEntry    = 'e' // index -> entry record, see entry.go
	prefixIdentity = 'i' // identity hash -> index; queuedBit marks an entry still in the queue
	prefixLeafHash = 'l' // leaf hash, index -> nothing; only for entries whose identity is not their leaf hash
	prefixTile     = 'h' // level, tile index -> 256 hashes: a full tile, as served
	prefixNode     = 'n' // level, index in level -> one hash of a tile that was not full; levels from 1 up
	prefixQueue    = 'q' // position -> entry record (LOG trees)
	prefixQueueEnd = 'Q' // -> positions of head and tail of the queue (LOG trees)
)

// queuedBit marks the value of an identity key as a position in the queue.
const queuedBit = 1 << 63

func treeKey(prefix byte, tree int64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, 64), prefix), uint64(tree))
}

func indexKey(prefix byte, tree int64, index uint64) []byte {
	return binary.BigEndian.AppendUint64(treeKey(prefix, tree), index)
}

func hashKey(prefix byte, tree int64, hash []byte) []byte {
	return append(treeKey(prefix, tree), hash...)
}

func leafHashKey(tree int64, hash []byte, index uint64) []byte {
	return binary.BigEndian.AppendUint64(hashKey(prefixLeafHash, tree, hash), index)
}

func levelKey(prefix byte, tree int64, level int, index uint64) []byte {
	return binary.BigEndian.AppendUint64(append(treeKey(prefix, tree), byte(level)), index)
}
