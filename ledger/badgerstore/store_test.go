package badgerstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/trillian"
	"github.com/google/trillian/extension"
	"github.com/google/trillian/log"
	"github.com/google/trillian/quota"
	"github.com/google/trillian/server"
	"github.com/google/trillian/storage"
	"github.com/google/trillian/storage/testonly"
	"github.com/google/trillian/types"
	"github.com/google/trillian/util/clock"
	"github.com/transparency-dev/merkle/rfc6962"
	merkle "github.com/transparency-dev/merkle/testonly"
	"golang.org/x/sys/unix"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
)

// preordered is an initialised PREORDERED_LOG tree with everything needed to fill it.
type preordered struct {
	t         testing.TB
	store     *badgerstore.Store
	tree      *trillian.Tree
	rpc       *server.TrillianLogRPCServer
	sequencer *log.SequencerManager
	info      *log.OperationInfo
	size      int
}

func registryOf(s *badgerstore.Store) extension.Registry {
	return extension.Registry{AdminStorage: s.AdminStorage(), LogStorage: s.LogStorage(), QuotaManager: quota.Noop()}
}

func newPreordered(t testing.TB, s *badgerstore.Store) *preordered {
	t.Helper()
	tree := testmust.Have(storage.CreateTree(t.Context(), s.AdminStorage(), testonly.PreorderedLogTree))(t)
	p := onTree(t, s, tree)
	testmust.Have(p.rpc.InitLog(t.Context(), &trillian.InitLogRequest{LogId: tree.TreeId}))(t)
	return p
}

func onTree(t testing.TB, s *badgerstore.Store, tree *trillian.Tree) *preordered {
	r := registryOf(s)
	return &preordered{t: t, store: s, tree: tree,
		rpc:       server.NewTrillianLogRPCServer(r, clock.System),
		sequencer: log.NewSequencerManager(r, 0),
		info:      &log.OperationInfo{Registry: r, BatchSize: 1 << 20, TimeSource: clock.System}}
}

// on opens the tree in a store again.
func (p *preordered) on(s *badgerstore.Store) *preordered {
	next := onTree(p.t, s, p.tree)
	next.size = p.size
	return next
}

func entry(i int) []byte { return fmt.Appendf(nil, "entry %d", i) }

// add appends entries in one batch.
func (p *preordered) add(b *badgerstore.Batch, entries ...[]byte) error {
	if b.BeforeCommit == nil {
		b.BeforeCommit = func(uint64, []byte) error { return nil }
	}
	if b.AfterCommit == nil {
		b.AfterCommit = func() error { return nil }
	}
	ctx := badgerstore.WithBatch(p.t.Context(), b)
	request := &trillian.AddSequencedLeavesRequest{LogId: p.tree.TreeId}
	for i, e := range entries {
		request.Leaves = append(request.Leaves, &trillian.LogLeaf{LeafIndex: int64(p.size + i), LeafValue: e})
	}
	if _, err := p.rpc.AddSequencedLeaves(ctx, request); err != nil {
		return err
	}
	if _, err := p.sequencer.ExecutePass(ctx, p.tree.TreeId, p.info); err != nil {
		return err
	}
	p.size += len(entries)
	return nil
}

func (p *preordered) root() types.LogRootV1 {
	p.t.Helper()
	response := testmust.Have(p.rpc.GetLatestSignedLogRoot(p.t.Context(), &trillian.GetLatestSignedLogRootRequest{LogId: p.tree.TreeId}))(p.t)
	var root types.LogRootV1
	testmust.Do(p.t, root.UnmarshalBinary(response.SignedLogRoot.LogRoot))
	return root
}

// A crash between two transactions would leave a part of a batch.
func TestBatchIsOneTransaction(t *testing.T) {
	p := newPreordered(t, openNew(t))
	before := p.store.Badger().MaxVersion()
	testmust.Do(t, p.add(&badgerstore.Batch{}, entry(0), entry(1), entry(2)))
	testmust.Equal(t, p.store.Badger().MaxVersion()-before, 1, "transactions of a batch")
}

