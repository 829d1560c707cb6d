package testmust

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// ReadVectors reads a file of test vectors. A field that T does not have fails the test, since it
// would not be tested.
func ReadVectors[T any](t testing.TB, folder, name string) (v T) {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, name+".json"))
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
func EachVector[T interface{ Name() string }](t *testing.T, folder, name string, test func(*testing.T, T)) {
	t.Helper()
	list := ReadVectors[[]T](t, folder, name)
	if len(list) == 0 {
		t.Fatalf("%s has no vectors", name)
	}
	for _, v := range list {
		t.Run(v.Name(), func(t *testing.T) { test(t, v) })
	}
}

// Vector has the fields that every vector has.
type Vector struct{ ID, Note string }

// Name returns the id.
func (v Vector) Name() string { return v.ID }
