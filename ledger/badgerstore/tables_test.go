package badgerstore_test

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"google.golang.org/protobuf/proto"
	"k8s.io/klog/v2"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// Trillian reports its progress on standard error unless told otherwise.
func TestMain(m *testing.M) {
	fs := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(fs)
	if err := fs.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}); err != nil {
		panic(err)
	}
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// smallMemTable keeps the tests' memory and files small.
const smallMemTable = 8 << 20

func open(t testing.TB, dir string, o badgerstore.Options) *badgerstore.Store {
	t.Helper()
	if o.MinFree == 0 {
		o.MinFree = 1
	}
	s := testmust.Have(badgerstore.Open(dir, o))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func openNew(t testing.TB) *badgerstore.Store {
	return open(t, t.TempDir(), badgerstore.Options{MemTableSize: smallMemTable})
}

// The store passes the tests for stores of ledgers.
func TestStoreOfLedgers(t *testing.T) {
	ledgertest.RunStore(t, badgerstore.Options{MemTableSize: 1 << 20, MinFree: 1})
}

// tinyMemTable is the smallest memory table that takes entries of the largest size.
const tinyMemTable = 1 << 20

// bigEntry returns an entry of which about thirty fill a tiny memory table.
func bigEntry(i int) []byte { return append(entry(i), make([]byte, 30_000)...) }

// addBig appends four entries of bigEntry.
func (p *preordered) addBig() error {
	n := p.size
	return p.add(&badgerstore.Batch{}, bigEntry(n), bigEntry(n+1), bigEntry(n+2), bigEntry(n+3))
}

// write appends entries of bigEntry until the tree has end entries.
func (p *preordered) write(t *testing.T, end int) {
	t.Helper()
	for p.size < end {
		testmust.Do(t, p.addBig())
	}
}

// checkAll checks that the entries of bigEntry before end are there.
func (p *preordered) checkAll(t *testing.T, end int) {
	t.Helper()
	var entries [][]byte
	for i := range end {
		entries = append(entries, bigEntry(i))
	}
	checkTree(t, p, entries)
}

func reopen(t *testing.T, p *preordered, dir string) *preordered {
	t.Helper()
	testmust.Do(t, p.store.Close())
	return p.on(open(t, dir, badgerstore.Options{}))
}

// tableFiles returns the hashes of a store's tables, by name.
func tableFiles(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	sums := make(map[string][32]byte)
	for _, file := range glob(t, dir, "*.sst") {
		b := testmust.Have(os.ReadFile(file))(t)
		sums[filepath.Base(file)] = sha256.Sum256(b)
	}
	return sums
}

// wantKept checks that every table of before is still there unchanged, besides new ones.
func wantKept(t *testing.T, before, after map[string][32]byte) {
	t.Helper()
	for name, sum := range before {
		testmust.Equal(t, after[name], sum, "table", name, "was changed or removed")
	}
	testmust.Hold(t, len(after) > len(before), len(after), "tables after", len(before), "nothing was written")
}

// Whatever is written, and however often the store is closed and opened, no table is ever merged,
// changed or removed, and no write waits for a merge.
func TestTablesStay(t *testing.T) {
	dir := t.TempDir()
	p := newPreordered(t, open(t, dir, badgerstore.Options{MemTableSize: tinyMemTable}))
	var before map[string][32]byte
	for round := range 3 {
		p.write(t, 252*(round+1)) // about 7 tables; Badger would begin to merge 5, and wait at 15
		p = reopen(t, p, dir)
		after := tableFiles(t, dir)
		wantKept(t, before, after)
		before = after
	}
	n := p.store.Tables()
	testmust.Holdf(t, n == len(before) && n >= 18, "%d tables, %d files; want 18 or more", n, len(before))
	for _, level := range p.store.Badger().Levels()[1:] {
		testmust.Equal(t, level.NumTables, 0, "tables in level", level.Level)
	}
	p.checkAll(t, p.size)
}

// A store opens and continues in which an earlier version has merged tables, and the merged tables
// stay.
func TestMergedByEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	p := newPreordered(t, open(t, dir, badgerstore.Options{MemTableSize: tinyMemTable}))
	p.write(t, 252)
	o := p.store.Badger().Opts()
	testmust.Do(t, p.store.Close())
	merge(t, o.WithNumCompactors(2).WithNumLevelZeroTablesStall(15))
	before := tableFiles(t, dir)
	p = p.on(open(t, dir, badgerstore.Options{}))
	if levels := p.store.Badger().Levels(); levels[0].NumTables != 0 || p.store.Tables() != len(before) {
		t.Fatalf("%d tables, %d files, %d not merged; want none", p.store.Tables(), len(before), levels[0].NumTables)
	}
	p.checkAll(t, p.size)
	p.write(t, 504)
	p = reopen(t, p, dir)
	wantKept(t, before, tableFiles(t, dir))
	p.checkAll(t, 504)
}

