package badgerstore

import (
	"errors"
	"os"
	"sync"
	"time"
)

// A syncedDirectory syncs Badger's directory after files were added or removed.
//
// Badger syncs what it writes into a file, but not the directory in which it creates a write-ahead
// log or table: POSIX would let the whole file vanish in a power cut. A sync after every commit costs
// about 0.2 ms. So the directory's modification time is checked first: it changes with every file
// that is created, renamed or removed.
type syncedDirectory struct {
	f    *os.File
	stop chan struct{}
	done chan struct{}

	mu     sync.Mutex
	synced time.Time // modification time up to which the directory is on disk
}

// timestampSlack is well above the granularity of modification times (a tick of the kernel, up to 10
// ms). A file created in the same tick as a synced one does not change the time, so a recent
// modification time is not trusted.
const timestampSlack = 100 * time.Millisecond

// watchDirectory begins to sync dir every second, for the tables that Badger writes in the
// background, and calls fail with errors.
func watchDirectory(dir string, fail func(error) error) (*syncedDirectory, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	d := &syncedDirectory{f: f, stop: make(chan struct{}), done: make(chan struct{})}
	if err := d.syncFiles(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	go d.watchFiles(fail)
	return d, nil
}

func (d *syncedDirectory) watchFiles(fail func(error) error) {
	defer close(d.done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
			if err := d.syncFiles(); err != nil {
				fail(err)
				return
			}
		}
	}
}

// syncFiles returns once every file that is in the directory now would survive a power cut.
func (d *syncedDirectory) syncFiles() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	info, err := d.f.Stat()
	if err != nil {
		return err
	}
	if info.ModTime().Equal(d.synced) {
		return nil
	}
	age := time.Since(info.ModTime()) // before the sync, which may take long
	if err := d.f.Sync(); err != nil {
		return err
	}
	if age > timestampSlack {
		d.synced = info.ModTime()
	}
	return nil
}

// close syncs a last time.
func (d *syncedDirectory) close() error {
	close(d.stop)
	<-d.done
	return errors.Join(d.syncFiles(), d.f.Close())
}
