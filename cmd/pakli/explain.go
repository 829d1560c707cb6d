package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The store writes through mappings of files. When the disk is full at that moment, or
// fails, the kernel sends SIGBUS, and when memory is used up the runtime gives up: no
// program in Go outlives either, and what it writes then is pages of its own insides.
// So pakli serve sends its file descriptor 2, to which only the runtime writes, through
// a process of its own, which makes a sentence of those two ends and passes on all else.

// explainCommand is the hidden subcommand that does so; its argument is the data directory.
const explainCommand = "explain"

// beginExplaining begins that process, and returns where everything but the runtime writes. As
// process 1 of a container it changes nothing: whoever is left dies with process 1.
func beginExplaining(e env, data string) env {
	if e.err != os.Stderr || os.Getpid() == 1 {
		return e
	}
	self, err := os.Executable()
	if err != nil {
		return e
	}
	r, w, err := os.Pipe()
	if err != nil {
		return e
	}
	defer r.Close()
	defer w.Close()
	own, err := unix.FcntlInt(os.Stderr.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return e
	}
	child := exec.Cmd{Path: self, Args: []string{os.Args[0], explainCommand, data}, Stdin: r, Stderr: os.Stderr}
	if err := child.Start(); err != nil {
		unix.Close(own)
		return e
	}
	if err := redirect(int(w.Fd()), 2); err != nil {
		unix.Close(own)
		return e
	}
	e.err = os.NewFile(uintptr(own), "stderr")
	return e
}

// runExplain goes on until the server has ended, whatever signals they both get.
func runExplain(_ context.Context, e env, args []string) (int, error) {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	if len(args) != 1 {
		return exitUsage, wrongUsage("it is for pakli serve alone")
	}
	passOn(os.Stdin, e.err, args[0])
	return exitDone, nil
}

// passOn writes what it reads, until something begins with which a program in Go ends:
// that it explains, if it can.
func passOn(r io.Reader, w io.Writer, data string) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if beginsLastWords(line) {
			rest, _ := io.ReadAll(in)
			io.WriteString(w, explainEnd(string(line)+string(rest), data))
			return
		}
		if _, writeErr := w.Write(line); err != nil || writeErr != nil {
			return
		}
	}
}

// beginsLastWords tells how the runtime begins its last words of these two ends.
func beginsLastWords(line []byte) bool {
	for _, begin := range []string{"unexpected fault address", "fatal error: ", "runtime: out of memory", "runtime: cannot allocate", "runtime/cgo: "} {
		if bytes.HasPrefix(line, []byte(begin)) {
			return true
		}
	}
	return false
}

func explainEnd(words, data string) string {
	switch {
	case strings.Contains(words, "[signal SIGBUS"):
		return fmt.Sprintf("pakli serve: stopped: %s\n", fullDisk(data))
	case strings.Contains(words, "out of memory") || strings.Contains(words, "cannot allocate memory"):
		return fmt.Sprintf("pakli serve: stopped: %s\n", noMemory())
	}
	return words
}

// fullDisk says what to do about a disk that has no room left, or has failed.
func fullDisk(data string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(data, &st); err == nil && uint64(st.Bavail)*uint64(st.Bsize) > 1<<30 {
		return fmt.Sprintf("the disk with %s has failed (see the log of the kernel). What was acknowledged is in the log as far as the disk kept it; "+
			"mend the disk and start again", data)
	}
	return fmt.Sprintf("the disk with %s is full. What was acknowledged is safe: make room, or remove %s, and start again",
		data, filepath.Join(data, "store", "ballast"))
}

// leastMemory is the address space with which a log can begin: its runtime takes
// more than a gigabyte of it, and the store maps its files, all of them.
const leastMemory = 4 << 30

// noMemory says that memory is used up, and what bounds it, if that is known.
func noMemory() string {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &l); err == nil && uint64(l.Cur) < 1<<60 {
		return fmt.Sprintf("its address space is limited to %d MiB, and a log needs %d MiB and as much as its store has: "+
			"start it with a larger limit (ulimit -v unlimited)", uint64(l.Cur)>>20, leastMemory>>20)
	}
	return "memory is used up. What was acknowledged is safe: give it more memory and start again"
}

// explainTrouble puts what an operator can do in place of an error about the disk or memory.
// Some libraries keep the text of the system's error alone.
func explainTrouble(data string, err error) error {
	if err == nil {
		return nil
	}
	for _, no := range []syscall.Errno{unix.ENOSPC, unix.EDQUOT} {
		if strings.Contains(err.Error(), no.Error()) {
			return fmt.Errorf("%s (%w)", fullDisk(data), err)
		}
	}
	if strings.Contains(err.Error(), unix.ENOMEM.Error()) {
		return fmt.Errorf("%s (%w)", noMemory(), err)
	}
	return err
}

// enoughMemory refuses a limit of the address space with which no log can begin.
func enoughMemory() error {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &l); err == nil && uint64(l.Cur) < leastMemory {
		return fmt.Errorf("%s", noMemory())
	}
	return nil
}
