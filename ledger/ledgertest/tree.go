package ledgertest

import (
	"bytes"

	"github.com/transparency-dev/merkle/compact"
	xtlog "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/tlog"
)

// tree is entries and the tree over them, as x/mod computes it. It never changes;
// with grows another one from it, once.
type tree struct {
	entries [][]byte
	hashes  hashes
}

// hashes are in the order of xtlog.StoredHashIndex.
type hashes []xtlog.Hash

// ReadHashes implements xtlog.HashReader.
func (h hashes) ReadHashes(indexes []int64) ([]xtlog.Hash, error) {
	list := make([]xtlog.Hash, len(indexes))
	for i, index := range indexes {
		list[i] = h[index]
	}
	return list, nil
}

// with returns the tree with copies of more entries.
func (t tree) with(entries ...[]byte) (tree, error) {
	for _, entry := range entries {
		more, err := xtlog.StoredHashes(t.size(), entry, t.hashes)
		if err != nil {
			return tree{}, err
		}
		t.hashes = append(t.hashes, more...)
		t.entries = append(t.entries, bytes.Clone(entry))
	}
	return t, nil
}

func (t tree) size() int64 { return int64(len(t.entries)) }

func (t tree) root() (tlog.Hash, error) { return xtlog.TreeHash(t.size(), t.hashes) }

// node returns the root of a complete subtree, which must be in the tree.
func (t tree) node(id compact.NodeID) tlog.Hash {
	return t.hashes[xtlog.StoredHashIndex(int(id.Level), int64(id.Index))]
}
