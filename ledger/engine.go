package ledger

import (
	"context"
	"fmt"
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
// add is for the sequencing goroutine alone, the rest for everybody.
type engine struct {
	logs      storage.LogStorage
	rpc       *server.TrillianLogRPCServer
	sequencer *log.SequencerManager
	pass      *log.OperationInfo
	tree      *trillian.Tree
	check     tlog.Tree // over the entries, without Trillian's code
}

func newEngine(s *badgerstore.Store, now func() time.Time) (*engine, error) {
	tree, root, err := findTree(s)
	if err != nil {
		return nil, err
	}
	timestamps := newMonotone(now, root.TimestampNanos)
	r := registry(s)
	e := &engine{
		logs:      s.LogStorage(),
		rpc:       server.NewTrillianLogRPCServer(r, timestamps),
		sequencer: log.NewSequencerManager(r, 0),
		pass:      &log.OperationInfo{Registry: r, BatchSize: 1 << 20, TimeSource: timestamps},
		tree:      tree,
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

// conflict says which of the entries of a batch are in the log already, and
// where.
type conflict map[tlog.Hash]uint64

func (conflict) Error() string { return "ledger: entries are in the log" }

// add appends entries with their leaf hashes in one transaction. Right before
// it is committed, commit is called with the head that will be, once it has
// been found right. A conflict means that nothing happened.
func (e *engine) add(entries [][]byte, commit func(head) error) (head, error) {
	var next head
	grown := e.check.Clone()
	batch := &badgerstore.Batch{BeforeCommit: func(root []byte) (err error) {
		if next, err = verifyRoot(&grown, entries, root); err != nil {
			return err
		}
		return commit(next)
	}}
	ctx := badgerstore.WithBatch(trees.NewContext(context.Background(), e.tree), batch)
	if err := e.stage(ctx, entries); err != nil {
		return head{}, err
	}
	n, err := e.sequencer.ExecutePass(ctx, e.tree.TreeId, e.pass)
	if err != nil {
		return head{}, err
	}
	if n != len(entries) {
		return head{}, fmt.Errorf("sequenced %d of %d entries", n, len(entries))
	}
	e.check = grown
	return next, nil
}

func (e *engine) stage(ctx context.Context, entries [][]byte) error {
	request := &trillian.AddSequencedLeavesRequest{LogId: e.tree.TreeId, Leaves: make([]*trillian.LogLeaf, len(entries))}
	for i, entry := range entries {
		request.Leaves[i] = &trillian.LogLeaf{LeafIndex: int64(e.check.Size()) + int64(i), LeafValue: entry}
	}
	response, err := e.rpc.AddSequencedLeaves(ctx, request)
	if err != nil {
		return err
	}
	conflicts := make(conflict)
	for _, r := range response.Results {
		if r.GetStatus().GetCode() != 0 {
			conflicts[tlog.Hash(r.Leaf.MerkleLeafHash)] = uint64(r.Leaf.LeafIndex)
		}
	}
	if len(conflicts) > 0 {
		return conflicts
	}
	return nil
}

// verifyRoot grows t by the entries and compares it with Trillian's root. The
// leaf hashes are computed anew, from the bytes: a log has died of one flipped
// bit in a stored leaf hash that it signed.
func verifyRoot(t *tlog.Tree, entries [][]byte, logRoot []byte) (head, error) {
	for _, entry := range entries {
		t.Append(tlog.LeafHash(entry))
	}
	var root types.LogRootV1
	if err := root.UnmarshalBinary(logRoot); err != nil {
		return head{}, err
	}
	h := head{size: t.Size(), root: t.Root()}
	if root.TreeSize != h.size || string(root.RootHash) != string(h.root[:]) {
		return head{}, fmt.Errorf("not signing: the sequencer has root %x at size %d, the entries have %v at %d", root.RootHash, root.TreeSize, h.root, h.size)
	}
	return h, nil
}

// inclusion returns the audit path of an entry in the tree of this size.
func (e *engine) inclusion(ctx context.Context, index, size uint64) ([]tlog.Hash, error) {
	nodes, err := proof.Inclusion(index, size)
	if err != nil {
		return nil, err
	}
	return e.prove(ctx, nodes)
}

func (e *engine) consistency(ctx context.Context, old, size uint64) ([]tlog.Hash, error) {
	if old == 0 { // RFC 6962 does not define this case, everybody's verifier takes an empty proof
		return nil, nil
	}
	nodes, err := proof.Consistency(old, size)
	if err != nil {
		return nil, err
	}
	return e.prove(ctx, nodes)
}

func (e *engine) prove(ctx context.Context, nodes proof.Nodes) ([]tlog.Hash, error) {
	hashes, err := e.nodes(ctx, nodes.IDs)
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
	hashes, err := e.nodes(context.Background(), compact.RangeNodes(0, size, nil))
	if err != nil {
		return tlog.Tree{}, err
	}
	return tlog.ResumeTree(size, toHashes(hashes))
}

func (e *engine) rootAt(size uint64) (tlog.Hash, error) {
	t, err := e.treeAt(size)
	return t.Root(), err
}

func (e *engine) nodes(ctx context.Context, ids []compact.NodeID) ([][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	tx, err := e.logs.SnapshotForTree(ctx, e.tree)
	if err != nil {
		return nil, err
	}
	defer tx.Close()
	nodes, err := tx.GetMerkleNodes(ctx, ids)
	if err != nil {
		return nil, err
	}
	hashes := make([][]byte, len(nodes))
	for i := range nodes {
		hashes[i] = nodes[i].Hash
	}
	return hashes, nil
}

func toHashes(bs [][]byte) []tlog.Hash {
	hashes := make([]tlog.Hash, len(bs))
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
