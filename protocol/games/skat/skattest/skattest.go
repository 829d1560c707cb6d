// Package skattest reads the test vectors of docs/spec/vectors/skat for the tests of
// Skat and of the packages below it.
package skattest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// ReadVectors reads a file of vectors. A field that T does not have fails the test: it would
// not be tested.
func ReadVectors[T any](t testing.TB, name string) (v T) {
	t.Helper()
	f, err := os.Open(filepath.Join(VectorFolder(), name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// EachVector runs a test for every vector of a file, named by its id.
func EachVector[T interface{ Name() string }](t *testing.T, name string, test func(*testing.T, T)) {
	t.Helper()
	list := ReadVectors[[]T](t, name)
	if len(list) == 0 {
		t.Fatalf("%s has no vectors", name)
	}
	for _, v := range list {
		t.Run(v.Name(), func(t *testing.T) { test(t, v) })
	}
}

// Vector is what every vector has.
type Vector struct {
	ID   string
	Note string
}

// Name is its id.
func (v Vector) Name() string { return v.ID }

// VectorFolder is where the vectors are, from the folder of any package of Skat.
func VectorFolder() string {
	const below = "docs/spec/vectors/skat"
	for up := "../../.."; ; up += "/.." {
		folder := filepath.Join(up, below)
		if _, err := os.Stat(folder); err == nil || len(up) > len(below) {
			return folder
		}
	}
}
