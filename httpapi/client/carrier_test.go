package client_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
)

// A browser has no sockets: over its fetch the client must hear the same, wait as long,
// read no more, and let go as soon.
func TestFetch(t *testing.T) {
	thorough.Only(t, "builds a program")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs Node")
	}
	module := filepath.Join(t.TempDir(), "fetch.wasm")
	build := exec.Command("go", "build", "-o", module, "./testdata/fetch")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root := testmust.Have(exec.Command("go", "env", "GOROOT").Output())(t)
	s := newSite(t, false)
	var calls atomic.Int64
	s.answer(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case calls.Add(1) == 1:
			w.WriteHeader(http.StatusBadGateway)
		case strings.HasPrefix(r.URL.Path, "/endless"):
			for part := make([]byte, 1<<16); r.Context().Err() == nil; {
				w.Write(part)
			}
		case strings.HasPrefix(r.URL.Path, "/silent"):
			<-r.Context().Done()
		default:
			s.server.ServeHTTP(w, r)
		}
	})
	run := exec.CommandContext(t.Context(), node, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"), module, s.url, s.key.Public)
	run.Env = []string{"PATH=" + os.Getenv("PATH")} // all of it is copied into the module
	var complaint bytes.Buffer
	run.Stdout, run.Stderr = &complaint, &complaint
	if err := run.Run(); err != nil {
		t.Errorf("%v\n%s", err, complaint.Bytes())
	}
}
