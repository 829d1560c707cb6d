//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/wire"
)

// A serving is pakli serve as a process of its own.
type serving struct {
	*exec.Cmd
	stderr testmust.Buffer
	url    string // "" if it ended before it answered
	ended  chan error
}

// startPakli starts pakli serve, with the command wrap if any, and waits until it answers or has
// ended.
func startPakli(t *testing.T, data string, wrap []string, flags ...string) *serving {
	t.Helper()
	s := begin(t, data, wrap, flags...)
	out := testmust.Have(s.StdoutPipe())(t)
	testmust.Do(t, s.Start())
	t.Cleanup(func() { s.Process.Kill() })
	r := bufio.NewReader(out)
	s.url, _ = r.ReadString('\n')
	s.url = strings.TrimSpace(s.url)
	go func() { io.Copy(io.Discard, r); s.ended <- s.Wait() }()
	return s
}

func begin(t *testing.T, data string, wrap []string, flags ...string) *serving {
	t.Helper()
	self := testmust.Have(os.Executable())(t)
	pakli := filepath.Join(t.TempDir(), "pakli") // the name that testscript.Main looks at
	testmust.Do(t, os.Symlink(self, pakli))
	args := append(append(wrap, pakli, "serve", "--data", data, "--listen", "127.0.0.1:0", "--operator-addr", "none", "--log-requests", "none"), flags...)
	s := &serving{Cmd: exec.Command(args[0], args[1:]...), ended: make(chan error, 1)}
	s.Stderr = &s.stderr
	return s
}

// end tells the server to stop and returns its error; if it does not stop, that is an error.
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

// steps counts the changes in a directory and in the directories created in it.
type steps struct {
	fd    int // of from; after a call of from.Fd, Close would not end a read
	from  *os.File
	names map[int32]string
}

func stepsIn(t *testing.T, dir string) *steps {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Skipf("NOT RUN: changes of a directory are not told here: %v", err)
	}
	s := &steps{fd, os.NewFile(uintptr(fd), "inotify"), map[int32]string{}}
	t.Cleanup(func() { s.from.Close() })
	s.add(dir)
	return s
}

func (s *steps) add(dir string) {
	watch, err := unix.InotifyAddWatch(s.fd, dir, unix.IN_CREATE|unix.IN_MODIFY|unix.IN_MOVED_TO|unix.IN_DELETE)
	if err == nil { // else it is gone again
		s.names[int32(watch)] = dir
	}
}

// next waits for changes and counts them.
func (s *steps) next() (n int) {
	b := make([]byte, 64<<10)
	size, err := s.from.Read(b)
	if err != nil {
		return 0
	}
	for b = b[:size]; len(b) > 0; n++ {
		e := unix.InotifyEvent{Wd: int32(binary.NativeEndian.Uint32(b)), Mask: binary.NativeEndian.Uint32(b[4:]), Len: binary.NativeEndian.Uint32(b[12:])}
		name := string(bytes.TrimRight(b[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+e.Len], "\x00"))
		if e.Mask&unix.IN_ISDIR != 0 && e.Mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0 {
			s.add(filepath.Join(s.names[e.Wd], name))
		}
		b = b[unix.SizeofInotifyEvent+e.Len:]
	}
	return n
}

