package bundle

import (
	"crypto/sha256"

	"github.com/pakli/pakli/ledger/tlog"
)

// Seal writes the bundle without checking it, with the hashes and lengths of its actual contents, as
// somebody can who alters a bundle and knows the format. The description is that of an honest bundle
// of the table.
func (b Bundle) Seal(honest *Bundle) []byte {
	b.genesis, b.sums = honest.genesis, nil
	for _, blob := range b.Blobs {
		b.sums = append(b.sums, sha256.Sum256(blob))
	}
	return b.Marshal()
}

// Proof returns the root of leaves and the proof hashes for the chosen ones. It computes both from
// all leaves.
func Proof(leaves []tlog.Hash, chosen map[uint64]bool) (tlog.Hash, []tlog.Hash) {
	var g growingTree
	for i, h := range leaves {
		place := 1
		if chosen[uint64(i)] {
			place = 0
		}
		g.addLeaf(h, place)
	}
	root, proofs := g.rootAndProofs()
	return root, proofs[0]
}

// Root computes the root from the chosen leaves and the hashes.
func Root(leaves []tlog.Hash, chosen []uint64, hashes []tlog.Hash) (tlog.Hash, error) {
	var list []leaf
	for _, i := range chosen {
		list = append(list, leaf{i, leaves[i]})
	}
	return rootOf(uint64(len(leaves)), list, hashes)
}

// MaxEntries is the maximum number of entries of a bundle.
const MaxEntries = maxEntries

// Fits returns an error if Parse would refuse the bundle for its size.
func (b *Bundle) Fits() error { return b.checkFits() }
