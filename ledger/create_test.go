package ledger_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

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
			if _, err := ledger.Begin(log, origin, small, rand.Reader); err != nil {
				t.Fatal(err)
			}
			leave(dir, log)
			key, err := ledger.Begin(dir, origin, small, rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
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
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	if names == nil {
		files, err := os.ReadDir(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			names = append(names, f.Name())
		}
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// A directory with a key and a store and nothing else may be a log that has lost its
// promise: nothing may be begun over it, and the message has to lead out.
func TestBeginOverKeyOnly(t *testing.T) {
	dir, _ := create(t)
	for _, name := range []string{"pakli-ledger", "promise"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	key, err := ledger.Begin(dir, origin, small, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: small}); err == nil {
		t.Fatal("opened without a promise")
	}
	if err := os.Remove(filepath.Join(dir, "log.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Begin(dir, origin, small, rand.Reader); err == nil {
		t.Fatal("begun over a store")
	}
	if err := os.RemoveAll(dir); err != nil { // as the message says
		t.Fatal(err)
	}
	if _, err := ledger.Begin(dir, origin, small, rand.Reader); err != nil {
		t.Fatal(err)
	}
}