// A kill at any step of the first start must not leave a directory that never starts. The long form
// is
//
//	PAKLI_FIRST_STARTS=200 go test -run TestKilledFirstStart -timeout 1h -v ./cmd/pakli
func TestKilledFirstStart(t *testing.T) {
	starts, err := strconv.Atoi(os.Getenv("PAKLI_FIRST_STARTS"))
	if err != nil {
		starts = 4
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	all := undisturbed(t)
	left := map[string]int{}
	for i := range starts {
		last := 1 + (i*all+random.IntN(all))/starts
		data := t.TempDir()
		first, told := begin(t, data, nil, "--ballast", "0"), stepsIn(t, data)
		out := testmust.Have(first.StdoutPipe())(t)
		testmust.Do(t, first.Start())
		go func() { // a server that answers makes no more steps
			_, _ = bufio.NewReader(out).ReadString('\n')
			told.from.Close()
		}()
		for n := 0; n < last; {
			step := told.next()
			if n += step; step == 0 {
				break
			}
		}
		first.Process.Kill()
		first.Wait()
		what := filesIn(t, data)
		left[what]++
		again := startPakli(t, data, nil, "--ballast", "0")
		testmust.Requiref(t, again.url != "", "after a kill at step %d that left %s it never starts (seed %d):\n%s", last, what, seed, again.stderr.String())
		err := again.end(os.Interrupt)
		testmust.Holdf(t, err == nil, "after a kill at step %d that left %s (seed %d): %v\n%s", last, what, seed, err, again.stderr.String())
		_, err = os.Stat(filepath.Join(data, "log.vkey"))
		testmust.Holdf(t, err == nil, "after a kill at step %d that left %s (seed %d): %v", last, what, seed, err)
	}
	t.Logf("%d kills within %d steps, with seed %d, left %v", starts, all, seed, left)
}

// undisturbed counts the steps of a first start.
func undisturbed(t *testing.T) (n int) {
	t.Helper()
	data := t.TempDir()
	told := stepsIn(t, data)
	counted := make(chan int)
	go func() {
		n := 0
		for {
			step := told.next()
			if n += step; step == 0 {
				counted <- n
				return
			}
		}
	}()
	s := startPakli(t, data, nil, "--ballast", "0")
	told.from.Close()
	n = <-counted
	testmust.Requiref(t, s.url != "" && n != 0, "after %d steps:\n%s", n, s.stderr.String())
	testmust.Do(t, s.end(os.Interrupt))
	return n
}

func filesIn(t *testing.T, dir string) string {
	t.Helper()
	entries := testmust.Have(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// A pipe in place of a file that is read at the start must not make the server wait for a writer and
// ignore signals. Instead of the index it makes a new one; for the others it stops.
func TestPipeForAFile(t *testing.T) {
	for name, starts := range map[string]bool{"tables.index": true, "log.vkey": true, "cosigned": false, "pakli-ledger": false, "log.key": false} {
		data := t.TempDir()
		testmust.Have(ledger.Begin(data, "test", badgerstore.Options{MemTableSize: 1 << 20}, crand.Reader))(t)
		path := filepath.Join(data, name)
		err := os.Remove(path)
		testmust.Require(t, err == nil || os.IsNotExist(err), err)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skipf("NOT RUN: no pipes here: %v", err)
		}
		hangs := time.AfterFunc(patience, func() {
			if w, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				w.Close()
			}
			t.Errorf("it waits for somebody to write %s", name)
		})
		s := startPakli(t, data, nil, "--ballast", "0")
		hangs.Stop()
		testmust.Holdf(t, (s.url != "") == starts, "%s: %q\n%s", name, s.url, s.stderr.String())
		err = s.end(syscall.SIGTERM)
		testmust.Holdf(t, (err == nil) == starts, "%s: %v\n%s", name, err, s.stderr.String())
	}
}

// small makes a file system of its own, of mib MiB.
func small(t *testing.T, mib int) string {
	t.Helper()
	t.Setenv(fullSizeVariable, "1")
	image, at := filepath.Join(t.TempDir(), "image"), t.TempDir()
	testmust.Do(t, os.WriteFile(image, nil, 0o600))
	testmust.Do(t, os.Truncate(image, int64(mib)<<20))
	for _, c := range [][]string{{"mkfs.ext4", "-q", "-F", "-m", "0", image}, {"mount", "-o", "loop", image, at}} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Skipf("NOT RUN: no small file system can be made here: %v: %v %s", c, err, out)
		}
	}
	t.Cleanup(func() { exec.Command("umount", "-l", at).Run() })
	return at
}

// fillUp makes a file that leaves only "free" bytes on a file system.
func fillUp(t *testing.T, at string, free int64) {
	t.Helper()
	f := testmust.Have(os.Create(filepath.Join(at, "filler")))(t)
	defer f.Close()
	size := int64(0)
	for piece := int64(256 << 20); piece >= 4096; {
		if unix.Fallocate(int(f.Fd()), 0, size, piece) == nil {
			size += piece
		} else {
			piece /= 2
		}
	}
	testmust.Do(t, f.Truncate(max(size-free, 0)))
}

// sensible fails if a server printed more than people read, or no remedy. The disk may fill up while
// a table of the store is written; the guide describes what the kernel does then.
func (s *serving) sensible(t *testing.T, remedy string) {
	t.Helper()
	text := s.stderr.String()
	if strings.Contains(text, "[signal SIGBUS") {
		t.Log("it died of SIGBUS")
		return
	}
	testmust.Holdf(t, !strings.Contains(text, "goroutine ") && strings.Count(text, "\n") <= 12, "it ends in\n%.2000s", text)
	testmust.Holdf(t, strings.Contains(text, remedy), "it does not say %q:\n%.2000s", remedy, text)
}

// unbounded are the flags of a server without limits on its load.
var unbounded = []string{"--ballast", "1048576", "--post-rate", "-1", "--table-rate", "-1", "--key-rate", "-1", "--global-rate", "-1"}

