package main

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/remote"
	"github.com/pakli/pakli/ledger/remote/remotetest"
)

// An import whose tree stands still, goes back or is another one ends: it would wait forever. Only what stands still may go on.
func TestImportIntoSpoiltTree(t *testing.T) {
	for name, patience := range map[string]time.Duration{"stands still": 50 * time.Millisecond, "goes back": time.Hour, "is another": time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := remotetest.New()
			at, _ := s.Start(t)
			tree, _, err := remote.Create(t.Context(), "cards.example", true, remote.Servers{Addresses: []string{at}})
			testmust.Do(t, err)
			defer tree.Close()
			var entries []remote.Sequenced
			for i := range 5 {
				entries = append(entries, remote.Sequenced{Index: uint64(i), Entry: fmt.Append(nil, i)})
			}
			testmust.Do(t, tree.Import(t.Context(), entries))
			var heads atomic.Int32
			s.Fault = func(string) error {
				if name == "goes back" && heads.Add(1) == 2 {
					s.Shorten(2)
				}
				return nil
			}
			want := ledger.Promise{Size: 6}
			if name == "is another" {
				want.Size = 5
			}
			if err := settled(t.Context(), tree, want, patience); err == nil || errors.Is(err, errSpoilt) != (name != "stands still") {
				t.Errorf("a tree that %s: %v", name, err)
			}
		})
	}
}
