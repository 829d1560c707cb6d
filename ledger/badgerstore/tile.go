package badgerstore

import (
	"crypto/sha256"
	"fmt"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

const (
	hashSize   = sha256.Size
	tileHeight = 8
	tileWidth  = 1 << tileHeight
)

type hash = [hashSize]byte

// tileID names a tile: hashes [256·index, 256·index+256) of tree level 8·level.
type tileID struct {
	level int
	index uint64
}

// placeOf returns where the tree keeps a node: the tile, the height above the tile's own hashes, and
// the position at that height.
func placeOf(id compact.NodeID) (t tileID, height int, slot uint64) {
	height = int(id.Level % tileHeight)
	t = tileID{level: int(id.Level / tileHeight), index: id.Index >> (tileHeight - height)}
	return t, height, id.Index & (tileWidth>>height - 1)
}

// availableHashes returns how many hashes of t a tree of this size has, at most 256.
func (t tileID) availableHashes(size uint64) int {
	if tileHeight*t.level > 63 {
		return 0
	}
	n := size >> (tileHeight * t.level)
	if n/tileWidth > t.index {
		return tileWidth
	}
	if n/tileWidth < t.index {
		return 0
	}
	return int(n % tileWidth)
}

// A tile holds the hashes of a C2SP tile and the nodes above them:
// rows[k][i] is the root of the hashes [i·2^k, (i+1)·2^k).
//
// A tile is a value that never changes. withHash returns a longer one that shares its memory. That is
// safe as long as a single writer extends the longest tile, or one whose extensions it has discarded,
// because readers of a tile never look beyond its length.
type tile struct {
	rows [tileHeight][]hash
}

func newTile() tile {
	var t tile
	memory := make([]hash, 2*tileWidth-2)
	for k := range t.rows {
		n := tileWidth >> k
		t.rows[k], memory = memory[:0:n], memory[n:]
	}
	return t
}

func (t tile) width() int { return len(t.rows[0]) }

// withHash returns t with one more hash.
func (t tile) withHash(h hash) tile {
	for k := range t.rows {
		t.rows[k] = append(t.rows[k], h)
		n := len(t.rows[k])
		if n%2 == 1 {
			break
		}
		h = hashChildren(t.rows[k][n-2], t.rows[k][n-1])
	}
	return t
}

// hashChildren is SHA-256(0x01 || left || right), RFC 6962 §2.1.
func hashChildren(left, right hash) hash {
	b := [1 + 2*hashSize]byte{rfc6962.RFC6962NodeHashPrefix}
	copy(b[1:], left[:])
	copy(b[1+hashSize:], right[:])
	return sha256.Sum256(b[:])
}

// dataOf returns the first width hashes as a C2SP tile.
func (t tile) dataOf(width int) []byte {
	b := make([]byte, 0, width*hashSize)
	for _, h := range t.rows[0][:width] {
		b = append(b, h[:]...)
	}
	return b
}

func tileFromData(data []byte) (tile, error) {
	if len(data) == 0 || len(data)%hashSize != 0 || len(data) > tileWidth*hashSize {
		return tile{}, fmt.Errorf("stored tile of %d bytes is corrupt", len(data))
	}
	t := newTile()
	for ; len(data) > 0; data = data[hashSize:] {
		t = t.withHash(hash(data[:hashSize]))
	}
	return t, nil
}
