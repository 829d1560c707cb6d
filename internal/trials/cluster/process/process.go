// Package process runs the processes of a cluster on one Linux machine: it starts, kills, halts and
// continues them with all their descendants, and leaves none behind. A process dies with its parent,
// however that dies.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Command says what to run.
type Command struct {
	Name  string // for people, and for the file of its output, NAME.log
	Path  string
	Args  []string
	Env   []string       // in addition to this process's
	User  *User          // nil: the user of this process
	Stop  syscall.Signal // asks the process to stop; 0 is SIGTERM
	Death syscall.Signal // sent when this process dies; 0 is SIGKILL
}

// User is the user that runs a command.
type User struct{ UID, GID uint32 }

// Process is a command that can be started repeatedly.
type Process struct {
	Command
	log string

	mu      sync.Mutex
	running *exec.Cmd     // nil if it does not run
	ended   chan struct{} // closed when running has ended
	used    time.Duration // processor time of earlier runs
	last    string        // how the last run ended
}

// New returns a process that is not started. Its output is appended to a file in logs.
func New(logs string, c Command) *Process {
	return &Process{Command: c, log: filepath.Join(logs, c.Name+".log")}
}

// Start starts the process.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		return fmt.Errorf("%s is running", p.Name)
	}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), p.Env...), out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: either(p.Death, syscall.SIGKILL)}
	if p.User != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: p.User.UID, Gid: p.User.GID}
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	ended := make(chan struct{})
	p.running, p.ended = cmd, ended
	go p.reap(cmd, ended)
	return nil
}

func either(a, b syscall.Signal) syscall.Signal {
	if a != 0 {
		return a
	}
	return b
}

func (p *Process) reap(cmd *exec.Cmd, ended chan struct{}) {
	err := cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = fmt.Sprint("ended: ", err)
	p.used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	p.running = nil
	close(ended)
}

// PID returns the number of the process and a channel that is closed when it has ended, or 0 if it
// does not run.
func (p *Process) PID() (int, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == nil {
		return 0, nil
	}
	return p.running.Process.Pid, p.ended
}

// Kill kills the process and its descendants at once and waits for its end.
func (p *Process) Kill() {
	pid, ended := p.PID()
	if pid == 0 {
		return
	}
	family := family(pid)
	signal(family, syscall.SIGSTOP) // so that none of them has children meanwhile
	signal(append(family, descendants(pid)...), syscall.SIGKILL)
	<-ended
}

// Stop asks the process to end, and kills it when ctx ends.
func (p *Process) Stop(ctx context.Context) {
	pid, ended := p.PID()
	if pid == 0 {
		return
	}
	signal([]int{pid}, either(p.Command.Stop, syscall.SIGTERM))
	select {
	case <-ended:
	case <-ctx.Done():
		p.Kill()
	}
}

// Halt suspends the process and its descendants.
func (p *Process) Halt() {
	if pid, _ := p.PID(); pid != 0 {
		signal(family(pid), syscall.SIGSTOP)
	}
}

// Continue resumes them.
func (p *Process) Continue() {
	if pid, _ := p.PID(); pid != 0 {
		signal(family(pid), syscall.SIGCONT)
	}
}

// Log returns the output of the process.
func (p *Process) Log() string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// LogEnd returns the end of the output, for an error.
func (p *Process) LogEnd() string {
	all := p.Log()
	p.mu.Lock()
	defer p.mu.Unlock()
	return all[max(0, len(all)-2000):] + p.last
}

// Await waits until ready returns nil. It returns an error when the process or ctx has ended.
func (p *Process) Await(ctx context.Context, ready func(context.Context) error) error {
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		pid, ended := p.PID()
		if pid == 0 {
			return fmt.Errorf("%s has ended: %s", p.Name, p.LogEnd())
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; it says: %s", p.Name, errors.Join(err, ctx.Err()), p.LogEnd())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ProcessorTime returns the processor time of the process and its descendants up to now.
func (p *Process) ProcessorTime() time.Duration {
	pid, _ := p.PID()
	p.mu.Lock()
	sum := p.used
	p.mu.Unlock()
	if pid == 0 {
		return sum
	}
	for _, each := range family(pid) {
		f := stat(each)
		for _, ticks := range f[min(11, len(f)):min(15, len(f))] { // utime, stime, and those of ended children
			n, _ := strconv.Atoi(ticks)
			sum += time.Duration(n) * time.Second / 100
		}
	}
	return sum
}

func signal(pids []int, s syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, s)
	}
}

func family(pid int) []int { return append([]int{pid}, descendants(pid)...) }

// descendants finds processes by their parents, since each of PostgreSQL's has a group of its own.
func descendants(pid int) []int {
	list, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, d := range list {
		child, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		if f := stat(child); len(f) > 1 {
			parent, _ := strconv.Atoi(f[1])
			children[parent] = append(children[parent], child)
		}
	}
	var all []int
	for next := []int{pid}; len(next) > 0; next = next[1:] {
		next = append(next, children[next[0]]...)
		all = append(all, children[next[0]]...)
	}
	return all
}

// stat returns the fields of proc_pid_stat(5) after the name: the state, the parent, …
func stat(pid int) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.Fields(after)
}

// Run runs a command to its end and returns its standard output and standard error. It too dies with
// its parent.
func Run(ctx context.Context, program string, args ...string) (out, said []byte, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var printed, beside bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &beside
	err = cmd.Run()
	return printed.Bytes(), beside.Bytes(), err
}
