package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/trillian"
	"github.com/google/trillian/extension"
	"github.com/google/trillian/log"
	"github.com/google/trillian/quota"
	"github.com/google/trillian/server"
	"github.com/google/trillian/storage"
	"github.com/google/trillian/trees"
	"github.com/google/trillian/types"
	"github.com/google/trillian/util/clock"
	"google.golang.org/protobuf/types/known/durationpb"
	"k8s.io/klog/v2"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

// sequencedStore is the store of one log: a Store with one tree, and Trillian's log server and
// sequencer as objects in this process. They run only when entries are added.
type sequencedStore struct {
	Tree
	rpc       *server.TrillianLogRPCServer
	sequencer *log.SequencerManager
	pass      *log.OperationInfo
	tree      *trillian.Tree
	state     *treeState
	size      uint64 // on opening
	root      tlog.Hash
}

var (
	_ ledger.Stores = Options{}
	_ ledger.Store  = (*sequencedStore)(nil)
)

// CreateStore implements ledger.Stores: a store with an empty tree.
func (o Options) CreateStore(dir string) error {
	s, err := Open(dir, o)
	if err != nil {
		return err
	}
	return errors.Join(createTree(context.Background(), s, o), s.Close())
}

func createTree(ctx context.Context, s *Store, o Options) error {
	tree, err := storage.CreateTree(ctx, s.AdminStorage(), &trillian.Tree{
		TreeState:       trillian.TreeState_ACTIVE,
		TreeType:        trillian.TreeType_PREORDERED_LOG,
		DisplayName:     "pakli",
		MaxRootDuration: durationpb.New(0),
	})
	if err != nil {
		return err
	}
	rpc := server.NewTrillianLogRPCServer(registryOf(s), newMonotone(o.Clock, 0))
	if _, err := rpc.InitLog(ctx, &trillian.InitLogRequest{LogId: tree.TreeId}); err != nil {
		return err
	}
	return nil
}

func registryOf(s *Store) extension.Registry {
	return extension.Registry{AdminStorage: s.AdminStorage(), LogStorage: s.LogStorage(), QuotaManager: quota.Noop()}
}

