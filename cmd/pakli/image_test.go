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

	"github.com/pakli/pakli/internal/testmust"
)

// page checks that a server shows its page, with the program that runs in it.
func page(t *testing.T, url string) {
	t.Helper()
	r := testmust.Have(http.NewRequest("GET", url+"/", nil))(t)
	r.Header.Set("Accept", "text/html")
	for _, path := range []string{"/", "/p/module.json"} {
		r.URL.Path = path
		r.Host = "cards.example" // others than this machine see the page, too
		resp := testmust.Have(http.DefaultClient.Do(r))(t)
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		want := map[string]string{"/": "<!doctype html>", "/p/module.json": `"state":"ready"`}[path]
		testmust.Holdf(t, err == nil && strings.Contains(string(b), want), "%s: %d %.300s, %v", path, resp.StatusCode, b, err)
	}
}

// A binary that needs a library, a shell, /tmp, /etc/passwd, /proc or a time zone does not start in
// an image without them. The test follows the Dockerfile and runs the server with its user and
// variables, in a root that holds only the binary and /data. Base images also have certificates of
// authorities, which ACME and cosigners over HTTPS need.
func TestEmptyRoot(t *testing.T) {
	if underRace {
		t.Skip("what it builds and starts has no race detector in it")
	}
	testmust.OnlyThorough(t, "builds the program")
	t.Parallel()
	file := testmust.Have(os.ReadFile("../../Dockerfile"))(t)
	root, out := t.TempDir(), t.TempDir()
	for line := range strings.Lines(string(file)) {
		step, ok := strings.CutPrefix(line, "RUN ")
		if !ok || strings.Contains(step, "mod download") {
			continue
		}
		run := exec.Command("sh", "-c", strings.ReplaceAll(step, "/out", out))
		run.Dir, run.Env = "../..", append(os.Environ(), "GOFLAGS=-buildvcs=false")
		said, err := run.CombinedOutput()
		testmust.Requiref(t, err == nil, "%s: %v\n%s", step, err, said)
	}
	testmust.Do(t, os.MkdirAll(filepath.Join(root, "usr/local"), 0o755))
	testmust.Do(t, os.Rename(filepath.Join(out, "bin"), filepath.Join(root, "usr/local/bin")))
	testmust.Do(t, os.Mkdir(filepath.Join(root, "data"), 0o700))
	const user = 65532
	var environ []string
	for line := range strings.Lines(string(file)) {
		if rest, ok := strings.CutPrefix(line, "ENV "); ok {
			environ = append(environ, strings.Fields(rest)...)
		}
	}
	testmust.Requiref(t, slices.Contains(environ, "PAKLI_DATA=/data") && strings.Contains(string(file), "\nUSER 65532:65532\n"),
		"the Dockerfile says %q and another user", environ)
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
	said := testmust.Have(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Skipf("NOT RUN: no user namespaces here: %v", err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	url, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		cmd.Wait()
		t.Fatalf("%v\n%s", err, complaints.Bytes())
	}
	resp := testmust.Have(http.Get(strings.TrimSpace(url) + "/livez"))(t)
	if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "alive\n" {
		t.Errorf("%d %q, %v", resp.StatusCode, b, err)
	}
	resp.Body.Close()
	page(t, strings.TrimSpace(url))
	entry, _ := genesisEntry(t)
	resp, err = http.Post(strings.TrimSpace(url)+"/v1/tables", "application/octet-stream", bytes.NewReader(entry))
	testmust.Holdf(t, err == nil && resp.StatusCode == http.StatusCreated, "a table: %v, %v", resp, err)
	resp.Body.Close()
	testmust.Do(t, cmd.Process.Signal(syscall.SIGTERM))
	if err := cmd.Wait(); err != nil {
		t.Errorf("told to stop: %v\n%s", err, complaints.Bytes())
	}
	files, err := os.ReadDir(root)
	testmust.Holdf(t, err == nil && len(files) == 2, "it has made %v, %v", files, err)
	testmust.Have(os.Stat(filepath.Join(root, "data", "promise")))(t, "no log on the volume")
}