// checkTree compares root, entries and tiles with a tree made by other code.
func checkTree(t *testing.T, p *preordered, entries [][]byte) {
	t.Helper()
	want := merkle.New(rfc6962.DefaultHasher)
	want.AppendData(entries...)
	if r := p.root(); r.TreeSize != uint64(len(entries)) || !bytes.Equal(r.RootHash, want.Hash()) {
		t.Errorf("root %x at %d, want %x at %d", r.RootHash, r.TreeSize, want.Hash(), len(entries))
	}
	i := 0
	for e, err := range p.store.Tree(p.tree.TreeId).Entries(0, uint64(len(entries))) {
		testmust.Requiref(t, err == nil && bytes.Equal(e, entries[i]), "entry %d is %q, %v; want %q", i, e, err, entries[i])
		i++
	}
	for i := range entries {
		index, ok, err := p.store.Tree(p.tree.TreeId).Lookup(tlog.Hash(want.LeafHash(uint64(i))))
		testmust.Requiref(t, err == nil && ok && index == uint64(i), "entry %d found at %d, %v, %v", i, index, ok, err)
	}
	_, err := p.store.Tree(p.tree.TreeId).HashTile(0, 0, len(entries)+1)
	testmust.Fail(t, err, "a tile was served that is wider than the tree of", len(entries))
}

// A batch that does not continue the tree is refused before anything happens.
func TestBatchContinues(t *testing.T) {
	p := newPreordered(t, openNew(t))
	p.size = 1
	testmust.Fail(t, p.add(&badgerstore.Batch{}, entry(0)), "a batch that leaves index 0 out was taken")
}

// Options whose absence only a power cut would show have the values that the design demands.
func TestBadgerOptions(t *testing.T) {
	o := openNew(t).Badger().Opts()
	testmust.Hold(t, o.SyncWrites, "writes are not synced")
	testmust.Equal(t, o.MemTableSize, smallMemTable, "bytes of the memory table")
	testmust.Holdf(t, o.NumVersionsToKeep == 1 && o.BlockCacheSize == 0 && !o.DetectConflicts,
		"versions %d, block cache %d, conflicts %v", o.NumVersionsToKeep, o.BlockCacheSize, o.DetectConflicts)
}

// Entries of the largest size go into Badger's tables unchanged: the value log stays unused, and
// nothing is compressed.
func TestValuesAreInline(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, badgerstore.Options{MemTableSize: smallMemTable})
	p := newPreordered(t, s)
	large := bytes.Repeat([]byte("pakli "), 65535/6)
	testmust.Do(t, p.add(&badgerstore.Batch{}, large))
	testmust.Do(t, s.Close())
	inTables := false
	for _, file := range glob(t, dir, "*") {
		b := testmust.Have(os.ReadFile(file))(t)
		found := bytes.Contains(b, large)
		testmust.Holdf(t, !strings.HasSuffix(file, ".vlog") || !bytes.Contains(b, large[:100]), "%s has an entry in it", file)
		inTables = inTables || found && strings.HasSuffix(file, ".sst")
	}
	testmust.Hold(t, inTables, "the entry is in no table, or not as it is")
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	return testmust.Have(filepath.Glob(filepath.Join(dir, pattern)))(t)
}

// A bit that flips in a table while the store is open causes an error on reading, not other data.
func TestRotIsAnError(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, badgerstore.Options{MemTableSize: smallMemTable})
	p := newPreordered(t, s)
	testmust.Do(t, p.add(&badgerstore.Batch{}, []byte("an entry that will rot")))
	testmust.Do(t, s.Close()) // writes the table
	s = open(t, dir, badgerstore.Options{})
	flipped := false
	for _, file := range glob(t, dir, "*.sst") {
		b := testmust.Have(os.ReadFile(file))(t)
		if at := bytes.Index(b, []byte("will rot")); at >= 0 {
			writeAt(t, file, b[at]^1, int64(at))
			flipped = true
		}
	}
	testmust.Require(t, flipped, "the entry is in no table")
	for e, err := range s.Tree(p.tree.TreeId).Entries(0, 1) {
		testmust.Fail(t, err, "read", e)
	}
}

func writeAt(t *testing.T, file string, b byte, at int64) {
	t.Helper()
	f := testmust.Have(os.OpenFile(file, os.O_WRONLY, 0))(t)
	defer f.Close()
	testmust.Have(f.WriteAt([]byte{b}, at))(t)
}

// The size of the memory table cannot change: Badger could not replay its log.
func TestMemTableSizeIsFixed(t *testing.T) {
	dir := t.TempDir()
	testmust.Do(t, open(t, dir, badgerstore.Options{MemTableSize: smallMemTable}).Close())
	_, err := badgerstore.Open(dir, badgerstore.Options{MemTableSize: 2 * smallMemTable, MinFree: 1})
	testmust.FailSaying(t, err, "cannot be changed", "opened with another memory table")
	testmust.Equal(t, open(t, dir, badgerstore.Options{}).Badger().Opts().MemTableSize, smallMemTable, "bytes of the memory table that the store was created with")
}

