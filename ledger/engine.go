package ledger

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/trillian"
	"github.com/google/trillian/log"
	"github.com/google/trillian/server"
	"github.com/google/trillian/storage"
	"github.com/google/trillian/trees"
	"github.com/google/trillian/types"
	"github.com/google/trillian/util/clock"
	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
)

// engine drives Trillian: its log server for adding entries, its sequencer for
// integrating them, both as objects in this process and only when there is
// work. It keeps a second, independent tree to check Trillian's.
//
// assign and add are for whoever has the turn (see sequencer.go), the rest is for
// everybody.
type engine struct {
	store     *badgerstore.Store
	rpc       *server.TrillianLogRPCServer
	sequencer *log.SequencerManager
	pass      *log.OperationInfo
	tree      *trillian.Tree
	check     tlog.Tree // over the entries, without Trillian's code

	recent recent

	step steps
}

func newEngine(s *badgerstore.Store, now func() time.Time, step steps) (*engine, error) {
	tree, root, err := findTree(s)
	if err != nil {
		return nil, err
	}
	timestamps := newMonotone(now, root.TimestampNanos)
	r := registry(s)
	e := &engine{
		store:     s,
		rpc:       server.NewTrillianLogRPCServer(r, timestamps),
		sequencer: log.NewSequencerManager(r, 0),
		pass:      &log.OperationInfo{Registry: r, BatchSize: 1 << 20, TimeSource: timestamps},
		tree:      tree,
		recent:    newRecent(root.TreeSize),
		step:      step,
	}
	if e.check, err = e.treeAt(root.TreeSize); err != nil {
		return nil, err
	}
	if got := e.check.Root(); string(got[:]) != string(root.RootHash) {
		return nil, fmt.Errorf("ledger: store is corrupt: its nodes have root %v, its head says %x", got, root.RootHash)
	}
	return e, nil
}

// findTree returns the one tree of the store, and its root.
func findTree(s *badgerstore.Store) (*trillian.Tree, *types.LogRootV1, error) {
	ctx := context.Background()
	all, err := storage.ListTrees(ctx, s.AdminStorage(), true)
	if err != nil {
		return nil, nil, fmt.Errorf("ledger: %w", err)
	}
	if len(all) != 1 || all[0].TreeType != trillian.TreeType_PREORDERED_LOG {
		return nil, nil, fmt.Errorf("ledger: store has %d trees, one PREORDERED_LOG wanted", len(all))
	}
	tx, err := s.LogStorage().SnapshotForTree(ctx, all[0])
	if err != nil {
		return nil, nil, fmt.Errorf("ledger: %w", err)
	}
	defer tx.Close()
	signed, err := tx.LatestSignedLogRoot(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("ledger: %w", err)
	}
	var root types.LogRootV1
	if err := root.UnmarshalBinary(signed.LogRoot); err != nil {
		return nil, nil, fmt.Errorf("ledger: %w", err)
	}
	return all[0], &root, nil
}

// head returns what the checking tree says; on opening only.
func (e *engine) head() head { return head{size: e.check.Size(), root: e.check.Root()} }

// readAll verifies that every entry is there and can be found, and that they have
// the root of the head; on opening only.
func (e *engine) readAll() error {
	var t tlog.Tree
	for entry, err := range e.store.Entries(e.tree.TreeId, 0, e.check.Size()) {
		if err != nil {
			return err
		}
		leaf := tlog.LeafHash(entry)
		if index, ok, err := e.lookup(leaf); err != nil || !ok || index != t.Size() {
			return fmt.Errorf("entry %d is not found by its hash: %w", t.Size(), err)
		}
		t.Append(leaf)
	}
	if t.Root() != e.check.Root() {
		return fmt.Errorf("the %d entries have root %v, the head says %v", t.Size(), t.Root(), e.check.Root())
	}
	return nil
}

// lookup returns the index of an entry, by its leaf hash.
func (e *engine) lookup(leaf tlog.Hash) (uint64, bool, error) {
	return e.store.Lookup(e.tree.TreeId, leaf[:])
}

// lookupBefore is lookup without waiting for a commit that is under way: the
// entry, if it is not found, is not among the first known ones.
func (e *engine) lookupBefore(leaf tlog.Hash) (index uint64, ok bool, known uint64, err error) {
	return e.store.LookupBefore(e.tree.TreeId, leaf[:])
}

