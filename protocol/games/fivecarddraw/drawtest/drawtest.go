// Package drawtest reads the test vectors of docs/spec/vectors/five-card-draw for the
// tests of five-card draw and of the packages below it, and has players who play out what
// is rare.
package drawtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Vector is what every vector has.
type Vector struct{ ID, Note string }

// Name is its id.
func (v Vector) Name() string { return v.ID }

// EachVector runs a test for every vector of a file, named by its id. A field that T does not
// have fails the test: it would not be tested.
func EachVector[T interface{ Name() string }](t *testing.T, name string, test func(*testing.T, T)) {
	t.Helper()
	f, err := os.Open(filepath.Join(VectorFolder(), name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []T
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil || len(list) == 0 {
		t.Fatalf("%s: %d vectors, %v", name, len(list), err)
	}
	for _, v := range list {
		t.Run(v.Name(), func(t *testing.T) { test(t, v) })
	}
}

// VectorFolder is where the vectors are, from the folder of any package of the game.
func VectorFolder() string {
	const below = "docs/spec/vectors/five-card-draw"
	for up := "../../.."; ; up += "/.." {
		folder := filepath.Join(up, below)
		if _, err := os.Stat(folder); err == nil || len(up) > len(below) {
			return folder
		}
	}
}
