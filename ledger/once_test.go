package ledger_test

import (
	"fmt"
	"sync"
	"testing"
)

// The same bytes from several clients at nearly the same time, while the log
// cuts back what it remembers: an entry that is still being committed when its
// copy comes must not get a second index.
func TestOnceOnlyWhileForgetting(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	l.KeepFew()
	const entries, copies = 1_000, 3
	indexes := make([][copies]uint64, entries)
	var group sync.WaitGroup
	slots := make(chan struct{}, 96)
	for i := range entries {
		for c := range copies {
			slots <- struct{}{}
			group.Go(func() {
				r, err := l.Append(t.Context(), fmt.Appendf(nil, "entry %d", i))
				if err != nil {
					t.Error(err)
				}
				indexes[i][c] = r.Index
				<-slots
			})
		}
	}
	group.Wait()
	for i, at := range indexes {
		if at != [copies]uint64{at[0], at[0], at[0]} {
			t.Fatalf("entry %d has indexes %v", i, at)
		}
	}
	if c, err := l.Checkpoint(t.Context()); err != nil || c.Size != entries {
		t.Errorf("%d entries in the log, want %d (%v)", c.Size, entries, err)
	}
}
