package ledger_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/ledgertest"
)

// A process that is killed while it makes its first log must not leave a directory in
// which none ever starts. What each kill leaves is made here of a whole log: a part of
// it where it is made, or all of it on the way to its place.
func TestInterruptedBegin(t *testing.T) {
	for name, leave := range map[string]func(dir, log string){
		"nothing": func(dir, log string) {},
		"a key":   func(dir, log string) { move(t, log, filepath.Join(dir, "making"), "log.key") },
		"a store": func(dir, log string) { move(t, log, filepath.Join(dir, "making"), "log.key", "store") },
		"whole":   func(dir, log string) { move(t, log, filepath.Join(dir, "made")) },
		"moving":  func(dir, log string) { move(t, log, dir, "store"); move(t, log, filepath.Join(dir, "made")) },
		"unmarked": func(dir, log string) {
			move(t, log, dir, "store", "promise", "log.key")
			move(t, log, filepath.Join(dir, "made"))
		},
		"moved": func(dir, log string) { move(t, log, dir); move(t, log, filepath.Join(dir, "made")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, log := t.TempDir(), t.TempDir()
			testmust.Have(ledger.Begin(log, origin, small, rand.Reader))(t)
			leave(dir, log)
			key := testmust.Have(ledger.Begin(dir, origin, small, rand.Reader))(t)
			ledgertest.CheckLog(t, open(t, dir, key), key.Verifier)
			for _, left := range []string{"making", "made"} {
				if _, err := os.Stat(filepath.Join(dir, left)); err == nil {
					t.Errorf("%s is left", left)
				}
			}
		})
	}
}

// move moves files, all if none are named.
func move(t *testing.T, from, to string, names ...string) {
	t.Helper()
	testmust.Do(t, os.MkdirAll(to, 0o700))
	if names == nil {
		files := testmust.Have(os.ReadDir(from))(t)
		for _, f := range files {
			names = append(names, f.Name())
		}
	}
	for _, name := range names {
		testmust.Do(t, os.Rename(filepath.Join(from, name), filepath.Join(to, name)))
	}
}

// A directory with a key and a store and nothing else may be a log that has lost its
// promise: nothing may be begun over it, and the message has to lead out.
func TestBeginOverKeyOnly(t *testing.T) {
	dir, _ := create(t)
	for _, name := range []string{"pakli-ledger", "promise"} {
		testmust.Do(t, os.Remove(filepath.Join(dir, name)))
	}
	key := testmust.Have(ledger.Begin(dir, origin, small, rand.Reader))(t)
	if _, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: small}); err == nil {
		t.Fatal("opened without a promise")
	}
	testmust.Do(t, os.Remove(filepath.Join(dir, "log.key")))
	if _, err := ledger.Begin(dir, origin, small, rand.Reader); err == nil {
		t.Fatal("begun over a store")
	}
	testmust.Do(t, os.RemoveAll(dir)) // as the message says
	testmust.Have(ledger.Begin(dir, origin, small, rand.Reader))(t)
}
