package vectors_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testfile"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
)

//go:generate go test -run TestVectors . -update

const folder = "../../docs/spec/vectors"

// file is a file of vectors: one JSON object on each line.
type file struct {
	name  string
	make  func(t *testing.T) []any
	judge func(t *testing.T, line []byte) string // what is expected of a vector, if it says that by one word
}

// A change of a format or a check that its author did not notice, and that other
// implementations would; a vector that is judged otherwise than it says.
func TestVectors(t *testing.T) {
	for _, f := range []file{
		{"transcript.jsonl", transcripts, judgeTranscript},
		{"value.jsonl", values, judgeValue},
		{"table/variants.jsonl", variants, judgeVariant},
		{"table/kinds-variants.jsonl", kindVariants, judgeVariant},
		{"table/ending-variants.jsonl", endingVariants, judgeVariant},
		{"table/branch-variants.jsonl", branchVariants, judgeVariant},
		{"table/tarokk-variants.jsonl", nil, judgeVariant}, // made by protocol/games/tarokk
		{"log.jsonl", logs, judgeLog},
		{"cosignature.jsonl", cosignatures, judgeCosignature},
		{"evidence.jsonl", evidence, judgeEvidence},
		{"keeper.jsonl", keepers, judgeKeeper},
	} {
		t.Run(f.name, func(t *testing.T) {
			if f.make == nil && testfile.Updating() {
				t.Skip("another package writes it, perhaps after this one")
			}
			t.Parallel()
			lines := slices.Collect(bytes.Lines(f.text(t)))
			tried := thorough.Some(t, len(lines), len(lines)/4)
			for i, line := range lines {
				v := read[struct{ Name, Expect, Base, Report string }](t, line)
				if whole := v.Base != "" && v.Report == ""; whole && !testfile.Updating() && !tried(i) {
					continue // a whole table each: a quarter of them at a time
				}
				t.Run(v.Name, func(t *testing.T) {
					testmust.Equal(t, f.judge(t, line), v.Expect)
				})
			}
		})
	}
}

// text is what the file has, which must be what is made here, if it is made here.
func (f file) text(t *testing.T) []byte {
	t.Helper()
	if f.make == nil {
		return readFile(t, f.name)
	}
	return same(t, f.name, encode(t, f.make(t)...))
}

// encode writes values as lines of JSON.
func encode(t *testing.T, list ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, v := range list {
		testmust.Do(t, e.Encode(v))
	}
	return b.Bytes()
}

// same returns the bytes of a file, which must be those that are made here.
func same(t *testing.T, name string, made []byte) []byte {
	t.Helper()
	return testfile.Same(t, filepath.Join(folder, name), made)
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	return testmust.Have(os.ReadFile(filepath.Join(folder, name)))(t)
}

func read[T any](t *testing.T, line []byte) T {
	t.Helper()
	var v T
	testmust.Do(t, json.Unmarshal(line, &v))
	return v
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	return testmust.Have(hex.DecodeString(s))(t)
}

func hash(t *testing.T, s string) [32]byte {
	t.Helper()
	return [32]byte(unhex(t, s))
}

// seeded is randomness for one purpose.
func seeded(purpose string) *rand.ChaCha8 {
	var key [32]byte
	copy(key[:], purpose)
	return rand.NewChaCha8(key)
}
