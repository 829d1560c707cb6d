package bundle

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tlog"
)

// The hashes of a bundle prove all its entries at once: they are the roots of the
// largest subtrees of RFC 6962 §2.1 without any of the entries, from left to right.
// An audit path for each entry would repeat most of them, and tiles would bring 255
// neighbours for one hash.

// leaf is the hash of an entry at its index.
type leaf struct {
	index uint64
	hash  tlog.Hash
}

// rootOf computes the root of a tree of this size from some leaves, ascending and
// below size, and the hashes of the rest. All are used, or it is an error.
func rootOf(size uint64, leaves []leaf, hashes []tlog.Hash) (tlog.Hash, error) {
	if size == 0 || len(leaves) == 0 {
		return tlog.Hash{}, errors.New("nothing to prove")
	}
	f := folding{leaves, hashes}
	root, err := f.fold(0, size)
	if err == nil && len(f.hashes) > 0 {
		err = fmt.Errorf("%d too many", len(f.hashes))
	}
	return root, err
}

// folding is what is left of leaves and hashes, from the left.
type folding struct {
	leaves []leaf
	hashes []tlog.Hash
}

// fold returns the root over the n entries from start on. The depth is at most 64,
// and each step to a leaf costs one hash at most.
func (f *folding) fold(start, n uint64) (tlog.Hash, error) {
	if len(f.leaves) == 0 || f.leaves[0].index >= start+n {
		if len(f.hashes) == 0 {
			return tlog.Hash{}, errors.New("too few")
		}
		hash := f.hashes[0]
		f.hashes = f.hashes[1:]
		return hash, nil
	}
	if n == 1 {
		hash := f.leaves[0].hash
		f.leaves = f.leaves[1:]
		return hash, nil
	}
	k := split(n)
	left, err := f.fold(start, k)
	if err != nil {
		return tlog.Hash{}, err
	}
	right, err := f.fold(start+k, n-k)
	return sumdb.NodeHash(left, right), err
}

// split returns the largest power of two below n, which is at least 2: where
// RFC 6962 §2.1 divides n entries.
func split(n uint64) uint64 { return 1 << (bits.Len64(n-1) - 1) }

// growing computes the root of a log, and the hashes that prove several tables,
// from all entries, in memory of the size of these hashes.
type growing struct {
	size uint64
	edge []node // roots of the complete subtrees, one for each bit of size, largest first
}

// node is the root of a subtree, and what proves in it the entries of each table that
// has some there.
type node struct {
	hash   tlog.Hash
	beside map[int][]tlog.Hash // by the table's place
}

// none is the place of no table.
const none = -1

func (g *growing) add(hash tlog.Hash, place int) {
	n := node{hash: hash}
	if place != none {
		n.beside = map[int][]tlog.Hash{place: nil}
	}
	for bit := g.size; bit&1 == 1; bit >>= 1 {
		last := len(g.edge) - 1
		n = join(g.edge[last], n)
		g.edge = g.edge[:last]
	}
	g.edge = append(g.edge, n)
	g.size++
}

// join returns the parent of two nodes, which are used up.
func join(left, right node) node {
	n := node{hash: sumdb.NodeHash(left.hash, right.hash), beside: left.beside}
	for place, hashes := range left.beside {
		left.beside[place] = append(hashes, right.shown(place)...)
	}
	for place, hashes := range right.beside {
		if _, both := left.beside[place]; both {
			continue
		}
		if n.beside == nil {
			n.beside = map[int][]tlog.Hash{}
		}
		n.beside[place] = append([]tlog.Hash{left.hash}, hashes...)
	}
	return n
}

// shown is what the hashes of a table have of a node.
func (n node) shown(place int) []tlog.Hash {
	if hashes, chosen := n.beside[place]; chosen {
		return hashes
	}
	return []tlog.Hash{n.hash}
}

// root returns the root and the hashes of each table. Requires: the log has an entry.
func (g *growing) root() (tlog.Hash, map[int][]tlog.Hash) {
	all := g.edge[len(g.edge)-1]
	for i := len(g.edge) - 2; i >= 0; i-- {
		all = join(g.edge[i], all)
	}
	return all.hash, all.beside
}

// Prove returns the hashes that prove entries, ascending and below size, in the
// tree of that size. It reads the tiles beside their paths, no others.
func Prove(ctx context.Context, tiles tlog.TileReader, size uint64, indexes []uint64) ([]tlog.Hash, error) {
	p := proving{ctx: ctx, tiles: tiles, size: size, indexes: indexes, read: map[tlog.Tile][]tlog.Hash{}}
	if size == 0 || len(indexes) == 0 {
		return nil, nil
	}
	if err := p.walk(0, size); err != nil {
		return nil, err
	}
	return p.hashes, nil
}

type proving struct {
	ctx     context.Context
	tiles   tlog.TileReader
	size    uint64
	indexes []uint64 // left to come to
	hashes  []tlog.Hash
	read    map[tlog.Tile][]tlog.Hash
}

// walk goes the way of fold.
func (p *proving) walk(start, n uint64) error {
	if len(p.indexes) == 0 || p.indexes[0] >= start+n {
		hash, err := p.subtree(start, n)
		p.hashes = append(p.hashes, hash)
		return err
	}
	if n == 1 {
		p.indexes = p.indexes[1:]
		return nil
	}
	k := split(n)
	if err := p.walk(start, k); err != nil {
		return err
	}
	return p.walk(start+k, n-k)
}

// subtree returns the root over the n entries from start on. Where n is no power of
// two it is the right edge of the tree, and no tile has it.
func (p *proving) subtree(start, n uint64) (tlog.Hash, error) {
	if n&(n-1) == 0 {
		return p.complete(start, bits.TrailingZeros64(n))
	}
	k := split(n)
	left, err := p.subtree(start, k)
	if err != nil {
		return tlog.Hash{}, err
	}
	right, err := p.subtree(start+k, n-k)
	return sumdb.NodeHash(left, right), err
}

// complete returns the root over the 2^height entries from start on: that of a run
// of hashes of one tile.
func (p *proving) complete(start uint64, height int) (tlog.Hash, error) {
	level := height / 8
	first := start >> (8 * level)
	hashes, err := p.tile(level, first/tlog.TileWidth)
	if err != nil {
		return tlog.Hash{}, err
	}
	first %= tlog.TileWidth
	var run tlog.Tree
	for _, hash := range hashes[first : first+1<<(height%8)] {
		run.Append(hash)
	}
	return run.Root(), nil
}

func (p *proving) tile(level int, index uint64) ([]tlog.Hash, error) {
	t := tlog.Tile{Level: level, Index: index, Width: int(min(tlog.TileWidth, p.size>>(8*level)-index*tlog.TileWidth))}
	if hashes, ok := p.read[t]; ok {
		return hashes, nil
	}
	data, err := p.tiles.Tile(p.ctx, t)
	if err != nil {
		return nil, err
	}
	hashes, err := tlog.ParseTile(data, t.Width)
	p.read[t] = hashes
	return hashes, err
}
