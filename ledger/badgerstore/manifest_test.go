package badgerstore_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dgraph-io/badger/v4/pb"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
	"google.golang.org/protobuf/proto"
)

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

// twoTables returns a closed store with four entries in two tables, and the
// tables' files.
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

// Badger announces a table, or that one takes the place of others, fails to sync
// that, removes the new one, and goes on or not. Nothing is lost by it, and the
// store opens.
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

// When a compaction is done its tables are all that there is: one that is
// missing is a loss, and refused.
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

// A table that was cut short, of which Badger panics where nobody can catch it.
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

// A log that Badger begins without blocks dies on a full disk. The next log must be there
// before it is wanted, have its blocks, and keep them when Badger takes it.
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

// A disk with blocks and no room for a file: the log goes on until it wants a table, and does not start again.
func TestNoRoomForFiles(t *testing.T) {
	few, many, uncounted := badgerstore.FreeBytes(3, 1000), badgerstore.FreeBytes(500, 1000), badgerstore.FreeBytes(0, 0)
	testmust.Holdf(t, few == 0 && many == 4096*1000 && uncounted == many, "free are %d, %d and %d bytes", few, many, uncounted)
}
