package badgerstore_test

import (
	"testing"

	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
)

// A store that ledgers cannot rely on.
func TestStoreOfLedgers(t *testing.T) {
	ledgertest.RunStore(t, badgerstore.Options{MemTableSize: 1 << 20, MinFree: 1})
}
