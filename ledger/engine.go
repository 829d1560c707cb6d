package ledger

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"github.com/pakli/pakli/ledger/tlog"
)

// engine gives entries their indexes, adds them to the store, and reads proofs from
// its nodes. It keeps a second, independent tree to check the store's.
//
// assignIndexes and addEntries may be called only by the goroutine that has the turn (see
// sequencer.go), the rest by all.
type engine struct {
	store  Store
	check  tlog.Tree // over the entries, without the store's code
	recent recentIndexes
	step   stepHook
}

func newEngine(s Store, step stepHook) (e *engine, err error) {
	size, root := s.Head()
	e = &engine{store: s, recent: newRecent(size), step: step}
	if e.check, err = e.treeAt(size); err != nil {
		return nil, err
	}
	if got := e.check.Root(); got != root {
		return nil, fmt.Errorf("the store is damaged (restore a backup): its nodes have root %v, its head says %v", got, root)
	}
	return e, nil
}

// head returns what the checking tree says; on opening only.
func (e *engine) head() head { return head{size: e.check.Size(), root: e.check.Root()} }

// assignIndexes gives every entry of a batch its index and returns those that are new,
// once each, in order.
//
// Entries have been looked up in the store before they were queued. What has
// been added since then is in recent; the store is asked again only if recent
// does not reach back that far.
func (e *engine) assignIndexes(batch []*pendingEntry, published uint64) (entries []*pendingEntry, err error) {
	if err := e.step.atStep("assign"); err != nil {
		return nil, err
	}
	start := e.check.Size()
	e.recent.forgetOld(start, published)
	for _, p := range batch {
		index, ok := e.recent.young[p.leaf]
		if !ok {
			index, ok = e.recent.old[p.leaf]
		}
		if !ok && p.known < e.recent.from {
			if index, ok, err = e.store.Lookup(p.leaf); err != nil {
				return nil, err
			}
		}
		if !ok {
			index = start + uint64(len(entries))
			e.recent.young[p.leaf] = index
			entries = append(entries, p)
		}
		p.index = index
	}
	return entries, nil
}

// recentIndexes knows the indexes of the entries from a certain one on. Of two maps the
// older is dropped as a whole.
type recentIndexes struct {
	old, young      map[tlog.Hash]uint64
	from, youngFrom uint64 // the first entries of both
	max             int    // entries of both, about
}

const maxRecent = 1 << 16

func newRecent(size uint64) recentIndexes {
	return recentIndexes{young: make(map[tlog.Hash]uint64), from: size, youngFrom: size, max: maxRecent}
}

// forgetOld drops old entries if there are many, in a tree of this size. What is not
// published stays, since it may be on its way to the store: asked for it, the store
// would say that it is new.
func (r *recentIndexes) forgetOld(size, published uint64) {
	if len(r.young) < r.max/2 || r.youngFrom > published {
		return
	}
	r.old, r.young = r.young, make(map[tlog.Hash]uint64, r.max/2)
	r.from, r.youngFrom = r.youngFrom, size
}

// addEntries appends entries that assignIndexes has returned, in one transaction. Right
// before it is committed, and only once the head that will be has been found
// right, promise is called with it; after that the next addEntries may begin. As soon
// as the transaction is on disk, publish is called.
func (e *engine) addEntries(entries []*pendingEntry, promise func(next head) error, publish func() error) error {
	grown := e.check.Clone()
	list := make([][]byte, len(entries))
	for i, p := range entries {
		list[i] = p.entry
	}
	if err := e.step.atStep("stage"); err != nil {
		return err
	}
	return e.store.Add(list, Commit{
		Step: e.step,
		Before: func(size uint64, root []byte) error {
			if err := e.step.atStep("verify"); err != nil {
				return err
			}
			next, err := verifyRoot(&grown, entries, size, root)
			if err != nil {
				return err
			}
			e.check = grown
			return promise(next)
		},
		After: publish,
	})
}