// assign gives every entry of a batch its index and returns those that are new,
// once each, in order.
//
// Entries have been looked up in the store before they were queued. What has
// been added since then is in recent; the store is asked again only if recent
// does not reach back that far.
func (e *engine) assign(batch []*pending, published uint64) (entries []*pending, err error) {
	if err := e.step.at("assign"); err != nil {
		return nil, err
	}
	start := e.check.Size()
	e.recent.forget(start, published)
	for _, p := range batch {
		index, ok := e.recent.index(p.leaf)
		if !ok && p.known < e.recent.from {
			if index, ok, err = e.lookup(p.leaf); err != nil {
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

// recent knows the indexes of the entries from a certain one on. Of two maps the
// older is dropped as a whole.
type recent struct {
	old, young      map[tlog.Hash]uint64
	from, youngFrom uint64 // the first entries of both
	max             int    // entries of both, about
}

const maxRecent = 1 << 16

func newRecent(size uint64) recent {
	return recent{young: make(map[tlog.Hash]uint64), from: size, youngFrom: size, max: maxRecent}
}

func (r *recent) index(leaf tlog.Hash) (uint64, bool) {
	index, ok := r.young[leaf]
	if !ok {
		index, ok = r.old[leaf]
	}
	return index, ok
}

// forget drops old entries if there are many, in a tree of this size. What is not
// published stays, since it may be on its way to the store: asked for it, the store
// would say that it is new.
func (r *recent) forget(size, published uint64) {
	if len(r.young) < r.max/2 || r.youngFrom > published {
		return
	}
	r.old, r.young = r.young, make(map[tlog.Hash]uint64, r.max/2)
	r.from, r.youngFrom = r.youngFrom, size
}

// add appends entries that assign has returned, in one transaction. Right
// before it is committed, and only once the head that will be has been found
// right, promise is called with it; after that the next add may begin. As soon
// as the transaction is on disk, publish is called.
func (e *engine) add(entries []*pending, promise func(next head) error, publish func() error) error {
	grown := e.check.Clone()
	batch := &badgerstore.Batch{
		Step: e.step,
		BeforeCommit: func(size uint64, root []byte) error {
			if err := e.step.at("verify"); err != nil {
				return err
			}
			next, err := verifyRoot(&grown, entries, size, root)
			if err != nil {
				return err
			}
			e.check = grown
			return promise(next)
		},
		AfterCommit: publish,
	}
	ctx := badgerstore.WithBatch(trees.NewContext(context.Background(), e.tree), batch)
	if err := e.stage(ctx, entries); err != nil {
		return err
	}
	n, err := e.sequencer.ExecutePass(ctx, e.tree.TreeId, e.pass)
	if fatal := e.store.Err(); fatal != nil {
		return fatal // Trillian's error has it as text only
	}
	if err != nil {
		return err
	}
	if n != len(entries) {
		return fmt.Errorf("sequenced %d of %d entries", n, len(entries))
	}
	return nil
}

func (e *engine) stage(ctx context.Context, entries []*pending) error {
	if err := e.step.at("stage"); err != nil {
		return err
	}
	request := &trillian.AddSequencedLeavesRequest{LogId: e.tree.TreeId, Leaves: make([]*trillian.LogLeaf, len(entries))}
	leaves := make([]trillian.LogLeaf, len(entries)) // of one piece
	for i, p := range entries {
		leaves[i].LeafIndex, leaves[i].LeafValue = int64(e.check.Size())+int64(i), p.entry
		request.Leaves[i] = &leaves[i]
	}
	_, err := e.rpc.AddSequencedLeaves(ctx, request)
	return err
}

// verifyRoot grows t by the entries and compares it with Trillian's root. The
// leaf hashes are computed anew, from the bytes: a log has died of one flipped
// bit in a stored leaf hash that it signed. They are compared with those that the
// entries came with, so that none was changed while it waited either.
func verifyRoot(t *tlog.Tree, entries []*pending, size uint64, root []byte) (head, error) {
	for _, p := range entries {
		leaf := tlog.LeafHash(p.entry)
		if leaf != p.leaf {
			return head{}, fmt.Errorf("not signing: entry %d has changed in memory since it came: its hash was %v, is %v", t.Size(), p.leaf, leaf)
		}
		t.Append(leaf)
	}
	h := head{size: t.Size(), root: t.Root()}
	if size != h.size || string(root) != string(h.root[:]) {
		return head{}, fmt.Errorf("not signing: the sequencer has root %x at size %d, the entries have %v at %d", root, size, h.root, h.size)
	}
	return h, nil
}

// inclusion returns the audit path of an entry in the tree of this size. On level
// l it has the sibling of the subtree of 2^l entries that the entry is in: a node
// of the tree, or what there is of the last one, or nothing. With the last one of
// its level it is a sibling at most once.
func (e *engine) inclusion(index, size uint64, of *border) ([]tlog.Hash, error) {
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
	hashes, err := e.nodes(ids)
	if err != nil || atBorder < 0 {
		return hashes, err
	}
	of.once.Do(func() { of.roots, of.err = e.border(size) })
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

// border returns, for each level l, the root of the last subtree of 2^l entries, or
// of what there is of it.
func (e *engine) border(size uint64) ([]tlog.Hash, error) {
	last := size - 1
	ids := []compact.NodeID{compact.NewNodeID(0, last)}
	for l := uint(0); last>>l > 0; l++ {
		if last>>l&1 == 1 {
			ids = append(ids, compact.NewNodeID(l, last>>l-1))
		}
	}
	nodes, err := e.nodes(ids)
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

// nodes returns the hashes of complete subtrees.
func (e *engine) nodes(ids []compact.NodeID) ([]tlog.Hash, error) {
	hashes, err := e.store.Nodes(e.tree.TreeId, ids)
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
	hashes, err := e.store.Nodes(e.tree.TreeId, nodes.IDs)
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
	hashes, err := e.nodes(compact.RangeNodes(0, size, nil))
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

// monotone is a clock for Trillian, which stops for good when a root is not
// younger than the one before. Time decides nothing in this log.
type monotone struct {
	clock.TimeSource // for timers, which nobody asks for
	now              func() time.Time
	last             atomic.Int64 // Unix nanoseconds
}

func newMonotone(now func() time.Time, last uint64) *monotone {
	if now == nil {
		now = time.Now
	}
	m := &monotone{TimeSource: clock.System, now: now}
	m.last.Store(int64(last))
	return m
}

// Now returns max(clock, last + 1 ns).
func (m *monotone) Now() time.Time {
	for {
		last := m.last.Load()
		next := max(m.now().UnixNano(), last+1)
		if m.last.CompareAndSwap(last, next) {
			return time.Unix(0, next)
		}
	}
}
