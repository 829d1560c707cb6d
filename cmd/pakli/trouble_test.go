package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A serving is pakli serve as a process of its own.
type serving struct {
	*exec.Cmd
	stderr locked
	url    string // "": it has ended without one
	ended  chan error
}

// serve starts pakli serve and waits until it answers, or has ended. wrap is a command
// that runs it.
func serve(t *testing.T, data string, wrap []string, flags ...string) *serving {
	t.Helper()
	s := begin(t, data, wrap, flags...)
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Process.Kill() })
	r := bufio.NewReader(out)
	s.url, _ = r.ReadString('\n')
	s.url = strings.TrimSpace(s.url)
	go func() { io.Copy(io.Discard, r); s.ended <- s.Wait() }()
	return s
}

func begin(t *testing.T, data string, wrap []string, flags ...string) *serving {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pakli := filepath.Join(t.TempDir(), "pakli") // the name that testscript.Main looks at
	if err := os.Symlink(self, pakli); err != nil {
		t.Fatal(err)
	}
	args := append(append(wrap, pakli, "serve", "--data", data, "--listen", "127.0.0.1:0", "--operator-addr", "none", "--log-requests", "none"), flags...)
	s := &serving{Cmd: exec.Command(args[0], args[1:]...), ended: make(chan error, 1)}
	s.Stderr = &s.stderr
	return s
}

// end tells the server to stop and returns its error; one that does not is one.
func (s *serving) end(signal os.Signal) error {
	s.Process.Signal(signal)
	select {
	case err := <-s.ended:
		return err
	case <-time.After(patience):
		s.Process.Kill()
		return fmt.Errorf("it goes on after %v", signal)
	}
}

// A kill during the first start, at any moment, must not leave a directory that never
// starts. The long form is
//
//	PAKLI_FIRST_STARTS=200 go test -run TestKilledFirstStart -timeout 1h -v ./cmd/pakli
func TestKilledFirstStart(t *testing.T) {
	starts, err := strconv.Atoi(os.Getenv("PAKLI_FIRST_STARTS"))
	if err != nil {
		starts = 6
	}
	left := map[string]int{}
	for range starts {
		data := filepath.Join(t.TempDir(), "data")
		first := begin(t, data, nil, "--ballast", "0")
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		for { // not before it has begun
			if _, err := os.Stat(data); err == nil {
				break
			}
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(rand.N(40 * time.Millisecond))
		first.Process.Kill()
		first.Wait()
		files, err := filepath.Glob(filepath.Join(data, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range files {
			files[i] = filepath.Base(files[i])
		}
		what := strings.Join(files, " ")
		left[what]++
		again := serve(t, data, nil, "--ballast", "0")
		if again.url == "" {
			t.Fatalf("after a kill that left %s it never starts:\n%s", what, again.stderr.String())
		}
		if err := again.end(os.Interrupt); err != nil {
			t.Errorf("after a kill that left %s: %v\n%s", what, err, again.stderr.String())
		}
		if _, err := os.Stat(filepath.Join(data, keyFile)); err != nil {
			t.Errorf("after a kill that left %s: %v", what, err)
		}
	}
	t.Logf("%d kills left %v", starts, left)
}

// A public key that somebody has removed, or changed, is written again.
func TestPublicKeyAgain(t *testing.T) {
	data := t.TempDir()
	path := filepath.Join(data, keyFile)
	for _, spoil := range []func() error{
		func() error { return nil }, func() error { return os.Remove(path) }, func() error { return os.Truncate(path, 3) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		key, err := openKey(serverOptions{data: data, origin: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); string(text) != key.Public+"\n" {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// A pipe in place of a file that is read at the start must not make the server wait for
// a writer, beyond every signal: the index is made anew, without the others it stops.
func TestPipeForAFile(t *testing.T) {
	for name, starts := range map[string]bool{indexFile: true, keyFile: true, "cosigned": false, "pakli-ledger": false, "log.key": false} {
		data := t.TempDir()
		if _, err := openKey(serverOptions{data: data, origin: "test"}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(data, name)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skipf("NOT RUN: no pipes here: %v", err)
		}
		hangs := time.AfterFunc(patience, func() {
			if w, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				w.Close()
			}
			t.Errorf("it waits for somebody to write %s", name)
		})
		s := serve(t, data, nil, "--ballast", "0")
		hangs.Stop()
		if (s.url != "") != starts {
			t.Errorf("%s: %q\n%s", name, s.url, s.stderr.String())
		}
		if err := s.end(syscall.SIGTERM); (err == nil) != starts {
			t.Errorf("%s: %v\n%s", name, err, s.stderr.String())
		}
	}
}
