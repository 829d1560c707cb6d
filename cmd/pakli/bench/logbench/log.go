package logbench

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
)

// NewLog makes a log in dir, with its verifier key in log.vkey, and opens it.
func NewLog(dir string) (*ledger.Ledger, ledger.Key, error) {
	store := badgerstore.Options{}
	key, err := ledger.Begin(dir, "localhost", store, rand.Reader)
	if err != nil {
		return nil, key, err
	}
	l, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: store})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "log.vkey"), []byte(key.Public+"\n"), 0o644)
	}
	return l, key, err
}
