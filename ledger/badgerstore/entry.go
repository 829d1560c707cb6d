package badgerstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/trillian"
	"github.com/transparency-dev/merkle/rfc6962"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// An entry record is
//
//	flags | queue time | [leaf hash] | [identity hash] | [integrate time] | [len extra] | value
//
// with times as 8 bytes of Unix nanoseconds, and the parts in brackets there if
// their flag says so. Hashes are kept only where they differ from what they
// normally are: the leaf hash from SHA-256(0x00 || value), the identity hash
// from the leaf hash. So the hash of an entry of pakli is computed from its
// bytes whenever it is read, and cannot rot apart from them.
const (
	flagLeafHash  = 1 << iota // 32 bytes
	flagIdentity              // one byte of length, and the hash
	flagIntegrate             // 8 bytes
	flagExtra                 // 4 bytes of length, and the extra data
	flagsKnown    = flagLeafHash | flagIdentity | flagIntegrate | flagExtra
)

var errRecord = errors.New("a stored entry is damaged")

// encodePlain encodes a leaf with the hashes of RFC 6962 and without extra data.
func encodePlain(leaf *trillian.LogLeaf, stamp time.Time) []byte {
	b := make([]byte, 9, 9+len(leaf.LeafValue))
	binary.BigEndian.PutUint64(b[1:], uint64(stamp.UnixNano()))
	return append(b, leaf.LeafValue...)
}

// decodeLeaf reads an entry record. It keeps no reference to b.
func decodeLeaf(b []byte, index int64) (*trillian.LogLeaf, error) {
	p := recordParser{rest: bytes.Clone(b)}
	flags := p.take(1)[0]
	leaf := &trillian.LogLeaf{LeafIndex: index, QueueTimestamp: p.time(), IntegrateTimestamp: timestamppb.New(time.Unix(0, 0))}
	if flags&flagLeafHash != 0 {
		leaf.MerkleLeafHash = p.take(rfc6962.DefaultHasher.Size())
	}
	if flags&flagIdentity != 0 {
		leaf.LeafIdentityHash = p.take(int(p.take(1)[0]))
	}
	if flags&flagIntegrate != 0 {
		leaf.IntegrateTimestamp = p.time()
	}
	if flags&flagExtra != 0 {
		leaf.ExtraData = p.take(int(binary.BigEndian.Uint32(p.take(4))))
	}
	if p.short || flags&^flagsKnown != 0 {
		return nil, fmt.Errorf("%w: index %d", errRecord, index)
	}
	leaf.LeafValue = p.rest
	if leaf.MerkleLeafHash == nil {
		leaf.MerkleLeafHash = rfc6962.DefaultHasher.HashLeaf(leaf.LeafValue)
	}
	if leaf.LeafIdentityHash == nil {
		leaf.LeafIdentityHash = leaf.MerkleLeafHash
	}
	return leaf, nil
}

// entryValue returns the entry's bytes within its record.
func entryValue(b []byte) ([]byte, error) {
	if len(b) >= 9 && b[0] == 0 { // nothing but flags and time: every entry of pakli
		return b[9:], nil
	}
	leaf, err := decodeLeaf(b, -1)
	if err != nil {
		return nil, err
	}
	return leaf.LeafValue, nil
}

// recordParser cuts a record into parts. Once it has been too short, it gives
// zeros.
type recordParser struct {
	rest  []byte
	short bool
}

func (p *recordParser) take(n int) []byte {
	if p.short || n > len(p.rest) {
		p.short = true
		return make([]byte, min(n, 255))
	}
	var part []byte
	part, p.rest = p.rest[:n:n], p.rest[n:]
	return part
}

func (p *recordParser) time() *timestamppb.Timestamp {
	return timestamppb.New(time.Unix(0, int64(binary.BigEndian.Uint64(p.take(8)))))
}

// All keys begin with one byte of prefix and eight of tree id, big-endian like
// every number in a key.
const (
	prefixTree     = 't' // -> trillian.Tree as protobuf; empty once the tree is deleted for good
	prefixRoot     = 'r' // -> latest LogRootV1
	prefixEntry    = 'e' // index -> entry record, see entry.go
	prefixIdentity = 'i' // identity hash -> index
	prefixLeafHash = 'l' // leaf hash, index -> nothing; only for entries whose identity is not their leaf hash
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
