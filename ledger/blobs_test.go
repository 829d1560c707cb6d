package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

func blobOf(b byte) ([]byte, [32]byte) {
	blob := bytes.Repeat([]byte{b}, 70_000)
	return blob, sha256.Sum256(blob)
}

// A blob that was put is there, also after the log was closed, and put twice or
// by many at once it is one file and no leftovers.
func TestBlobs(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	blob, hash := blobOf(1)
	testmust.FailBy(t, testmust.ErrorOf(l.Blob(t.Context(), hash)), tlog.ErrNoBlob, "before it was put")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := l.PutBlob(t.Context(), blob); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	closeLog(t, l)
	l = open(t, dir, key)
	if got, err := l.Blob(t.Context(), hash); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("after reopening: %d bytes, %v", len(got), err)
	}
	files, err := os.ReadDir(filepath.Join(dir, "blobs"))
	if err != nil || len(files) != 1 || files[0].Name() != hex.EncodeToString(hash[:]) {
		t.Errorf("files %v (%v), want one", files, err)
	}
	err = l.PutBlob(t.Context(), make([]byte, tlog.MaxBlob+1))
	testmust.FailBy(t, err, tlog.ErrTooLarge, "a blob over the limit")
	closeLog(t, l)
	testmust.FailBy(t, l.PutBlob(t.Context(), blob), ledger.ErrClosed, "after closing")
}

// A damaged file is not served, and putting the blob again mends it.
func TestBlobDamaged(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	blob, hash := blobOf(2)
	testmust.Do(t, l.PutBlob(t.Context(), blob))
	path := filepath.Join(dir, "blobs", hex.EncodeToString(hash[:]))
	for _, damaged := range [][]byte{nil, blob[1:], append(bytes.Clone(blob[1:]), 9)} {
		testmust.Do(t, os.WriteFile(path, damaged, 0o600))
		if got, err := l.Blob(t.Context(), hash); err == nil || errors.Is(err, tlog.ErrNoBlob) {
			t.Errorf("%d damaged bytes: got %d bytes, %v", len(damaged), len(got), err)
		}
		testmust.Do(t, l.PutBlob(t.Context(), blob))
		if got, err := l.Blob(t.Context(), hash); err != nil || !bytes.Equal(got, blob) {
			t.Errorf("put again: %d bytes, %v", len(got), err)
		}
	}
}

// What a crash leaves of a blob that was being written is no blob.
func TestBlobTorn(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	blob, hash := blobOf(3)
	path := filepath.Join(dir, "blobs", hex.EncodeToString(hash[:]))
	testmust.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	torn := path + ".part-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	testmust.Do(t, os.WriteFile(torn, blob[:100], 0o600))
	testmust.FailBy(t, testmust.ErrorOf(l.Blob(t.Context(), hash)), tlog.ErrNoBlob, "half a blob")
	testmust.Do(t, l.PutBlob(t.Context(), blob))
	if got, err := l.Blob(t.Context(), hash); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("put after a crash: %d bytes, %v", len(got), err)
	}
	testmust.Do(t, l.Close())
	open(t, dir, key)
	testmust.FailBy(t, testmust.ErrorOf(os.Lstat(torn)), fs.ErrNotExist, "half a blob is still there")
}
