package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// A nearly full disk stops appending, of entries and blobs, not reading, and is over when there is
// room again.
func TestDiskFull(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 5)
	blob, hash := blobOf(4)
	testmust.Do(t, l.PutBlob(t.Context(), blob))
	closeLog(t, l)
	l = testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{MinFree: 1 << 62}}))(t)
	other, _ := blobOf(5)
	testmust.FailBy(t, l.PutBlob(t.Context(), other), tlog.ErrReadOnly, "a blob on a full disk")
	if got, err := l.Blob(t.Context(), hash); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("an old blob on a full disk: %d bytes, %v", len(got), err)
	}
	_, err := l.Append(t.Context(), ledgertest.Entry(9))
	testmust.FailBy(t, err, tlog.ErrReadOnly, "Append on a full disk")
	if r, err := l.Append(t.Context(), ledgertest.Entry(2)); err != nil || r.Index != 2 {
		t.Errorf("an old entry on a full disk: %d, %v; want its receipt", r.Index, err)
	}
	ledgertest.CheckLog(t, l, key.Verifier)
	testmust.Do(t, l.Err(), "the log has failed")
	closeLog(t, l)
	fill(t, open(t, dir, key), 5, 7)
}

// A full queue answers at once, and the log goes on.
func TestBusy(t *testing.T) {
	dir, key := create(t)
	l := testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}, Queue: 4}))(t)
	defer l.Close()
	results := make(chan error)
	const clients = 200
	for i := range clients {
		go func() {
			_, err := l.Append(context.Background(), ledgertest.Entry(i))
			results <- err
		}()
	}
	busy := 0
	for range clients {
		switch err := <-results; {
		case errors.Is(err, tlog.ErrBusy):
			busy++
		case err != nil:
			t.Fatal(err)
		}
	}
	c := ledgertest.CheckLog(t, l, key.Verifier)
	if busy == 0 || int(c.Size) != clients-busy {
		t.Errorf("%d of %d refused, size %d", busy, clients, c.Size)
	}
}

// A table of the store that is lost looks like one that Badger has given up. The
// log notices that entries are missing, and refuses, again and again.
func TestLostTable(t *testing.T) {
	for lost := range 3 {
		dir, key := create(t)
		for i := range 3 {
			l := open(t, dir, key)
			fill(t, l, 4*i, 4*i+4)
			closeLog(t, l) // writes a table
		}
		tables, err := filepath.Glob(filepath.Join(dir, "store", "*.sst"))
		if err != nil || len(tables) < 3 {
			t.Fatalf("tables %v, %v", tables, err)
		}
		testmust.Do(t, os.Remove(tables[lost]))
		for range 2 {
			if attempt(dir, key) == nil {
				t.Errorf("without table %d of %d the log opened", lost, len(tables))
			}
		}
	}
}
