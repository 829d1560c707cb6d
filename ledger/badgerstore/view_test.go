package badgerstore_test

import (
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
)

// A lookup beside a commit must not say that it has looked through entries that it
// cannot see: whoever believes it appends one of them a second time. What was
// there before the commit must be found.
func TestLookupBefore(t *testing.T) {
	p := newPreordered(t, openNew(t))
	find := func(i int) (index uint64, ok bool, known uint64) {
		index, ok, known, err := p.store.Tree(p.tree.TreeId).LookupBefore(tlog.LeafHash(entry(i)))
		testmust.Do(t, err)
		return index, ok, known
	}
	for size := range 20 {
		if size%3 == 0 {
			find(size) // so that a transaction from before is there, or none that is young
		}
		beside := 0
		step := func(name string) error {
			if name != "commit" && name != "committed" {
				return nil
			}
			beside++
			for i := range size + 1 {
				index, ok, known := find(i)
				if ok != (i < size) || ok && index != uint64(i) || known != uint64(size) {
					t.Errorf("%s of entry %d: entry %d is found at %d, %v, among the first %d", name, size, i, index, ok, known)
				}
			}
			return nil
		}
		if err := p.add(&badgerstore.Batch{Step: step}, entry(size)); err != nil || beside != 2 {
			t.Fatalf("%d lookups beside the commit, %v", beside, err)
		}
		if index, ok, known := find(size); !ok || index != uint64(size) || known != uint64(size)+1 {
			t.Errorf("entry %d is found at %d, %v, among the first %d", size, index, ok, known)
		}
	}
}

// A transaction for look-ups that nobody uses any more and that stays open: Badger
// remembers every commit since it began.
func TestViewsEnd(t *testing.T) {
	p := newPreordered(t, openNew(t))
	look := func() {
		if _, _, _, err := p.store.Tree(p.tree.TreeId).LookupBefore(tlog.LeafHash(entry(0))); err != nil {
			t.Error(err)
		}
	}
	for range 100 {
		var all sync.WaitGroup
		for range 32 {
			all.Go(look)
		}
		all.Wait()
	}
	if n := p.store.OpenViews(p.tree.TreeId); n == 0 {
		t.Fatal("no transaction is open: the test tests nothing")
	}
	for i := range 2 {
		testmust.Do(t, p.add(&badgerstore.Batch{}, entry(i)))
	}
	if n := p.store.OpenViews(p.tree.TreeId); n != 0 {
		t.Errorf("%d transactions are open, and nobody has looked anything up since the last commit but one", n)
	}
}