// write makes 8 clients begin tables as fast as they can until one is refused, and returns the
// accepted tables. After 64 accepted tables it calls meanwhile.
func write(t *testing.T, url string, meanwhile func()) (taken []wire.Hash) {
	t.Helper()
	organiser := testmust.Have(identity())(t)
	seats := []string{organiser.VerifierKey(), ""}
	other := testmust.Have(seatfile.Create(filepath.Join(t.TempDir(), "other.seat"), "other", ""))(t)
	defer other.Close()
	seats[1] = other.VerifierKey()
	var mu sync.Mutex
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			terms := flags.Terms{Game: "schwarzer-peter", Suite: suite.Default, Fouls: "refuse", Deals: 1, Options: flags.Options{}}
			for {
				entry, id, err := terms.SignGenesis(organiser.Signer(), organiser.VerifierKey(), seats)
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := http.Post(url+"/v1/tables", "application/octet-stream", bytes.NewReader(entry))
				if err != nil {
					return
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusCreated {
					return
				}
				mu.Lock()
				taken = append(taken, id)
				mu.Unlock()
			}
		})
	}
	testmust.Until(t, "64 tables to be taken", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(taken) >= 64 || t.Failed()
	})
	meanwhile()
	writers.Wait()
	return taken
}

// A disk is full at the start, with more and more room left. The start ends with a sentence that says
// what to do, or with a readable log, and loses nothing. By default the test tries a quarter of the
// sizes.
func TestFullDiskAtTheStart(t *testing.T) {
	at := small(t, 1000)
	data, begun := filepath.Join(at, "data"), filepath.Join(at, "begun")
	s := startPakli(t, data, nil, unbounded...)
	write(t, s.url, func() { s.Process.Kill() }) // leaves a log that becomes a table at the start
	<-s.ended
	ends := map[bool]int{}
	rooms := []int64{0, 4 << 10, 64 << 10, 300 << 10, 1 << 20, 2 << 20, 3 << 20, 8 << 20}
	some := testmust.SomeOf(t, len(rooms), 4)
	for i, free := range rooms {
		if !some(i) {
			continue
		}
		for _, dir := range []string{data, begun} {
			fillUp(t, at, free)
			s := startPakli(t, dir, nil, "--ballast", "0")
			ends[s.url != ""]++
			if s.url != "" {
				s.end(os.Interrupt)
				s.sensible(t, "")
			} else if <-s.ended; true {
				s.sensible(t, "is full")
			}
			os.RemoveAll(begun)
		}
	}
	t.Logf("started: %v", ends)
	testmust.Do(t, os.Remove(filepath.Join(at, "filler")))
	s = startPakli(t, data, nil)
	testmust.Holdf(t, s.url != "" && s.end(os.Interrupt) == nil, "with room again:\n%s", s.stderr.String())
}

// A disk fills up at once under 8 fast writers. The server's answers say so, or it ends with a
// sentence that says what to do. No acknowledged entry is lost.
func TestFullDiskWhileServing(t *testing.T) {
	at := small(t, 1000)
	data := filepath.Join(at, "data")
	s := startPakli(t, data, nil, unbounded...)
	taken := write(t, s.url, func() { fillUp(t, at, 0) })
	if resp, err := http.Get(s.url + "/readyz"); err != nil {
		<-s.ended
		s.sensible(t, "is full")
	} else if resp.Body.Close(); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("on a full disk it is ready: %d", resp.StatusCode)
	} else {
		t.Logf("it goes on, to be read: %v", s.end(os.Interrupt))
		s.sensible(t, "")
	}
	testmust.Do(t, os.Remove(filepath.Join(at, "filler")))
	s = startPakli(t, data, nil, unbounded...)
	for _, id := range taken {
		resp := testmust.Have(http.Get(s.url + "/v1/tables/" + id.String()))(t)
		resp.Body.Close()
		testmust.Requiref(t, resp.StatusCode == http.StatusOK, "a table that was answered is gone: %d", resp.StatusCode)
	}
	t.Logf("%d tables are there", len(taken))
	testmust.Do(t, s.end(os.Interrupt))
}

// An address space in which no log can begin causes an error with a remedy.
func TestSmallAddressSpace(t *testing.T) {
	limit := strconv.Itoa(4<<20 - 1) // KiB
	s := startPakli(t, filepath.Join(t.TempDir(), "data"), []string{"sh", "-c", "ulimit -v " + limit + " && exec \"$@\"", "sh"})
	testmust.Requiref(t, s.url == "" && <-s.ended != nil, "it starts with %s KiB", limit)
	s.sensible(t, "ulimit -v unlimited")
}

var identity = sync.OnceValues(func() (*player.Identity, error) {
	dir, err := os.MkdirTemp("", "pakli-serve-test")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return seatfile.Create(filepath.Join(dir, "x.seat"), "organiser", "")
})

