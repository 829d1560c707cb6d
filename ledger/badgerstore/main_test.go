package badgerstore_test

import (
	"flag"
	"io"
	"os"
	"testing"

	"k8s.io/klog/v2"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
)

// Trillian reports its progress on standard error unless told not to.
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

// A store that ledgers cannot rely on.
func TestStoreOfLedgers(t *testing.T) {
	ledgertest.RunStore(t, badgerstore.Options{MemTableSize: 1 << 20, MinFree: 1})
}