// merge merges all tables of a closed store, as earlier versions of pakli did.
func merge(t *testing.T, o badger.Options) {
	t.Helper()
	db := testmust.Have(badger.Open(o))(t)
	testmust.Do(t, errors.Join(db.Flatten(2), db.Close()))
}

// bubble runs a subtest in which Badger's pauses of a second before a retry take no time.
func bubble(t *testing.T, name string, f func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// A failure to make any table stops the store, and no committed data is lost. Badger 4.9.6 ignored
// the error while it merged tables, and removed the tables that it had merged.
func TestTableCannotBeMade(t *testing.T) {
	for i := range testmust.ChosenIndexes(t, 12, 5) {
		id := i + 1
		bubble(t, fmt.Sprint(id), func(t *testing.T) {
			dir := t.TempDir()
			p := newPreordered(t, open(t, dir, badgerstore.Options{MemTableSize: tinyMemTable}))
			inTheWay := filepath.Join(dir, fmt.Sprintf("%06d.sst", id))
			testmust.Do(t, os.WriteFile(inTheWay, nil, 0o600))
			var err error
			for err == nil && p.size < 1000 {
				time.Sleep(time.Millisecond) // Trillian requires a younger root each time
				err = p.addBig()
			}
			testmust.Requiref(t, p.store.Err() != nil, "after %d entries the store goes on: %v", p.size, err)
			committed := p.size
			p = reopen(t, p, dir)
			p.size = int(p.root().TreeSize) // one more batch may be there, whose outcome was unknown
			testmust.Requiref(t, p.size >= committed, "%d entries of %d", p.size, committed)
			p.checkAll(t, p.size)
		})
	}
}

// benchEntry is the size of the entries of BenchmarkTables.
const benchEntry = 4 << 10

// BenchmarkTables measures the cost of tables that are not merged. The tables have 1 MiB each;
// PAKLI_TABLES gives their numbers:
//
//	PAKLI_TABLES=4,16,200,2000 go test -run - -bench Tables -benchtime 1s ./ledger/badgerstore
func BenchmarkTables(b *testing.B) {
	list := os.Getenv("PAKLI_TABLES")
	if list == "" {
		list = "4,16"
	}
	dir := b.TempDir()
	p := newPreordered(b, open(b, dir, badgerstore.Options{MemTableSize: 1 << 20}))
	for _, s := range strings.Split(list, ",") {
		tables := testmust.Have(strconv.Atoi(s))(b)
		for len(p.store.Badger().Tables()) < tables {
			testmust.Do(b, p.add(&badgerstore.Batch{}, benchBatch(p.size)...))
		}
		b.Run(fmt.Sprintf("%d", tables), func(b *testing.B) {
			b.Run("lookup=present", p.benchLookup(true))
			b.Run("lookup=absent", p.benchLookup(false))
			for _, n := range []uint64{1, 16, 256} {
				b.Run(fmt.Sprintf("entries=%d", n), p.benchEntries(n))
			}
			b.Run("all", p.benchAll)
			b.Run("append=16", p.benchAppend)
		})
		testmust.Do(b, p.store.Close())
		b.Run(fmt.Sprintf("%d/open", tables), func(b *testing.B) {
			for b.Loop() {
				testmust.Do(b, open(b, dir, badgerstore.Options{}).Close())
			}
		})
		p = p.on(open(b, dir, badgerstore.Options{}))
	}
}

// benchBatch returns 16 entries from index from on.
func benchBatch(from int) (batch [][]byte) {
	for i := range 16 {
		batch = append(batch, benchEntryAt(from+i))
	}
	return batch
}

func benchEntryAt(i int) []byte {
	return append(fmt.Appendf(nil, "entry %d ", i), make([]byte, benchEntry)...)
}

func (p *preordered) benchLookup(present bool) func(*testing.B) {
	return func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			hash := tlog.LeafHash(benchEntryAt(rand.IntN(p.size)))
			if !present {
				hash[0]++
			}
			b.StartTimer()
			_, ok, err := p.store.Tree(p.tree.TreeId).Lookup(hash)
			testmust.Require(b, err == nil && ok == present, ok, err)
		}
	}
}

