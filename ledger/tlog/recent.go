package tlog

// RecentSizes is the number of sizes for which [Recent] has roots.
const RecentSizes = 1 << 16

// Recent has the roots of a growing tree at its last RecentSizes sizes, so that a reader of the log
// can compare them with earlier checkpoints that the log itself contains. It keeps leaf hashes by
// tiles, and for each tile the tree before it: a root takes at most 255 leaves. The zero Recent
// belongs to the empty tree.
type Recent struct {
	tiles []recentTile
}

type recentTile struct {
	before Tree   // its size is a multiple of TileWidth, or the size at which the tree was begun
	leaves []Hash // that follow before
}

// Append adds an entry, given by its leaf hash.
func (r *Recent) Append(leaf Hash) {
	if len(r.tiles) == 0 {
		r.tiles = make([]recentTile, 1)
	}
	last := &r.tiles[len(r.tiles)-1]
	last.leaves = append(last.leaves, leaf)
	if (last.before.size+uint64(len(last.leaves)))%TileWidth > 0 {
		return
	}
	r.tiles = append(r.tiles, recentTile{before: last.treeAfter(len(last.leaves))})
	if len(r.tiles) > RecentSizes/TileWidth+2 {
		r.tiles = append([]recentTile(nil), r.tiles[1:]...)
	}
}

// Size returns the number of entries.
func (r *Recent) Size() uint64 {
	if len(r.tiles) == 0 {
		return 0
	}
	last := r.tiles[len(r.tiles)-1]
	return last.before.size + uint64(len(last.leaves))
}

// Root returns the root of the first size entries, or false if it is not known any more.
func (r *Recent) Root(size uint64) (Hash, bool) {
	if size == 0 {
		return EmptyRoot(), true
	}
	for _, t := range r.tiles {
		if n := size - t.before.size; size >= t.before.size && n <= uint64(len(t.leaves)) {
			tree := t.treeAfter(int(n))
			return tree.Root(), true
		}
	}
	return Hash{}, false
}

// treeAfter returns the tree after the first n of the leaves.
func (t recentTile) treeAfter(n int) Tree {
	tree := t.before.Clone()
	for _, leaf := range t.leaves[:n] {
		tree.Append(leaf)
	}
	return tree
}
