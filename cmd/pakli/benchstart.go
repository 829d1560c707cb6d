package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/pakli/pakli/internal/load"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/protocol/suite"
)

// runBenchFill makes a log for bench start.
func runBenchFill(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("bench fill", "DIR")
	entries := f.Int("entries", 1_000_000, "entries, signed by their seats")
	tables := f.Int("tables", 10_000, "tables that they are of")
	size := f.Int("bytes", 1024, "size of the entry of a move")
	clients := f.Int("clients", 500, "clients who append; each has as many tables, which take turns")
	if err := parse(f, args, 1); err != nil {
		return exitUsage, err
	}
	if *clients < 1 || *tables < *clients || *entries < 3**tables {
		return exitUsage, wrongUsage("a client needs a table at least, and a table three entries")
	}
	l, _, err := newLog(f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	start := time.Now()
	err = fill(ctx, l, *clients, *tables, *entries, *size)
	if err = errors.Join(err, l.Close()); err == nil {
		fmt.Fprintf(e.out, "%d entries in %.0f s\n", *entries, time.Since(start).Seconds())
	}
	return exitDone, err
}

// fill appends the entries of tables that play at the same time.
func fill(ctx context.Context, l *ledger.Ledger, clients, tables, entries, size int) error {
	s, _ := suite.Lookup(suite.Default)
	organiser, err := load.NewOrganiser(s)
	if err != nil {
		return err
	}
	list := make([]load.Client, clients)
	for i := range list {
		mine := part(tables, clients, i)
		list[i] = filler(organiser, l, mine, part(entries, clients, i), size)
	}
	_, err = load.Run(ctx, list, 24*time.Hour)
	return err
}

// part is the i-th of n nearly equal parts of a whole.
func part(whole, n, i int) int { return whole*(i+1)/n - whole*i/n }

// filler appends so many entries of its tables, one of each in turn.
func filler(o *load.Organiser, l *ledger.Ledger, tables, entries, size int) load.Client {
	list := make([]*load.Table, 0, tables)
	n := 0
	return func(ctx context.Context) (bool, error) {
		if n == entries {
			return false, nil
		}
		entry, err := nextOf(o, &list, tables, n, size)
		if err == nil {
			_, err = l.Append(ctx, entry)
		}
		n++
		return true, err
	}
}

// nextOf returns the n-th entry of so many tables.
func nextOf(o *load.Organiser, list *[]*load.Table, tables, n, size int) ([]byte, error) {
	if n < tables {
		t, err := o.Table(size)
		if err != nil {
			return nil, err
		}
		*list = append(*list, t)
		return t.Genesis, nil
	}
	t := (*list)[n%tables]
	if round := n / tables; round <= len(t.Keys) {
		return t.Keys[round-1], nil
	}
	return t.Move()
}

// startFigures is what bench start prints.
type startFigures struct {
	Entries   uint64  `json:"entries"`
	Tables    int     `json:"tables"`
	StoreMB   int64   `json:"store_mb"`
	Ready     float64 `json:"ready_s"`          // from nothing open to answering
	Peak      int     `json:"peak_resident_mb"` // with what is mapped of the store
	Anonymous int     `json:"memory_mb"`        // without, when it is ready
	Mapped    int     `json:"mapped_mb"`        // pages of the store, when it is ready
	Collected uint64  `json:"heap_in_use_mb"`   // after a garbage collection
}

// runBenchStart starts a server as pakli serve does. A process of its own is
// needed, because the most memory that a process had is never less again.
func runBenchStart(_ context.Context, e env, args []string) (int, error) {
	f := e.flags("bench start", "DIR")
	warm := f.Bool("warm", false, "leave the files in the system's cache")
	if err := parse(f, args, 1); err != nil {
		return exitUsage, err
	}
	var figures startFigures
	var err error
	if figures.StoreMB, err = visitFiles(f.Arg(0), !*warm); err != nil {
		return exitFail, err
	}
	o := serverOptions{data: f.Arg(0), listen: "127.0.0.1:0", operator: operatorOptions{address: noAddress}}
	begin := time.Now()
	s, err := startServer(o, e)
	if err != nil {
		return exitFail, err
	}
	figures.Ready = time.Since(begin).Seconds()
	figures.Tables, _ = s.tables.Count()
	c, err := s.log.Checkpoint(context.Background())
	figures.Entries = c.Size
	figures.memory()
	if err := errors.Join(err, s.stop()); err != nil {
		return exitFail, err
	}
	out := json.NewEncoder(e.out)
	out.SetIndent("", "\t")
	return exitDone, out.Encode(figures)
}

// visitFiles counts the MB in dir and, if cold, tells the system to forget them.
func visitFiles(dir string, cold bool) (mb int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		mb += info.Sys().(*syscall.Stat_t).Blocks
		if !cold {
			return nil
		}
		return forget(file)
	})
	return mb * 512 >> 20, err
}

// memory reads what the system says of this process.
func (f *startFigures) memory() {
	read := func() map[string]int {
		kb := map[string]int{}
		status, _ := os.ReadFile("/proc/self/status")
		for line := range strings.SplitSeq(string(status), "\n") {
			name, value, _ := strings.Cut(line, ":")
			var n int
			if _, err := fmt.Sscanf(value, "%d kB", &n); err == nil {
				kb[name] = n
			}
		}
		return kb
	}
	kb := read()
	f.Peak, f.Anonymous, f.Mapped = kb["VmHWM"]>>10, kb["RssAnon"]>>10, kb["RssFile"]>>10
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f.Collected = m.HeapInuse >> 20
}
