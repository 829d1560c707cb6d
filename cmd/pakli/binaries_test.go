package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
)

// A binary in which a path, a date or a version of the tree is hidden cannot be made again by
// those who doubt it: two folders must give the same bytes, and the sums must be theirs.
func TestBinariesAreReproducible(t *testing.T) {
	thorough.Only(t, "builds both programs twice")
	if runtime.GOOS == "windows" {
		t.Skip("deploy/binaries is a shell script")
	}
	t.Parallel()
	elsewhere := t.TempDir()
	if out, err := exec.Command("cp", "-r", "../../cmd", "../../deploy", "../../docs", "../../go.mod", "../../go.sum", "../../httpapi", "../../internal",
		"../../ledger", "../../protocol", "../../verifier", elsewhere).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var sums [][]byte
	for _, source := range []string{"../..", elsewhere} {
		dir := t.TempDir()
		make := exec.Command(filepath.Join(source, "deploy/binaries"), dir)
		make.Env = append(os.Environ(), "TARGETS="+runtime.GOOS+"/"+runtime.GOARCH)
		out, err := make.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sums = append(sums, out)
		hashes := testmust.Have(os.ReadFile(filepath.Join(source, "httpapi/web/build/dist/hashes")))(t)
		program := filepath.Join(dir, "pakli-"+runtime.GOOS+"-"+runtime.GOARCH)
		if text, err := os.ReadFile(program); err != nil || !bytes.Contains(text, hashes) {
			t.Errorf("the pages are not in it: %v", err)
		}
		if help, err := exec.Command(program, "help").CombinedOutput(); err != nil || !strings.Contains(string(help), "usage: pakli") {
			t.Errorf("%v\n%s", err, help)
		}
	}
	if !bytes.Equal(sums[0], sums[1]) || bytes.Count(sums[0], []byte("\n")) != 2 {
		t.Errorf("the sums are\n%s and\n%s", sums[0], sums[1])
	}
}