// A directory that contains anything else, or a store of another version, is not changed.
func TestForeignDirectory(t *testing.T) {
	foreign := t.TempDir()
	testmust.Do(t, os.WriteFile(filepath.Join(foreign, "thesis.tex"), nil, 0o600))
	later := t.TempDir()
	testmust.Do(t, os.WriteFile(filepath.Join(later, "pakli-store"), []byte("pakli badgerstore v2\nmemtable 8388608\n"), 0o600))
	for _, dir := range []string{foreign, later} {
		testmust.Fail(t, testmust.ErrorOf(badgerstore.Open(dir, badgerstore.Options{MinFree: 1})), dir, "was opened")
		files := glob(t, dir, "*")
		testmust.Holdf(t, len(files) == 1, "files were left behind: %v", files)
	}
}

// The store opens in spite of empty log files, which Badger leaves when it is killed at certain
// moments.
func TestEmptyLogFiles(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, badgerstore.Options{MemTableSize: smallMemTable})
	p := newPreordered(t, s)
	testmust.Do(t, p.add(&badgerstore.Batch{}, entry(0)))
	testmust.Do(t, s.Close())
	for _, name := range []string{"00001.mem", "00077.mem", "000077.vlog"} {
		f := testmust.Have(os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL, 0o600))(t)
		f.Close()
	}
	p = p.on(open(t, dir, badgerstore.Options{}))
	testmust.Do(t, p.add(&badgerstore.Batch{}, entry(1)))
	checkTree(t, p, [][]byte{entry(0), entry(1)})
}

// After a failed commit every operation fails, reads included.
func TestFatal(t *testing.T) {
	s := openNew(t)
	p := newPreordered(t, s)
	testmust.Do(t, p.add(&badgerstore.Batch{}, entry(0)))
	s.Badger().NewTransaction(false).Discard() // once the commit is marked as done: nobody does so in a closed database
	testmust.Do(t, s.Badger().Close())         // commits fail from now on
	_, err := storage.CreateTree(t.Context(), s.AdminStorage(), testonly.LogTree)
	testmust.Require(t, err != nil, "committed to a closed database")
	fatal, ok := errors.AsType[*badgerstore.FatalError](s.Err())
	if !ok {
		t.Fatalf("Err() = %v, want a FatalError", s.Err())
	}
	_, _, lookup := s.Tree(p.tree.TreeId).Lookup(tlog.Hash{})
	_, snapshot := s.LogStorage().SnapshotForTree(context.Background(), p.tree)
	_, trees := s.LogStorage().GetActiveLogIDs(context.Background())
	for name, err := range map[string]error{"Lookup": lookup, "SnapshotForTree": snapshot, "GetActiveLogIDs": trees} {
		testmust.FailBy(t, err, fatal, name, "after a failed commit")
	}
}

// A process must end although Badger retries for ever to write to a disk that is gone.
func TestCloseWithoutDisk(t *testing.T) {
	badgerstore.SetCloseGrace(10 * time.Millisecond)
	defer badgerstore.SetCloseGrace(5 * time.Second)
	dir := t.TempDir()
	s := open(t, dir, badgerstore.Options{MemTableSize: smallMemTable})
	testmust.Do(t, newPreordered(t, s).add(&badgerstore.Batch{}, entry(0)))
	testmust.Do(t, os.RemoveAll(dir))
	err := s.Close()
	testmust.Holdf(t, errors.As(err, new(*badgerstore.FatalError)), "%v, want a FatalError", err)
}

// The guard stops in time. The ballast takes up real space once, and only if there is room for it.
func TestSpace(t *testing.T) {
	dir := t.TempDir()
	ballast := filepath.Join(dir, "ballast")
	s := open(t, dir, badgerstore.Options{MemTableSize: smallMemTable, Ballast: 1 << 20})
	free, needed, err := s.Space()
	testmust.Holdf(t, err == nil && free >= needed, "with room on the disk: %d bytes free, %d needed, %v", free, needed, err)
	var st unix.Stat_t
	err = unix.Stat(ballast, &st)
	testmust.Holdf(t, err == nil && st.Size == 1<<20 && st.Blocks*512 >= 1<<20, "ballast of %d bytes in %d blocks of 512: %v", st.Size, st.Blocks, err)
	testmust.Do(t, s.Close())
	// A copy of the ballast may be sparse, and then it reserves nothing.
	testmust.Do(t, errors.Join(os.Truncate(ballast, 0), os.Truncate(ballast, 1<<20)))
	testmust.Do(t, open(t, dir, badgerstore.Options{MemTableSize: smallMemTable, Ballast: 1 << 20}).Close())
	err = unix.Stat(ballast, &st)
	testmust.Holdf(t, err == nil && st.Blocks*512 >= 1<<20, "ballast that was a hole: %d blocks of 512, %v", st.Blocks, err)
	testmust.Do(t, os.Remove(ballast))
	s = open(t, dir, badgerstore.Options{MinFree: 1 << 62, Ballast: 1 << 20})
	free, needed, err = s.Space()
	testmust.Holdf(t, err == nil && free < needed, "without room: %d bytes free, %d needed, %v", free, needed, err)
	testmust.Fail(t, testmust.ErrorOf(os.Stat(ballast)), "ballast was put on a disk without room")
}

