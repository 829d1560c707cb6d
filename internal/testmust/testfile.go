package testmust

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write generated files anew")

// Updating reports whether generated files are to be written again.
func Updating() bool { return *update }

// Same returns the content of a file and fails the test if it is not made. With -update it writes the
// file first.
func Same[T ~string | ~[]byte](t testing.TB, file string, made T) []byte {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(made), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	has, err := os.ReadFile(file)
	if err != nil || string(has) != string(made) {
		at := 0
		for at < min(len(has), len(made)) && has[at] == made[at] {
			at++
		}
		from := max(0, at-80)
		t.Errorf("%s is out of date (%v), from byte %d: go generate writes it\nhas  …%.160s\nmade …%.160s", file, err, at, has[from:], made[from:])
	}
	return has
}
