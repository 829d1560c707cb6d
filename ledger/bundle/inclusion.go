package bundle

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
)

// The hashes of a bundle prove all its entries at once: they are the roots, from left to right, of
// the largest subtrees of RFC 6962 §2.1 that contain none of the entries. An audit path for each
// entry would repeat most of them, and a tile would bring 255 neighbours for one hash.

// leaf is the hash of an entry at its index.
type leaf struct {
	index uint64
	hash  tlog.Hash
}

// rootOf computes the root of a tree of this size from some leaves, ascending and below size, and
// the hashes of the other subtrees. It is an error if hashes are left over.
func rootOf(size uint64, leaves []leaf, hashes []tlog.Hash) (tlog.Hash, error) {
	if size == 0 || len(leaves) == 0 {
		return tlog.Hash{}, errors.New("nothing to prove")
	}
	f := rootFolder{leaves, hashes}
	root, err := f.fold(0, size)
	if err == nil && len(f.hashes) > 0 {
		err = fmt.Errorf("%d too many", len(f.hashes))
	}
	return root, err
}

// rootFolder holds the leaves and hashes that are not used yet, from the left.
type rootFolder struct {
	leaves []leaf
	hashes []tlog.Hash
}

// fold returns the root over the n entries from start on. The depth is at most 64, and each step
// towards a leaf uses at most one hash.
func (f *rootFolder) fold(start, n uint64) (tlog.Hash, error) {
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
	k := splitPoint(n)
	left, err := f.fold(start, k)
	if err != nil {
		return tlog.Hash{}, err
	}
	right, err := f.fold(start+k, n-k)
	return sumdb.NodeHash(left, right), err
}

// splitPoint returns the largest power of two below n, where RFC 6962 §2.1 divides n entries. It
// requires n ≥ 2.
func splitPoint(n uint64) uint64 { return 1 << (bits.Len64(n-1) - 1) }

// growingTree computes the root of a log and the hashes that prove several tables from all entries.
// It keeps no more than these hashes in memory.
type growingTree struct {
	size uint64
	edge []node // roots of the complete subtrees, one for each bit of size, largest first
}

// node is the root of a subtree, with the hashes that prove in it the entries of each table that
// has some there.
type node struct {
	hash   tlog.Hash
	beside map[int][]tlog.Hash // by the table's place
}

// None is the place of no table.
const None = -1

func (g *growingTree) addLeaf(hash tlog.Hash, place int) {
	n := node{hash: hash}
	if place != None {
		n.beside = map[int][]tlog.Hash{place: nil}
	}
	for bit := g.size; bit&1 == 1; bit >>= 1 {
		last := len(g.edge) - 1
		n = joinNodes(g.edge[last], n)
		g.edge = g.edge[:last]
	}
	g.edge = append(g.edge, n)
	g.size++
}

// joinNodes returns the parent of two nodes, which must not be used afterwards.
func joinNodes(left, right node) node {
	n := node{hash: sumdb.NodeHash(left.hash, right.hash), beside: left.beside}
	for place, hashes := range left.beside {
		left.beside[place] = append(hashes, right.hashesShown(place)...)
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

// hashesShown returns the hashes of node n in the proof of a table.
func (n node) hashesShown(place int) []tlog.Hash {
	if hashes, chosen := n.beside[place]; chosen {
		return hashes
	}
	return []tlog.Hash{n.hash}
}

// rootAndProofs returns the root and the hashes of each table. The log must have an entry.
func (g *growingTree) rootAndProofs() (tlog.Hash, map[int][]tlog.Hash) {
	all := g.edge[len(g.edge)-1]
	for i := len(g.edge) - 2; i >= 0; i-- {
		all = joinNodes(g.edge[i], all)
	}
	return all.hash, all.beside
}

// Prove returns the hashes that prove the entries at indexes, which are ascending and below the
// size of the tree. It reads only the tiles beside and above their paths.
func Prove(ctx context.Context, t tiles.Tree, indexes []uint64) ([]tlog.Hash, error) {
	return proveIndexes(t.Hashes(ctx), t.Checkpoint.Size, indexes)
}

// proveIndexes is Prove for a tree of this size with its hashes in tree.
func proveIndexes(tree sumdb.HashReader, size uint64, indexes []uint64) ([]tlog.Hash, error) {
	if size == 0 || len(indexes) == 0 {
		return nil, nil
	}
	p := pathProver{indexes: indexes}
	p.walkTree(0, size)
	stored, err := tree.ReadHashes(slices.Concat(p.runs...))
	if err != nil {
		return nil, err
	}
	var hashes []tlog.Hash
	for _, run := range p.runs {
		last := len(run) - 1
		hash := stored[last]
		for i := last - 1; i >= 0; i-- {
			hash = sumdb.NodeHash(stored[i], hash)
		}
		hashes, stored = append(hashes, hash), stored[len(run):]
	}
	return hashes, nil
}

// pathProver finds the hashes that prove entries.
type pathProver struct {
	indexes []uint64  // not reached yet
	runs    [][]int64 // for each hash, the places of the complete subtrees that it is made of
}

// walkTree walks the tree as fold does.
func (p *pathProver) walkTree(start, n uint64) {
	switch {
	case len(p.indexes) == 0 || p.indexes[0] >= start+n:
		p.runs = append(p.runs, completeSubtrees(start, n))
	case n == 1:
		p.indexes = p.indexes[1:]
	default:
		k := splitPoint(n)
		p.walkTree(start, k)
		p.walkTree(start+k, n-k)
	}
}

// completeSubtrees lists the complete subtrees of the n entries from start on, largest first. There
// is only one, except at the right edge of the tree.
func completeSubtrees(start, n uint64) (list []int64) {
	for n > 0 {
		height := bits.Len64(n) - 1
		list = append(list, sumdb.StoredHashIndex(height, int64(start>>height)))
		start, n = start+1<<height, n-1<<height
	}
	return list
}
