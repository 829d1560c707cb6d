// Package copies makes copies of logs and tables: mirrors, backups that can be restored, and bundles.
package copies

import (
	"crypto/sha256"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/protocol/wire"
)

// keyFile has the public verifier key of a log in its directory.
const keyFile = "log.vkey"

// PublishKey makes sure that the public key is in its file.
func PublishKey(data string, key ledger.Key) error {
	path, want := filepath.Join(data, keyFile), key.Public+"\n"
	if text, err := durable.ReadFile(path, int64(len(want))); err == nil && string(text) == want {
		return nil
	}
	return durable.Replace(path, []byte(want), 0o644)
}

// OwnKeys returns options to open the log in data and the verifiers of its keys.
func OwnKeys(data string) (ledger.Options, []note.Verifier, error) {
	key, also, err := ledger.LoadKeys(data)
	o, keys := ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}, []note.Verifier{key.Verifier}
	for _, k := range also {
		o.Also, keys = append(o.Also, k.Signer), append(keys, k.Verifier)
	}
	return o, keys, err
}

// BlobsOf returns the hashes of the blobs that an entry names.
func BlobsOf(entry []byte) [][sha256.Size]byte {
	e, err := wire.ParseEntry(entry)
	if err != nil || e.Message == nil {
		return nil
	}
	var hashes [][sha256.Size]byte
	for _, b := range e.Message.Blobs() {
		hashes = append(hashes, b.Hash)
	}
	return hashes
}
