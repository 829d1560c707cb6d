//go:build linux

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
)

// minFreeEnv is the guard's threshold in a child; 0 is the log's own choice.
const minFreeEnv = "PAKLI_FAULTS_MIN_FREE"

// A disk is a file system of its own, on a loop device.
type disk struct {
	t     *testing.T
	image string
	at    string
}

// newDisk makes a file system of ext4 on an image and mounts it.
func newDisk(t *testing.T, size int64) *disk {
	t.Helper()
	need(t, "mkfs.ext4", "-V")
	d := &disk{t: t, image: filepath.Join(t.TempDir(), "image")}
	testmust.Do(t, os.WriteFile(d.image, nil, 0o600))
	testmust.Do(t, os.Truncate(d.image, size))
	format(t, d.image)
	d.mount(d.image)
	return d
}

func format(t *testing.T, image string) {
	t.Helper()
	out, err := exec.Command("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", image).CombinedOutput()
	testmust.Requiref(t, err == nil, "mkfs: %v %s", err, out)
}

// mount mounts an image until the test ends or it is unmounted.
func (d *disk) mount(image string) {
	d.t.Helper()
	d.at = d.t.TempDir()
	if out, err := exec.Command("mount", "-o", "loop", image, d.at).CombinedOutput(); err != nil {
		d.t.Skipf("NOT RUN: cannot mount a loop device here: %v %s", err, out)
	}
	d.t.Cleanup(func() { exec.Command("umount", "-l", d.at).Run() })
}

func (d *disk) unmount() {
	d.t.Helper()
	out, err := exec.Command("umount", d.at).CombinedOutput()
	testmust.Requiref(d.t, err == nil, "umount: %v %s", err, out)
}

// TestDiskFull fills small disks through the log. With the guard, the log stops
// taking entries before the disk is full and everything can be read; without
// it, the process dies in the middle, and once the ballast is removed everything
// is there. The long form is
//
//	PAKLI_FULL_DISKS=20 go test -C internal/trials/faults -run TestDiskFull -timeout 1h -v
func TestDiskFull(t *testing.T) {
	needMount(t)
	disks := envInt(t, "PAKLI_FULL_DISKS", 1)
	for _, guard := range []bool{true, false} {
		t.Run(fmt.Sprintf("guard=%v", guard), func(t *testing.T) {
			w := &witness{t: t}
			ends := make(map[string]int)
			for i := range disks {
				size := int64(112+rand.IntN(36*(i%8+1))) << 20
				ends[fillDisk(t, w, size, guard)]++
			}
			w.figures("%d disks of 112 to 400 MiB full: %v", disks, ends)
		})
	}
}

// TestReserve fills a disk to the last block behind the back of a store that has just
// been asked for room: what it then takes, as far as a memory table goes, must not kill it,
// nor must the table that is written when it is closed.
func TestReserve(t *testing.T) {
	needMount(t)
	d := newDisk(t, 64<<20)
	defer d.unmount()
	_, stderr, err := run(t, child(t, "reserve", filepath.Join(d.at, "store")), 0, nil)
	testmust.Holdf(t, err == nil, "%v\n%.1000s", err, stderr)
}

// reserveBatches of reserveBytes fit into a memory table.
const (
	reserveBatches = 20
	reserveBytes   = 60_000
)

func reserve(dir string) error {
	o := small
	o.MemTableSize = 4 << 20 // which the batches do not fill
	if err := o.CreateStore(dir); err != nil {
		return err
	}
	s, err := o.OpenStore(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if _, _, err := s.Space(); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "..", "filler"))
	if err != nil {
		return err
	}
	for size, piece := int64(0), int64(1<<26); piece >= 4096; {
		if unix.Fallocate(int(f.Fd()), 0, size, piece) == nil {
			size += piece
		} else {
			piece /= 2
		}
	}
	none := ledger.Commit{Before: func(uint64, []byte) error { return nil }, After: func() error { return nil }}
	for i := range reserveBatches {
		if err := s.Add([][]byte{append(fmt.Appendf(nil, "entry %d ", i), make([]byte, reserveBytes)...)}, none); err != nil {
			return err
		}
	}
	if free, needed, err := s.Space(); err != nil || free >= needed {
		return fmt.Errorf("%d bytes free, %d needed: %w", free, needed, err)
	}
	return s.Close()
}

// ballast has to be enough for a store with small to open on a full disk, and to
// write what it has in memory.
const ballast = 48 << 20

// fillDisk runs a child until it cannot go on, and returns how it ended.
func fillDisk(t *testing.T, w *witness, size int64, guard bool) string {
	d := newDisk(t, size)
	defer d.unmount()
	dir := filepath.Join(d.at, "log")
	w.restart(create(t, dir))
	l, _, err := openLog(dir, badgerstore.Options{Ballast: ballast})
	testmust.Do(t, err)
	testmust.Do(t, l.Close())
	cmd := child(t, "big", dir)
	if !guard {
		cmd.Env = append(cmd.Env, minFreeEnv+"=1")
	} else {
		cmd.Env = append(cmd.Env, minFreeEnv+"=0")
	}
	lines, stderr, err := run(t, cmd, 0, nil)
	testmust.Fail(t, err, "the disk is not full")
	w.record(lines)
	if guard {
		testmust.Requiref(t, strings.Contains(stderr, "disk nearly full") && !strings.Contains(stderr, "SIGBUS"),
			"with the guard on a disk of %d MiB: %v\n%.1000s", size>>20, err, stderr)
		wantReadOnly(t, dir)
	} else if err := os.Remove(filepath.Join(dir, "store", "ballast")); err != nil {
		t.Fatal(err)
	}
	w.audit(dir)
	if !guard {
		goesOn(t, dir)
	}
	switch {
	case strings.Contains(stderr, "SIGBUS"):
		return "died of SIGBUS, recovered"
	case strings.Contains(stderr, "disk nearly full"):
		return "read-only"
	}
	return "stopped, recovered"
}

