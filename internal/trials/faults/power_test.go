//go:build linux

package faults_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/faults/lossyfs"
)

// needMount skips a test where nothing can be mounted.
func needMount(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: mounting needs root")
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skipf("NOT RUN: no FUSE: %v", err)
	}
}

// mount shows a lossy file system at a new directory.
func mount(t *testing.T, lossy *lossyfs.FS) (dir string, unmount func()) {
	t.Helper()
	dir = t.TempDir()
	server, err := lossy.Mount(dir)
	if err != nil {
		t.Skipf("NOT RUN: cannot mount FUSE here: %v", err)
	}
	return dir, func() {
		testmust.Do(t, server.Unmount(), "unmounting", dir)
	}
}

// powerCut is how a child's disk loses power while it is under load.
type powerCut struct {
	strict bool // names come back as POSIX promises it, not as ext4 does
	torn   bool // any part of what was not synced is there
}

// cycle lets a log run on a disk that loses power, and returns a directory with
// what the disk has then.
func (p powerCut) cycle(t *testing.T, w *witness, dir string, random *rand.Rand) (string, lossyfs.Stats) {
	t.Helper()
	lossy := testmust.Have(lossyfs.New(dir, p.strict))(t)
	mounted, unmount := mount(t, lossy)
	lines, stderr, err := run(t, child(t, "load", mounted), random.IntN(1500), func(p *os.Process) {
		lossy.Cut()
		p.Kill()
	})
	unmount()
	var exit *exec.ExitError
	testmust.Requiref(t, errors.As(err, &exit) && !strings.Contains(stderr, "panic"), "child: %v\n%s", err, stderr)
	w.record(lines)
	after := filepath.Join(t.TempDir(), "after")
	if !p.torn {
		random = nil // lossyfs tears nothing without
	}
	stats := testmust.Have(lossy.WriteAfterCut(after, random))(t)
	return after, stats
}

func (p powerCut) run(t *testing.T, iterations int) {
	needMount(t)
	random := seeded(t)
	dir := filepath.Join(t.TempDir(), "log")
	w := newWitness(t, create(t, dir))
	var sum lossyfs.Stats
	for range iterations {
		after, stats := p.cycle(t, w, dir, random)
		w.promised(after)
		w.audit(after)
		sum.Changes += stats.Changes
		sum.Namings += stats.Namings
		sum.Survived += stats.Survived
		os.RemoveAll(dir)
		dir = after
		if len(w.acked) > tooManyEntries/4 {
			dir = filepath.Join(t.TempDir(), "log")
			w.restart(create(t, dir))
		}
	}
	w.figures("%d power cuts with %d unsynced writes and %d unsynced names (%d torn sectors kept)",
		iterations, sum.Changes, sum.Namings, sum.Survived)
}

// TestPowerCut switches off the power under a log: everything that was not
// synced is gone. The long form is
//
//	PAKLI_POWER_CUTS=300 go test -C internal/trials/faults -run 'TestPowerCut$' -timeout 2h -v
func TestPowerCut(t *testing.T) {
	powerCut{}.run(t, envInt(t, "PAKLI_POWER_CUTS", 3))
}

// TestTornPowerCut keeps any sectors of what was not synced, in any order. The
// long form is
//
//	PAKLI_TORN_POWER_CUTS=300 go test -C internal/trials/faults -run TestTornPowerCut -timeout 2h -v
func TestTornPowerCut(t *testing.T) {
	powerCut{torn: true}.run(t, envInt(t, "PAKLI_TORN_POWER_CUTS", 3))
}

// TestStrictPowerCut keeps only what POSIX promises: a name that is in a
// directory that was not synced is gone, whatever else was synced since.
func TestStrictPowerCut(t *testing.T) {
	powerCut{strict: true}.run(t, envInt(t, "PAKLI_STRICT_POWER_CUTS", 2))
	powerCut{strict: true, torn: true}.run(t, envInt(t, "PAKLI_STRICT_POWER_CUTS", 2))
}

// TestDiskPowerCut puts ext4 on a disk that loses power: what the file system
// has written since its last flush is gone, or there in any part and order, and
// it has to recover from its journal before the log can. The long form is
//
//	PAKLI_DISK_POWER_CUTS=200 go test -C internal/trials/faults -run TestDiskPowerCut -timeout 2h -v
func TestDiskPowerCut(t *testing.T) {
	needMount(t)
	iterations := envInt(t, "PAKLI_DISK_POWER_CUTS", 2)
	random := seeded(t)
	w := &witness{t: t}
	var sum lossyfs.Stats
	for i := range iterations {
		stats := cutDisk(t, w, random, i%2 == 1)
		sum.Changes += stats.Changes
		sum.Syncs += stats.Syncs
		sum.Survived += stats.Survived
	}
	w.figures("%d power cuts under ext4 with %d flushes, %d writes after the last one (%d torn sectors kept)",
		iterations, sum.Syncs, sum.Changes, sum.Survived)
}

// cutDisk runs a log on ext4 on a disk that loses power, and audits what is left.
func cutDisk(t *testing.T, w *witness, random *rand.Rand, torn bool) lossyfs.Stats {
	lossy := lossyfs.Image(96 << 20)
	mounted, unmount := mount(t, lossy)
	image := filepath.Join(mounted, "image")
	format(t, image)
	d := &disk{t: t}
	d.mount(image)
	dir := filepath.Join(d.at, "log")
	w.restart(create(t, dir))
	lines, _, err := run(t, child(t, "load", dir), random.IntN(2000), func(p *os.Process) {
		lossy.Cut()
		p.Kill()
	})
	testmust.Fail(t, err, "the child has ended by itself")
	d.unmount()
	unmount()
	w.record(lines)
	if !torn {
		random = nil
	}
	after := t.TempDir()
	stats := testmust.Have(lossy.WriteAfterCut(after, random))(t)
	d.mount(filepath.Join(after, "image")) // ext4 recovers
	defer d.unmount()
	w.audit(filepath.Join(d.at, "log"))
	return stats
}

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
