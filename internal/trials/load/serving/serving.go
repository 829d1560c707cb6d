// Package serving builds pakli and starts it as a server, for programs that measure or break one from
// outside.
package serving

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds pakli into dir and returns the path of the program. It builds in pakli's own module,
// with the library versions named there.
func Build(ctx context.Context, dir string) (program string, err error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/pakli/pakli").Output()
	if err != nil {
		return "", fmt.Errorf("serving: where pakli's module is: %w", err)
	}
	program = filepath.Join(dir, "pakli")
	build := exec.CommandContext(ctx, "go", "build", "-C", string(bytes.TrimSpace(root)), "-o", program, "./cmd/pakli")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("serving: %w: %s", err, out)
	}
	return program, nil
}

// Server is a process that runs pakli serve.
type Server struct {
	URL string
	cmd *exec.Cmd
}

// Start starts the server on loopback with the log in data, which is made if missing, and returns
// when the server answers. The server reserves no disk space and logs no requests. command is the
// program, possibly after another one that starts it; args are further arguments, such as another
// --listen.
func Start(command []string, data string, args ...string) (*Server, error) {
	command = append(command[:len(command):len(command)], "serve", "--data", data, "--listen", "127.0.0.1:0", "--ballast", "0", "--log-requests", "none")
	command = append(command, args...)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Server{cmd: cmd}
	said := bufio.NewReader(out)
	for _, line := range []*string{&s.URL, new(string)} { // the address, then the log's key
		if *line, err = said.ReadString('\n'); err != nil {
			return nil, fmt.Errorf("serving: the server does not start: %w", cmd.Wait())
		}
	}
	s.URL = strings.TrimSpace(s.URL)
	return s, nil
}

// PID returns the number of the process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Kill ends the server like a power failure and waits for its end.
func (s *Server) Kill() error {
	err := s.cmd.Process.Kill()
	_ = s.cmd.Wait() // reports only that it was killed
	return err
}

// Stop lets the server close its log and waits for its end.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return s.cmd.Wait()
}
