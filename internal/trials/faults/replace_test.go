//go:build linux

package faults_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/faults/lossyfs"
)

// content is a file of one letter: half of one, or two mixed, would show.
func content(n int) []byte { return bytes.Repeat([]byte{byte('a' + n%2)}, 100_000+10_000*(n%2)) }

// replaceCut replaces a file often, cuts the power, and returns the number of
// the last replacement that has returned, and what the disk has then. A
// replacement is under way when the power goes if during says so.
func replaceCut(t *testing.T, strict, during bool, random *rand.Rand) (last int, got []byte) {
	t.Helper()
	needMount(t)
	lossy := testmust.Have(lossyfs.New(t.TempDir(), strict))(t)
	dir, unmount := mount(t, lossy)
	defer unmount()
	path := filepath.Join(dir, "file")
	for last = range 3 {
		testmust.Do(t, durable.Replace(path, content(last), 0o600))
	}
	if during {
		ended := make(chan struct{})
		started := make(chan struct{})
		go func() {
			close(started)
			for n := last + 1; durable.Replace(path, content(n), 0o600) == nil; n++ {
			}
			close(ended)
		}()
		<-started
		for range random.IntN(400) {
			os.Lstat(path) // takes some time
		}
		lossy.Cut()
		<-ended
	}
	lossy.Cut()
	after := t.TempDir()
	testmust.Have(lossy.WriteAfterCut(after, random))(t)
	got = testmust.Have(os.ReadFile(filepath.Join(after, "file")))(t)
	return last, got
}

// A file whose bytes or whose name were not synced when Replace returned, on a
// disk that keeps nothing else: as POSIX has it, and as journals have it.
func TestReplaceBeforePowerCut(t *testing.T) {
	for _, strict := range []bool{false, true} {
		last, got := replaceCut(t, strict, false, nil)
		if string(got) != string(content(last)) {
			t.Errorf("strict %v: %d bytes that begin with %.1q, want %.1q", strict, len(got), got, content(last))
		}
	}
}

// A name that is on disk before its bytes are, when the power goes in between.
func TestReplaceDuringPowerCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		for _, strict := range []bool{false, true} {
			if _, got := replaceCut(t, strict, true, random); !bytes.Equal(got, content(0)) && !bytes.Equal(got, content(1)) {
				t.Fatalf("strict %v: %d bytes, neither the old file nor the new one", strict, len(got))
			}
		}
	}
}