func (p *preordered) benchEntries(n uint64) func(*testing.B) {
	return func(b *testing.B) {
		for b.Loop() {
			start := uint64(rand.IntN(p.size - int(n)))
			p.readAll(b, start, start+n)
		}
	}
}

func (p *preordered) benchAll(b *testing.B) {
	for b.Loop() {
		p.readAll(b, 0, uint64(p.size))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.size), "ns/entry")
}

func (p *preordered) readAll(b *testing.B, start, end uint64) {
	i := start
	for _, err := range p.store.Tree(p.tree.TreeId).Entries(start, end) {
		testmust.Do(b, err)
		i++
	}
	testmust.Requiref(b, i == end, "%d entries, want %d", i-start, end-start)
}

func (p *preordered) benchAppend(b *testing.B) {
	for b.Loop() {
		testmust.Do(b, p.add(&badgerstore.Batch{}, benchBatch(p.size)...))
	}
}

// announce appends a change to the manifest of a closed store, as Badger does.
func announce(t *testing.T, dir string, changes ...*pb.ManifestChange) {
	t.Helper()
	body := testmust.Have(proto.Marshal(&pb.ManifestChangeSet{Changes: changes}))(t)
	record := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	record = binary.BigEndian.AppendUint32(record, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	f := testmust.Have(os.OpenFile(filepath.Join(dir, "MANIFEST"), os.O_WRONLY|os.O_APPEND, 0))(t)
	defer f.Close()
	testmust.Have(f.Write(append(record, body...)))(t)
}

// twoTables returns a closed store with four entries in two tables, and the names of the tables'
// files.
func twoTables(t *testing.T) (dir string, p *preordered, files []string) {
	t.Helper()
	dir = t.TempDir()
	p = newPreordered(t, open(t, dir, badgerstore.Options{MemTableSize: smallMemTable}))
	testmust.Do(t, p.add(&badgerstore.Batch{}, entry(0), entry(1)))
	p = reopen(t, p, dir) // which writes a table
	testmust.Do(t, p.add(&badgerstore.Batch{}, entry(2), entry(3)))
	testmust.Do(t, p.store.Close())
	files = glob(t, dir, "*.sst")
	testmust.Requiref(t, len(files) == 2, "tables %v, want two", files)
	return dir, p, files
}

func tableID(t *testing.T, file string) (id uint64) {
	t.Helper()
	testmust.Have(fmt.Sscanf(filepath.Base(file), "%d.sst", &id))(t)
	return id
}

// Badger announces a new table, or one that replaces others, fails to sync the announcement, removes
// the new table, and continues or not. Nothing is lost, and the store opens.
func TestGivenUpTables(t *testing.T) {
	create := func(id uint64, level uint32) *pb.ManifestChange {
		return &pb.ManifestChange{Id: id, Op: pb.ManifestChange_CREATE, Level: level}
	}
	remove := func(id uint64) *pb.ManifestChange {
		return &pb.ManifestChange{Id: id, Op: pb.ManifestChange_DELETE}
	}
	for name, give := range map[string]func(dir string, a, b uint64){
		"memory table": func(dir string, a, b uint64) { announce(t, dir, create(77, 0)) },
		"compaction":   func(dir string, a, b uint64) { announce(t, dir, create(77, 6), remove(a), remove(b)) },
		"both": func(dir string, a, b uint64) {
			announce(t, dir, create(77, 0))
			announce(t, dir, create(78, 6), create(79, 6), remove(a))
		},
	} {
		dir, p, files := twoTables(t)
		give(dir, tableID(t, files[0]), tableID(t, files[1]))
		s := open(t, dir, badgerstore.Options{})
		testmust.Hold(t, s.WasRepaired(), name, "nothing was repaired")
		again := p.on(s)
		testmust.Do(t, again.add(&badgerstore.Batch{}, entry(4)), name)
		checkTree(t, again, [][]byte{entry(0), entry(1), entry(2), entry(3), entry(4)})
		err := s.AcceptRepair()
		testmust.Holdf(t, err == nil && !s.WasRepaired(), "%s: accepted: %v", name, err)
	}
}

// A store in which nothing was given up is not touched.
func TestNothingToRepair(t *testing.T) {
	dir, _, _ := twoTables(t)
	before := testmust.Have(os.ReadFile(filepath.Join(dir, "MANIFEST")))(t)
	testmust.Hold(t, !open(t, dir, badgerstore.Options{}).WasRepaired(), "repaired")
	after, err := os.ReadFile(filepath.Join(dir, "MANIFEST"))
	testmust.Holdf(t, err == nil && strings.HasPrefix(string(after), string(before)), "the manifest has changed: %v", err)
}

// After a compaction its tables are the only ones. The store refuses to open without one of them,
// since entries are lost.
func TestLostTable(t *testing.T) {
	dir, _, files := twoTables(t)
	a, b := tableID(t, files[0]), tableID(t, files[1])
	announce(t, dir, &pb.ManifestChange{Id: 77, Op: pb.ManifestChange_CREATE, Level: 6},
		&pb.ManifestChange{Id: a, Op: pb.ManifestChange_DELETE}, &pb.ManifestChange{Id: b, Op: pb.ManifestChange_DELETE})
	for _, f := range files {
		testmust.Do(t, os.Remove(f))
	}
	testmust.FailSaying(t, testmust.ErrorOf(badgerstore.Open(dir, badgerstore.Options{MinFree: 1})), "table 77", "opened without a table")
}

// A table is truncated, on which Badger panics in a goroutine that nobody can recover.
func TestTableCutShort(t *testing.T) {
	dir, _, files := twoTables(t)
	whole := testmust.Have(os.ReadFile(files[1]))(t)
	for _, size := range []int{0, 1, 3, 4, 5, len(whole) / 3, len(whole) / 2, len(whole) - 12, len(whole) - 5, len(whole) - 1} {
		testmust.Do(t, os.WriteFile(files[1], whole[:size], 0o600))
		if _, err := badgerstore.Open(dir, badgerstore.Options{MinFree: 1}); err == nil || !strings.Contains(err.Error(), filepath.Base(files[1])) {
			t.Errorf("opened with %d of %d bytes of a table: %v", size, len(whole), err)
		}
	}
	testmust.Do(t, os.WriteFile(files[1], whole, 0o600))
	testmust.Do(t, open(t, dir, badgerstore.Options{}).Close())
}

// A log that Badger begins without blocks fails on a full disk. The next log must exist before Badger
// needs it, have its blocks, and keep them when Badger takes it.
func TestReserve(t *testing.T) {
	dir := t.TempDir()
	s := testmust.Have(badgerstore.Open(dir, badgerstore.Options{MemTableSize: 1 << 20, MinFree: 1}))(t)
	defer s.Close()
	logs := func() map[string]os.FileInfo {
		files := map[string]os.FileInfo{}
		paths, _ := filepath.Glob(filepath.Join(dir, "*.mem"))
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil {
				files[path] = info
			}
		}
		return files
	}
	for taken := 0; taken < 3; {
		_, _, err := s.Space()
		testmust.Do(t, err)
		files := logs()
		next := slices.Max(slices.Collect(maps.Keys(files)))
		testmust.Requiref(t, files[next].Size() == 0, "no log is reserved: %v", files)
		for path, info := range files {
			if info.Size() == 0 && path != next {
				continue // Badger is about to remove it
			}
			blocks := info.Sys().(*syscall.Stat_t).Blocks * 512
			testmust.Requiref(t, blocks >= 1<<20, "%s has %d bytes of blocks: is nothing reserved on this file system?", path, blocks)
		}
		for i := 0; logs()[next].Size() == 0; i++ { // until Badger takes it
			txn := s.Badger().NewTransaction(true)
			testmust.Do(t, txn.Set(fmt.Appendf(nil, "x %d %d", taken, i), make([]byte, 60_000)))
			testmust.Do(t, txn.Commit())
		}
		taken++
	}
}

// A disk has blocks but no room for a new file. The log continues until it needs a table, and does
// not start again.
func TestNoRoomForFiles(t *testing.T) {
	few, many, uncounted := badgerstore.FreeBytes(3, 1000), badgerstore.FreeBytes(500, 1000), badgerstore.FreeBytes(0, 0)
	testmust.Holdf(t, few == 0 && many == 4096*1000 && uncounted == many, "free are %d, %d and %d bytes", few, many, uncounted)
}
