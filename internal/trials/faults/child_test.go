package faults_test

import (
	"bufio"
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
)

// A child is this binary again. roleEnv names its role, and dirEnv the directory of its log.
const (
	roleEnv = "PAKLI_FAULTS_ROLE"
	dirEnv  = "PAKLI_FAULTS_DIR"
)

var roles = map[string]func(dir string) error{
	"load":    load,        // many clients append until the process dies
	"big":     loadBig,     // the same, with large entries and no guard of the free space
	"reserve": reserve,     // go on for a log of the store when the disk is full
	"first":   first,       // make a log where there is none
	"script":  script,      // one client: append, close, open, append, close
	"rotate":  rotate,      // append until tables have been written, close
	"audit":   auditFlips,  // look at the log of TestBitFlips
	"history": playHistory, // clients do everything, for TestLinearizable
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleEnv)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := roles[role](os.Getenv(dirEnv)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child returns the command for a role. wrap goes before it: strace and its
// arguments.
func child(t *testing.T, role, dir string, wrap ...string) *exec.Cmd {
	t.Helper()
	self := testmust.Have(os.Executable())(t)
	args := append(append([]string{}, wrap...), self)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), roleEnv+"="+role, dirEnv+"="+dir)
	return cmd
}

// run starts a child, and returns its output when it is dead. After n lines it calls halt, if not
// nil, to make the child die.
func run(t *testing.T, cmd *exec.Cmd, n int, halt func(*os.Process)) (lines []string, stderr string, err error) {
	t.Helper()
	var message bytes.Buffer
	cmd.Stderr = &message
	out := testmust.Have(cmd.StdoutPipe())(t)
	testmust.Do(t, cmd.Start())
	var halted sync.WaitGroup
	for b := bufio.NewReader(out); ; {
		if halt != nil && len(lines) == n {
			halted.Go(func() { halt(cmd.Process) }) // while it goes on talking
			n = -1
		}
		line, err := b.ReadString('\n')
		if err != nil {
			break // the rest is no complete line
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	err = cmd.Wait()
	halted.Wait()
	return lines, message.String(), err
}

// kill is a halt: SIGKILL.
func kill(p *os.Process) { p.Kill() }

// seeded returns a random source whose seed is logged, so that a failure can be repeated.
func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func openLog(dir string, o badgerstore.Options) (*ledger.Ledger, ledger.Key, error) {
	key, err := ledger.LoadKey(dir)
	if err != nil {
		return nil, key, err
	}
	l, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: o})
	return l, key, err
}

// say prints an acknowledgement in one write: the client, the entry, its receipt.
func say(client int, entry, receipt []byte) error {
	_, err := fmt.Fprintf(os.Stdout, "%d %s %s\n", client, base64.StdEncoding.EncodeToString(entry), base64.StdEncoding.EncodeToString(receipt))
	return err
}

// loadClients is how many clients append at the same time.
const loadClients = 16

func load(dir string) error { return loadWith(dir, badgerstore.Options{MinFree: 1}, 4_000) }

func loadBig(dir string) error {
	o := badgerstore.Options{MinFree: 1}
	if s := os.Getenv(minFreeEnv); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return err
		}
		o.MinFree = n
	}
	return loadWith(dir, o, 60_000)
}

// loadWith appends entries of up to size bytes until the log fails or accepts no more.
func loadWith(dir string, o badgerstore.Options, size int) error {
	l, _, err := openLog(dir, o)
	if err != nil {
		return err
	}
	ended := make([]error, loadClients)
	var clients sync.WaitGroup
	for c := range loadClients {
		clients.Go(func() {
			for i := 0; ended[c] == nil; i++ {
				entry := loadEntry(c, i, size)
				r, err := l.Append(context.Background(), entry)
				if err == nil {
					err = say(c, entry, r.Marshal())
				}
				ended[c] = err
			}
		})
	}
	clients.Wait()
	return errors.Join(l.Err(), ended[0], l.Close())
}

// loadEntry is new in every run of a child, except every tenth entry, which is repeated.
func loadEntry(client, i, size int) []byte {
	run := os.Getpid()
	if i%10 == 0 {
		run = 0
	}
	entry := fmt.Appendf(nil, "run %d client %d entry %d ", run, client, i)
	return append(entry, bytes.Repeat([]byte{'.'}, (client*977+i*31)%size)...)
}

// first makes a log, as the first start of a server does.
func first(dir string) error {
	_, err := ledger.Begin(dir, origin, small, crand.Reader)
	return err
}

// scriptEntries is how many entries each half of a script appends.
const scriptEntries = 5

// script does once everything that a log does with its disk. The blob and the cosigned checkpoint
// have tests of their own.
func script(dir string) error {
	for half := range 2 {
		l, _, err := openLog(dir, badgerstore.Options{MinFree: 1})
		if err != nil {
			return err
		}
		for i := range scriptEntries {
			entry := fmt.Appendf(nil, "half %d entry %d", half, i)
			r, err := l.Append(context.Background(), entry)
			if err != nil {
				return errors.Join(err, l.Close())
			}
			if err := say(0, entry, r.Marshal()); err != nil {
				return err
			}
		}
		if err := l.PutBlob(context.Background(), fmt.Appendf(nil, "blob of half %d", half)); err != nil {
			return errors.Join(err, l.Close())
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}

// rotateEntries of rotateSize fill the memory table of small about eight times.
const (
	rotateEntries = 200
	rotateSize    = 40_000
	rotateTables  = 8 // at least
)

// rotate does what a store does in the background.
func rotate(dir string) error {
	l, _, err := openLog(dir, badgerstore.Options{MinFree: 1})
	if err != nil {
		return err
	}
	for i := range rotateEntries {
		entry := append(fmt.Appendf(nil, "entry %d ", i), make([]byte, rotateSize)...)
		r, err := l.Append(context.Background(), entry)
		if err == nil {
			err = say(0, entry, r.Marshal())
		}
		if err != nil {
			return errors.Join(err, l.Err(), l.Close())
		}
	}
	return l.Close()
}

// need skips a test if a program is missing.
func need(t *testing.T, program string, try ...string) {
	t.Helper()
	if out, err := exec.Command(program, try...).CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: %s does not work here: %v %s", program, err, out)
	}
}

// envInt returns the number in a variable that lengthens a test; without one half of the thorough
// form's number.
func envInt(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	switch {
	case s != "":
	case testmust.Thorough():
		return otherwise
	default:
		return (otherwise + 1) / 2
	}
	return testmust.Have(strconv.Atoi(s))(t, name)
}

// copyDir copies a directory; keys stay secret.
func copyDir(t *testing.T, from, to string) {
	t.Helper()
	testmust.Do(t, os.CopyFS(to, os.DirFS(from)))
	hideKeys(t, to)
}

func hideKeys(t *testing.T, dir string) {
	t.Helper()
	keys, err := filepath.Glob(filepath.Join(dir, "*.key"))
	for _, key := range keys {
		err = errors.Join(err, os.Chmod(key, 0o600))
	}
	testmust.Do(t, err)
}