// A directory counts as synced only if nothing can have been created in the same tick of the clock.
func TestDirectorySync(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, badgerstore.Options{MemTableSize: smallMemTable})
	p := newPreordered(t, s)
	for i, c := range []struct {
		age    time.Duration // since the last change, however long the test takes
		synced bool
	}{{-time.Minute, false}, {time.Minute, true}} {
		changed := time.Now().Add(-c.age)
		testmust.Do(t, os.Chtimes(dir, changed, changed))
		testmust.Do(t, p.add(&badgerstore.Batch{}, entry(i)))
		testmust.Equal(t, s.DirectorySynced(), c.synced, "after a commit", c.age, "after the last change: synced")
	}
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "new.mem.test"), nil, 0o600))
	testmust.Hold(t, !s.DirectorySynced(), "a new file went unnoticed")
}

// Records that are truncated, or contain what no version writes, are errors.
func TestCorruptRecord(t *testing.T) {
	s := openNew(t)
	p := newPreordered(t, s)
	for _, record := range [][]byte{{}, {0}, {0x80, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 7}, {8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}} {
		err := s.Badger().Update(func(txn *badger.Txn) error {
			key := append([]byte{'e', byte(p.tree.TreeId >> 56), byte(p.tree.TreeId >> 48), byte(p.tree.TreeId >> 40), byte(p.tree.TreeId >> 32),
				byte(p.tree.TreeId >> 24), byte(p.tree.TreeId >> 16), byte(p.tree.TreeId >> 8), byte(p.tree.TreeId)}, 0, 0, 0, 0, 0, 0, 0, 0)
			return txn.Set(key, record)
		})
		testmust.Do(t, err)
		for e, err := range s.Tree(p.tree.TreeId).Entries(0, 1) {
			testmust.Holdf(t, err != nil, "record %x was read as %q", record, e)
		}
	}
}

// A look-up beside a commit must not claim to have searched entries that it cannot see, since its
// caller would append one of them again. It must find entries from before the commit.
func TestLookupBefore(t *testing.T) {
	p := newPreordered(t, openNew(t))
	find := func(i int) (index uint64, ok bool, known uint64) {
		index, ok, known, err := p.store.Tree(p.tree.TreeId).LookupBefore(tlog.LeafHash(entry(i)))
		testmust.Do(t, err)
		return index, ok, known
	}
	for size := range 20 {
		if size%3 == 0 {
			find(size) // so that a transaction from before the commit exists, or no recent one
		}
		beside := 0
		step := func(name string) error {
			if name != "commit" && name != "committed" {
				return nil
			}
			beside++
			for i := range size + 1 {
				index, ok, known := find(i)
				testmust.Holdf(t, ok == (i < size) && (!ok || index == uint64(i)) && known == uint64(size),
					"%s of entry %d: entry %d is found at %d, %v, among the first %d", name, size, i, index, ok, known)
			}
			return nil
		}
		err := p.add(&badgerstore.Batch{Step: step}, entry(size))
		testmust.Requiref(t, err == nil && beside == 2, "%d lookups beside the commit, %v", beside, err)
		index, ok, known := find(size)
		testmust.Holdf(t, ok && index == uint64(size) && known == uint64(size)+1, "entry %d is found at %d, %v, among the first %d", size, index, ok, known)
	}
}

// A look-up transaction that nobody uses any more must not stay open, since Badger remembers every
// commit since it began.
func TestViewsEnd(t *testing.T) {
	p := newPreordered(t, openNew(t))
	look := func() {
		_, _, _, err := p.store.Tree(p.tree.TreeId).LookupBefore(tlog.LeafHash(entry(0)))
		testmust.Hold(t, err == nil, err)
	}
	for range 100 {
		var all sync.WaitGroup
		for range 32 {
			all.Go(look)
		}
		all.Wait()
	}
	n := p.store.OpenViews(p.tree.TreeId)
	testmust.Require(t, n != 0, "no transaction is open: the test tests nothing")
	for i := range 2 {
		testmust.Do(t, p.add(&badgerstore.Batch{}, entry(i)))
	}
	testmust.Equal(t, p.store.OpenViews(p.tree.TreeId), 0, "transactions are open, and nobody has looked anything up since the last commit but one")
}
