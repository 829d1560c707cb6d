package cluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/cluster"
	"github.com/pakli/pakli/ledger/cluster/clustertest"
)

// A log is left half made because its database's name may send the password in the clear.
func TestDatabaseIsLookedAtFirst(t *testing.T) {
	t.Setenv("PGSSLMODE", "")
	first, _ := clustertest.New().Start(t)
	data := t.TempDir()
	o := Options{Trillian: first, Register: "file:" + t.TempDir(), Database: "postgresql://trillian@db-1,db-2/trillian"}
	for name, do := range map[string]func() error{
		"create": func() error { _, err := CreateLog(t.Context(), o, data, "first.example"); return err },
		"import": func() error {
			_, _, err := importLog(t.Context(), command.Env{Out: io.Discard, Err: io.Discard}, o, data)
			return err
		},
	} {
		testmust.FailSaying(t, do(), "sslmode=verify-full", name)
	}
	left, err := os.ReadDir(data)
	testmust.Holdf(t, err == nil && len(left) == 0, "left: %v, %v", left, err)
}

// An import into a tree that stands still, goes back or is another one must end instead of waiting
// for ever. Only a tree that stands still may continue.
func TestImportIntoSpoiltTree(t *testing.T) {
	for name, patience := range map[string]time.Duration{"stands still": 50 * time.Millisecond, "goes back": time.Hour, "is another": time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := clustertest.New()
			at, _ := s.Start(t)
			tree, _, err := cluster.CreateTree(t.Context(), "cards.example", true, cluster.Servers{Addresses: []string{at}})
			testmust.Do(t, err)
			defer tree.Close()
			var entries []cluster.SequencedEntry
			for i := range 5 {
				entries = append(entries, cluster.SequencedEntry{Index: uint64(i), Entry: fmt.Append(nil, i)})
			}
			testmust.Do(t, tree.Import(t.Context(), entries))
			var heads atomic.Int32
			s.Fault = func(string) error {
				if name == "goes back" && heads.Add(1) == 2 {
					s.DropLast(2)
				}
				return nil
			}
			want := ledger.Promise{Size: 6}
			if name == "is another" {
				want.Size = 5
			}
			err = awaitIntegrated(t.Context(), tree, want, patience)
			testmust.Holdf(t, err != nil && errors.Is(err, errSpoilt) == (name != "stands still"), "a tree that %s: %v", name, err)
		})
	}
}
