//go:build linux

package faults_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/faults/lossyfs"
)

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
