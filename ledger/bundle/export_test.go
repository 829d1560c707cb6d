package bundle

import (
	"crypto/sha256"

	"github.com/pakli/pakli/ledger/tlog"
)

// Seal writes the bundle without a look at it, with the hashes and lengths that
// belong to what is in it: what somebody can write who alters a bundle and knows
// the format. The description is that of an honest bundle of the table.
func (b Bundle) Seal(honest *Bundle) []byte {
	b.genesis, b.sums = honest.genesis, nil
	for _, blob := range b.Blobs {
		b.sums = append(b.sums, sha256.Sum256(blob))
	}
	return b.Marshal()
}

// Proof returns root and hashes for the chosen leaves, computed from all, beside the
// proof of all other leaves.
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

// MaxEntries is how many entries a bundle has at most.
const MaxEntries = maxEntries

// Fits says whether Parse would read it.
func (b *Bundle) Fits() error { return b.checkFits() }
