package ledgertest_test

import (
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

func TestMemory(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) (tlog.Log, note.Verifier) {
		m, key, err := ledgertest.NewMemory("example.com/memory")
		testmust.Do(t, err)
		return m, key
	})
}

// A seam that only one store fits: ledgers run over one without Trillian or Badger.
func TestStoresInMemory(t *testing.T) { ledgertest.RunStore(t, new(ledgertest.Stores)) }
