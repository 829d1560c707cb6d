// Command start measures how long a server takes to start on a large log, which
// command fill makes, and how much memory it has then.
//
//	go run -C internal/trials/load ./start DIR
//
// It builds pakli and starts it as a separate process, since the peak memory of a process never
// decreases. Before that it asks the system to drop the log's files from its cache. Memory is what
// Linux reports for the process.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pakli/pakli/internal/trials/load/serving"
)

// Figures is the output.
type Figures struct {
	Entries   uint64  `json:"entries"`
	Tables    float64 `json:"tables"`
	StoreMB   int64   `json:"store_mb"`
	Ready     float64 `json:"ready_s"`          // from the start of the process to answering
	Peak      int     `json:"peak_resident_mb"` // including mapped pages of the store
	Anonymous int     `json:"memory_mb"`        // without mapped pages, when it is ready
	Mapped    int     `json:"mapped_mb"`        // pages of the store, when it is ready
	Heap      float64 `json:"heap_in_use_mb"`   // of Go, when it is ready
}

func main() {
	warm := flag.Bool("warm", false, "leave the files in the system's cache")
	server := flag.String("server", "", "program of the server to measure, such as an earlier one (default: it is built)")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: start [flags] DIR")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	figures, err := run(ctx, *server, flag.Arg(0), !*warm)
	if err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "\t")
	if err := out.Encode(figures); err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

// run starts program, or builds it if program is empty, on the log in dir.
func run(ctx context.Context, program, dir string, cold bool) (f Figures, err error) {
	if program == "" {
		temporary, err := os.MkdirTemp("", "pakli-start")
		if err != nil {
			return f, err
		}
		defer os.RemoveAll(temporary)
		if program, err = serving.Build(ctx, temporary); err != nil {
			return f, err
		}
	}
	if f.StoreMB, err = visitFiles(dir, cold); err != nil {
		return f, err
	}
	begin := time.Now()
	s, err := serving.Start([]string{program}, dir, "--operator-addr", "127.0.0.1:0")
	if err != nil {
		return f, err
	}
	f.Ready = time.Since(begin).Seconds()
	f.memory(s.PID())
	err = f.ask(s.URL, dir)
	return f, errors.Join(err, s.Stop())
}

// visitFiles counts the MB in dir and, if cold is set, asks the system to forget them.
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

// memory reads what the system reports about a process.
func (f *Figures) memory(pid int) {
	kb := map[string]int{}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // Linux only
	for line := range strings.SplitSeq(string(status), "\n") {
		name, value, _ := strings.Cut(line, ":")
		var n int
		if _, err := fmt.Sscanf(value, "%d kB", &n); err == nil {
			kb[name] = n
		}
	}
	f.Peak, f.Anonymous, f.Mapped = kb["VmHWM"]>>10, kb["RssAnon"]>>10, kb["RssFile"]>>10
}

// ask asks the server and its operator's page for figures.
func (f *Figures) ask(url, dir string) error {
	checkpoint, err := get(url + "/checkpoint")
	if err != nil {
		return err
	}
	if _, err := fmt.Fscanf(bytes.NewReader(checkpoint), "%s\n%d\n", new(string), &f.Entries); err != nil {
		return fmt.Errorf("the checkpoint: %w", err)
	}
	operator, err := os.ReadFile(filepath.Join(dir, "operator-url"))
	if err != nil {
		return err
	}
	metrics, err := get(strings.TrimSpace(string(operator)) + "/metrics")
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(string(metrics), "\n") {
		fmt.Sscanf(line, "pakli_tables %g", &f.Tables)
		fmt.Sscanf(line, "go_memstats_heap_inuse_bytes %g", &f.Heap)
	}
	f.Heap /= 1 << 20
	return nil
}

func get(url string) ([]byte, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return io.ReadAll(resp.Body)
}
