package badgerstore_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
)

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
		if files[next].Size() != 0 {
			t.Fatalf("no log is reserved: %v", files)
		}
		for path, info := range files {
			if info.Size() == 0 && path != next {
				continue // Badger is about to remove it
			}
			if blocks := info.Sys().(*syscall.Stat_t).Blocks * 512; blocks < 1<<20 {
				t.Fatalf("%s has %d bytes of blocks: is nothing reserved on this file system?", path, blocks)
			}
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
	if few, many, uncounted := badgerstore.FreeBytes(3, 1000), badgerstore.FreeBytes(500, 1000), badgerstore.FreeBytes(0, 0); few != 0 || many != 4096*1000 || uncounted != many {
		t.Errorf("free are %d, %d and %d bytes", few, many, uncounted)
	}
}