// genesisEntry returns the genesis entry of a new table, and its hash.
func genesisEntry(t testing.TB) ([]byte, wire.Hash) {
	t.Helper()
	id := testmust.Have(identity())(t)
	var seats []string
	for _, name := range []string{"anna", "bela"} {
		s := testmust.Have(seatfile.Create(filepath.Join(t.TempDir(), name+".seat"), name, ""))(t)
		seats = append(seats, s.VerifierKey())
		s.Close()
	}
	terms := flags.Terms{Game: "schwarzer-peter", Suite: suite.Default, Fouls: "refuse", Deals: 1, Options: flags.Options{}}
	entry, hash, err := terms.SignGenesis(id.Signer(), id.VerifierKey(), seats)
	testmust.Do(t, err)
	return entry, hash
}

// dial sends the head of a request, and returns after it was sent.
func (s *serving) dial(t *testing.T, head string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c := testmust.Have(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))(t)
	t.Cleanup(func() { c.Close() })
	testmust.Have(io.WriteString(c, head))(t)
	return c, bufio.NewReader(c)
}

// hasRead returns when the server has read what was sent before.
func (s *serving) hasRead(t *testing.T) {
	t.Helper()
	for range 2 {
		_, r := s.dial(t, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
		testmust.Have(r.ReadString('\n'))(t)
	}
}

// postOf returns the head of a request with a table of n bytes.
func postOf(n int) string {
	return fmt.Sprintf("POST /v1/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", n)
}

// A client that never ends its request must not delay the stop of a server, and the exit code must be
// 0.
func TestStopIsNotHeldUp(t *testing.T) {
	t.Parallel()
	server := startPakli(t, t.TempDir(), nil, "--stop-time", "100ms", "--ballast", "0")
	server.dial(t, postOf(100)+"x")
	server.hasRead(t)
	err := server.end(syscall.SIGTERM)
	testmust.Holdf(t, err == nil, "%v\n%s", err, server.stderr.String())
}

// An organiser's program ends after it signed the table of its offer and before the table is in the
// log. The next program must post the same table and sign no other, whatever the name of its
// directory and the other files in it.
func TestOrganiserPostsTheSameTableAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[club]")
	testmust.Do(t, os.Mkdir(dir, 0o700))
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "book.genesis"), []byte("In the beginning"), 0o600))
	s := startPakli(t, filepath.Join(dir, "data"), nil, "--ballast", "0")
	to := testmust.Have(url.Parse(s.url))(t)
	var mu sync.Mutex
	var posted []string
	ctx, crash := context.WithCancel(t.Context())
	away := true
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost && r.URL.Path == "/v1/tables" {
			posted = append(posted, string(body))
			if away {
				crash()
				http.Error(w, "no server", http.StatusBadGateway)
				return
			}
		}
		httputil.NewSingleHostReverseProxy(to).ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	args := []string{"--server", proxy.URL, "--game", "schwarzer-peter", "--places", "2", "--sit", "--organiser", filepath.Join(dir, "anna.seat")}
	anna := testmust.Have(seatfile.Create(filepath.Join(dir, "anna.seat"), "anna", ""))(t)
	anna.Close()
	for _, name := range []string{"bela", "csilla"} {
		id := testmust.Have(seatfile.Create(filepath.Join(dir, name+".seat"), name, ""))(t)
		id.Close()
		with := append(args, "--seat", id.VerifierKey()) // other players the second time
		var out, said bytes.Buffer
		code := command.Dispatch(ctx, command.Env{Out: &out, Err: &said}, commands(), "pakli", append([]string{"table", "offer"}, with...))
		mu.Lock()
		if name == "bela" {
			testmust.Requiref(t, code != command.ExitDone && len(posted) != 0, "it did not end before the table was there: %d, %s", code, said.String())
			ctx, away = t.Context(), false
		} else if code != command.ExitDone || strings.TrimSpace(out.String()) != wire.HashEntry([]byte(posted[0])).String() {
			t.Errorf("the next program says %q, %d: %s", out.String(), code, said.String())
		}
		mu.Unlock()
	}
	testmust.Equal(t, len(slices.Compact(posted)), 1, "tables of one offer were signed")
	left, err := fs.Glob(os.DirFS(dir), "anna*.genesis")
	testmust.Holdf(t, err == nil && len(left) == 0, "what is in the log is kept still: %v, %v", left, err)
	sits, _ := fs.Glob(os.DirFS(dir), "anna.seat.*.offer")
	testmust.Holdf(t, len(sits) == 1, "the organiser's seat sits at %v", sits)
	testmust.Do(t, s.end(os.Interrupt))
}
