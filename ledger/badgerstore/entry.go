package badgerstore

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/google/trillian"
)

// An entry record is
//
//	0 | queue time | entry
//
// with the time as 8 bytes of Unix nanoseconds. The hash of an entry is not stored: it is computed
// from the bytes at every read, and so cannot be damaged separately.

var errRecord = errors.New("a stored entry is damaged")

// encodePlain encodes a leaf with the hashes of RFC 6962 and without extra data.
func encodePlain(leaf *trillian.LogLeaf, stamp time.Time) []byte {
	b := make([]byte, 9, 9+len(leaf.LeafValue))
	binary.BigEndian.PutUint64(b[1:], uint64(stamp.UnixNano()))
	return append(b, leaf.LeafValue...)
}

// entryValue returns the entry's bytes within its record.
func entryValue(b []byte) ([]byte, error) {
	if len(b) < 9 || b[0] != 0 {
		return nil, errRecord
	}
	return b[9:], nil
}

// All keys begin with one byte of prefix and eight of tree id, big-endian like
// every number in a key.
const (
	prefixTree     = 't' // -> trillian.Tree as protobuf; empty once the tree is deleted for good
	prefixRoot     = 'r' // -> latest LogRootV1
	prefixEntry    = 'e' // index -> entry record, see entry.go
	prefixIdentity = 'i' // identity hash -> index
	prefixTile     = 'h' // level, tile index -> 256 hashes: a full tile, as served
	prefixNode     = 'n' // level, index in level -> one hash of a tile that was not full; levels from 1 up
)

func treeKey(prefix byte, tree int64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, 64), prefix), uint64(tree))
}

func indexKey(prefix byte, tree int64, index uint64) []byte {
	return binary.BigEndian.AppendUint64(treeKey(prefix, tree), index)
}

func hashKey(prefix byte, tree int64, hash []byte) []byte {
	return append(treeKey(prefix, tree), hash...)
}

func levelKey(prefix byte, tree int64, level int, index uint64) []byte {
	return binary.BigEndian.AppendUint64(append(treeKey(prefix, tree), byte(level)), index)
}
