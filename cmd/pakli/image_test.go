//go:build linux

package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A binary that wants a library, a shell, /tmp, /etc/passwd, /proc or a time zone
// does not start in an image that has none of them. So the server runs as the
// image runs it, by the user and with the variables of the Dockerfile, in a root
// that holds the binary and /data and nothing else. Base images have more:
// certificates of authorities, which ACME and cosigners over HTTPS need.
func TestEmptyRoot(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(root, "usr/local/bin/pakli"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Mkdir(filepath.Join(root, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	const user = 65532
	file, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var environ []string
	for line := range strings.Lines(string(file)) {
		if rest, ok := strings.CutPrefix(line, "ENV "); ok {
			environ = append(environ, strings.Fields(rest)...)
		}
	}
	if !slices.Contains(environ, "PAKLI_DATA=/data") || !strings.Contains(string(file), "\nUSER 65532:65532\n") {
		t.Fatalf("the Dockerfile says %q and another user", environ)
	}
	cmd := exec.Command("/usr/local/bin/pakli", "serve")
	cmd.Dir = "/"
	cmd.Env = append(environ, "PAKLI_LISTEN=127.0.0.1:0", "PAKLI_OPERATOR_ADDR=127.0.0.1:0", "PAKLI_BALLAST=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Chroot: root, Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}},
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("NOT RUN: no user namespaces here: %v", err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		cmd.Wait()
		t.Fatalf("%v\n%s", err, complaints.Bytes())
	}
	resp, err := http.Get(strings.TrimSpace(url) + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "alive\n" {
		t.Errorf("%d %q, %v", resp.StatusCode, b, err)
	}
	resp.Body.Close()
	entry, _ := genesisEntry(t)
	if resp, err = http.Post(strings.TrimSpace(url)+"/v1/tables", "application/octet-stream", bytes.NewReader(entry)); err != nil || resp.StatusCode != http.StatusCreated {
		t.Errorf("a table: %v, %v", resp, err)
	}
	resp.Body.Close()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("told to stop: %v\n%s", err, complaints.Bytes())
	}
	files, err := os.ReadDir(root)
	if err != nil || len(files) != 2 {
		t.Errorf("it has made %v, %v", files, err)
	}
	if _, err := os.Stat(filepath.Join(root, "data", "promise")); err != nil {
		t.Errorf("no log on the volume: %v", err)
	}
}