// verifyRoot grows t by the entries and compares it with the store's root. The
// leaf hashes are computed anew, from the bytes: a log has died of one flipped
// bit in a stored leaf hash that it signed. They are compared with those that the
// entries came with, so that none was changed while it waited either.
func verifyRoot(t *tlog.Tree, entries []*pendingEntry, size uint64, root []byte) (head, error) {
	for _, p := range entries {
		leaf := tlog.LeafHash(p.entry)
		if leaf != p.leaf {
			return head{}, fmt.Errorf("not signing: entry %d has changed in memory since it came: its hash was %v, is %v", t.Size(), p.leaf, leaf)
		}
		t.Append(leaf)
	}
	h := head{size: t.Size(), root: t.Root()}
	if size != h.size || string(root) != string(h.root[:]) {
		return head{}, fmt.Errorf("not signing: the store has root %x at size %d, the entries have %v at %d", root, size, h.root, h.size)
	}
	return h, nil
}

// inclusionPath returns the audit path of an entry in the tree of this size. On level
// l it has the sibling of the subtree of 2^l entries that the entry is in: a node
// of the tree, or what there is of the last one, or nothing. With the last one of
// its level it is a sibling at most once.
func (e *engine) inclusionPath(index, size uint64, of *border) ([]tlog.Hash, error) {
	last := size - 1
	ids := make([]compact.NodeID, 0, bits.Len64(last))
	atBorder, level := -1, uint(0)
	for l := uint(0); last>>l > 0; l++ {
		switch sibling := index>>l ^ 1; {
		case sibling < last>>l:
			ids = append(ids, compact.NewNodeID(l, sibling))
		case sibling == last>>l:
			atBorder, level = len(ids), l
		}
	}
	hashes, err := e.nodeHashes(ids)
	if err != nil || atBorder < 0 {
		return hashes, err
	}
	of.once.Do(func() { of.roots, of.err = e.borderOf(size) })
	if of.err != nil {
		return nil, of.err
	}
	return slices.Insert(hashes, atBorder, of.roots[level]), nil
}

// A border is the right edge of a tree, computed when it is needed. The receipts of
// a batch share one.
type border struct {
	once  sync.Once
	roots []tlog.Hash
	err   error
}

// borderOf returns, for each level l, the root of the last subtree of 2^l entries, or
// of what there is of it.
func (e *engine) borderOf(size uint64) ([]tlog.Hash, error) {
	last := size - 1
	ids := []compact.NodeID{compact.NewNodeID(0, last)}
	for l := uint(0); last>>l > 0; l++ {
		if last>>l&1 == 1 {
			ids = append(ids, compact.NewNodeID(l, last>>l-1))
		}
	}
	nodes, err := e.nodeHashes(ids)
	if err != nil {
		return nil, err
	}
	roots, left := nodes[:1:1], nodes[1:]
	for l := uint(0); last>>l > 0; l++ {
		root := roots[l]
		if last>>l&1 == 1 {
			root, left = tlog.Hash(rfc6962.DefaultHasher.HashChildren(left[0][:], root[:])), left[1:]
		}
		roots = append(roots, root)
	}
	return roots, nil
}

// nodeHashes returns the hashes of complete subtrees.
func (e *engine) nodeHashes(ids []compact.NodeID) ([]tlog.Hash, error) {
	hashes, err := e.store.Nodes(ids)
	if err != nil {
		return nil, err
	}
	return toHashes(hashes), nil
}

func (e *engine) consistency(old, size uint64) ([]tlog.Hash, error) {
	if old == 0 { // RFC 6962 does not define this case, everybody's verifier takes an empty proof
		return nil, nil
	}
	nodes, err := proof.Consistency(old, size)
	if err != nil {
		return nil, err
	}
	hashes, err := e.store.Nodes(nodes.IDs)
	if err != nil {
		return nil, err
	}
	path, err := nodes.Rehash(hashes, rfc6962.DefaultHasher.HashChildren)
	if err != nil {
		return nil, err
	}
	return toHashes(path), nil
}

// treeAt returns the checking tree as of this size, from stored nodes.
func (e *engine) treeAt(size uint64) (tlog.Tree, error) {
	hashes, err := e.nodeHashes(compact.RangeNodes(0, size, nil))
	if err != nil {
		return tlog.Tree{}, err
	}
	return tlog.ResumeTree(size, hashes)
}

func (e *engine) rootAt(size uint64) (tlog.Hash, error) {
	t, err := e.treeAt(size)
	return t.Root(), err
}

func toHashes(bs [][]byte) []tlog.Hash {
	hashes := make([]tlog.Hash, len(bs), len(bs)+1) // inclusion may insert one
	for i, b := range bs {
		hashes[i] = tlog.Hash(b)
	}
	return hashes
}
