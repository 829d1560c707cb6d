package prooftest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/proof"
)

// VectorsInBatch puts every failure among the vectors in dir into a batch of honest
// ones, at one place after another: it must be refused there too, by its own label.
func VectorsInBatch(t *testing.T, s proof.Prover, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s (%v)", dir, err)
	}
	var honest, bad []*reader
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := read(t, s, text)
		switch {
		case len(r.lines["relation"]) == 0: // the deal
		case r.one("expect") == "success":
			honest = append(honest, r)
		default:
			r.file = filepath.Base(file)
			bad = append(bad, r)
		}
	}
	const neighbours = 4
	for i, r := range bad {
		var batch []*reader
		for n := range neighbours {
			batch = append(batch, honest[(i+n)%len(honest)])
		}
		place := i / len(honest) % (neighbours + 1)
		r.refusedAt(slices.Insert(batch, place, r), place)
	}
}

// refusedAt fails the test if a batch of vectors, the one at place being bad, is
// accepted, or another one is blamed.
func (r *reader) refusedAt(batch []*reader, place int) {
	r.t.Helper()
	b := r.suite.NewBatch()
	for i, v := range batch {
		b.Label(uint64(i))
		err := r.suite.Verify(v.place().context(), v.statement(), v.body, b)
		if err != nil && i == place {
			return // refused before the batch
		}
		if err != nil {
			r.t.Fatalf("%s: honest neighbour %d: %v", r.file, i, err)
		}
	}
	if got, err := label(b.Check()); err != nil || got != uint64(place) {
		r.t.Errorf("%s: batch blames %d (%v), want %d", r.file, got, err, place)
	}
}