// OpenStore implements ledger.Stores.
func (o Options) OpenStore(dir string, logger *slog.Logger) (ledger.Store, error) {
	quietTrillian(logger)
	o.Logger = logger
	s, err := Open(dir, o)
	if err != nil {
		return nil, err
	}
	q, err := newSequenced(s, o.Clock)
	if err == nil {
		err = q.readRepaired(logger)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return q, nil
}

func newSequenced(s *Store, now func() time.Time) (*sequencedStore, error) {
	tree, root, err := findTree(s)
	if err != nil {
		return nil, err
	}
	if len(root.RootHash) != hashSize {
		return nil, fmt.Errorf("root %x of the tree is no hash", root.RootHash)
	}
	state, err := s.stateOf(tree.TreeId)
	if err != nil {
		return nil, err
	}
	timestamps := newMonotone(now, root.TimestampNanos)
	r := registryOf(s)
	return &sequencedStore{
		Tree:      s.Tree(tree.TreeId),
		rpc:       server.NewTrillianLogRPCServer(r, timestamps),
		sequencer: log.NewSequencerManager(r, 0),
		pass:      &log.OperationInfo{Registry: r, BatchSize: 1 << 20, TimeSource: timestamps},
		tree:      tree,
		state:     state,
		size:      root.TreeSize,
		root:      tlog.Hash(root.RootHash),
	}, nil
}

// findTree returns the one tree of the store, and its root.
func findTree(s *Store) (*trillian.Tree, *types.LogRootV1, error) {
	ctx := context.Background()
	all, err := storage.ListTrees(ctx, s.AdminStorage(), true)
	if err != nil {
		return nil, nil, err
	}
	if len(all) != 1 || all[0].TreeType != trillian.TreeType_PREORDERED_LOG {
		return nil, nil, fmt.Errorf("store has %d trees, one PREORDERED_LOG wanted", len(all))
	}
	tx, err := s.LogStorage().SnapshotForTree(ctx, all[0])
	if err != nil {
		return nil, nil, err
	}
	defer tx.Close()
	signed, err := tx.LatestSignedLogRoot(ctx)
	if err != nil {
		return nil, nil, err
	}
	var root types.LogRootV1
	if err := root.UnmarshalBinary(signed.LogRoot); err != nil {
		return nil, nil, err
	}
	return all[0], &root, nil
}

// readRepaired reads all entries of a store whose list of tables had to be repaired, to prove that no
// entry below its head is missing.
func (q *sequencedStore) readRepaired(logger *slog.Logger) error {
	if !q.WasRepaired() {
		return nil
	}
	logger.Warn("the list of tables had to be repaired after a failed write; reading all entries")
	if err := q.readAll(); err != nil {
		return fmt.Errorf("a table is missing, and entries with it; restore a backup: %w", err)
	}
	return q.AcceptRepair()
}

// readAll verifies that every entry can be read and found by its hash, and that the entries have the
// root of the head.
func (q *sequencedStore) readAll() error {
	var t tlog.Tree
	for entry, err := range q.Entries(0, q.size) {
		if err != nil {
			return err
		}
		leaf := tlog.LeafHash(entry)
		if index, ok, err := q.Lookup(leaf); err != nil || !ok || index != t.Size() {
			return fmt.Errorf("entry %d is not found by its hash: %w", t.Size(), err)
		}
		t.Append(leaf)
	}
	if t.Root() != q.root {
		return fmt.Errorf("the %d entries have root %v, the head says %v", t.Size(), t.Root(), q.root)
	}
	return nil
}

// Head implements ledger.Store.
func (q *sequencedStore) Head() (uint64, tlog.Hash) { return q.size, q.root }

// Add implements ledger.Store. Trillian's log server takes the entries, and its sequencer integrates
// them, in one [Batch].
func (q *sequencedStore) Add(entries [][]byte, c ledger.Commit) error {
	batch := &Batch{BeforeCommit: c.Before, AfterCommit: c.After, Step: c.Step}
	ctx := WithBatch(trees.NewContext(context.Background(), q.tree), batch)
	next := int64(q.state.nextIndex())
	request := &trillian.AddSequencedLeavesRequest{LogId: q.tree.TreeId, Leaves: make([]*trillian.LogLeaf, len(entries))}
	leaves := make([]trillian.LogLeaf, len(entries)) // allocated together
	for i, entry := range entries {
		leaves[i].LeafIndex, leaves[i].LeafValue = next+int64(i), entry
		request.Leaves[i] = &leaves[i]
	}
	if _, err := q.rpc.AddSequencedLeaves(ctx, request); err != nil {
		return err
	}
	n, err := q.sequencer.ExecutePass(ctx, q.tree.TreeId, q.pass)
	if fatal := q.Err(); fatal != nil {
		return fatal // Trillian's error has it only as text
	}
	if err != nil {
		return err
	}
	if n != len(entries) {
		return fmt.Errorf("sequenced %d of %d entries", n, len(entries))
	}
	return nil
}

// monotoneClock is a clock for Trillian, which stops for good if a root is not younger than the one
// before. Time decides nothing in this log.
type monotoneClock struct {
	clock.TimeSource // for timers, which Trillian does not ask for here
	now              func() time.Time
	last             atomic.Int64 // Unix nanoseconds
}

func newMonotone(now func() time.Time, last uint64) *monotoneClock {
	if now == nil {
		now = time.Now
	}
	m := &monotoneClock{TimeSource: clock.System, now: now}
	m.last.Store(int64(last))
	return m
}

// Now returns max(clock, last + 1 ns).
func (m *monotoneClock) Now() time.Time {
	for {
		last := m.last.Load()
		next := max(m.now().UnixNano(), last+1)
		if m.last.CompareAndSwap(last, next) {
			return time.Unix(0, next)
		}
	}
}

// quietTrillian sends Trillian's warnings and errors to logger. Otherwise Trillian would report every
// batch on standard error. Trillian has one logger per process, which must not change while a log is
// open, so the logger of the first log stays.
func quietTrillian(logger *slog.Logger) {
	quiet.Do(func() { klog.SetSlogLogger(slog.New(warningHandler{logger.Handler()})) })
}

var quiet sync.Once

type warningHandler struct{ slog.Handler }

func (w warningHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}