// wantReadOnly checks that a log says whether it has too little room, and can be
// read.
func wantReadOnly(t *testing.T, dir string) {
	t.Helper()
	l, _, err := openLog(dir, badgerstore.Options{})
	testmust.Do(t, err)
	defer l.Close()
	h := l.Health() // opening may have made room
	if _, err := l.Append(context.Background(), []byte("one more")); errors.Is(err, tlog.ErrReadOnly) != (h.Free < h.Needed) {
		t.Errorf("with %d MiB free, %d MiB needed: %v", h.Free>>20, h.Needed>>20, err)
	}
	for _, err := range l.Entries(t.Context(), 0, 1) {
		testmust.Do(t, err, "reading on a full disk")
	}
}

// What a soak asks of the log every second, and what it may take.
const (
	soakWrites     = 1_000
	soakReads      = 500
	soakGoroutines = 20                // more than at first
	soakMemory     = 1_500 * (1 << 20) // bytes, not counting mapped files
)

// TestSoak lets a log run for a while with the same load, and looks at what it
// holds: goroutines do not grow, memory stays bounded, and in the end every entry
// is there. The long form is
//
//	PAKLI_SOAK=2h GOMEMLIMIT=1GiB go test -C internal/trials/faults -run TestSoak -timeout 3h -v
func TestSoak(t *testing.T) {
	duration := 3 * time.Second
	if s := os.Getenv("PAKLI_SOAK"); s != "" {
		duration = testmust.Have(time.ParseDuration(s))(t)
	}
	dir := filepath.Join(t.TempDir(), "log")
	w := newWitness(t, create(t, dir))
	l, _, err := openLog(dir, badgerstore.Options{MinFree: 1})
	testmust.Do(t, err)
	defer l.Close()
	var s soak
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	s.every(ctx, soakWrites, func(i int) error {
		entry := append(fmt.Appendf(nil, "entry %d ", i), make([]byte, rand.IntN(1000))...)
		begun := time.Now()
		r, err := l.Append(context.Background(), entry)
		s.took(time.Since(begun), int(r.Index)+1)
		return err
	})
	s.every(ctx, soakReads, func(int) error {
		size := s.largest()
		if size == 0 {
			return nil
		}
		_, err := l.Inclusion(context.Background(), rand.Uint64N(uint64(size)), uint64(size))
		return err
	})
	time.Sleep(duration / 3)
	runtime.GC()
	goroutines, memory := runtime.NumGoroutine(), anonymous(t)
	<-ctx.Done()
	s.group.Wait()
	runtime.GC()
	testmust.Require(t, s.err == nil, s.err)
	now := runtime.NumGoroutine()
	testmust.Holdf(t, now <= goroutines+soakGoroutines, "%d goroutines, %d after a third of the time", now, goroutines)
	after := anonymous(t)
	testmust.Holdf(t, after <= soakMemory, "%d MiB of memory", after>>20)
	testmust.Do(t, w.check(l))
	c, err := l.Checkpoint(t.Context())
	testmust.Holdf(t, err == nil && int(c.Size) == s.size, "%d entries, acknowledged %d, %v", c.Size, s.size, err)
	slices.Sort(s.times)
	w.total = len(s.times)
	w.figures("%v with %d writes and %d reads a second: goroutines %d, then %d; memory %d MiB, then %d MiB; receipts p50 %v, p99 %v, max %v",
		duration, soakWrites, soakReads, goroutines, runtime.NumGoroutine(), memory>>20, after>>20,
		s.times[len(s.times)/2], s.times[len(s.times)*99/100], s.times[len(s.times)-1])
}

// A soak is the load and what it has seen.
type soak struct {
	group sync.WaitGroup

	mu    sync.Mutex
	times []time.Duration
	size  int
	err   error
}

// every calls f so many times a second from several goroutines, until ctx ends.
func (s *soak) every(ctx context.Context, perSecond int, f func(i int) error) {
	const clients = 10
	for c := range clients {
		s.group.Go(func() {
			tick := time.NewTicker(time.Second * clients / time.Duration(perSecond))
			defer tick.Stop()
			for i := c; ; i += clients {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if err := f(i); err != nil {
					s.mu.Lock()
					s.err = err
					s.mu.Unlock()
					return
				}
			}
		})
	}
}

func (s *soak) took(d time.Duration, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times, s.size = append(s.times, d), max(s.size, size)
}

func (s *soak) largest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// anonymous returns the bytes of memory of this process that are no mapped file.
func anonymous(t *testing.T) (bytes int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	_, line, _ := strings.Cut(string(status), "RssAnon:")
	testmust.Have(fmt.Sscanf(line, "%d kB", &bytes))(t)
	return bytes << 10
}
