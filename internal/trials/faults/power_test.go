//go:build linux

package faults_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
