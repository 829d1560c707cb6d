package report_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
)

var update = flag.Bool("update", false, "write the golden files anew")

// formats are the ways to write a document, by the ending of their files.
var formats = map[string]func(*report.Document, io.Writer) error{
	"txt": (*report.Document).Text, "json": (*report.Document).JSON, "html": func(d *report.Document, w io.Writer) error { return page.Document(w, d) },
	"sheet.html": func(d *report.Document, w io.Writer) error { return page.Sheet(w, d) },
}

// A sentence that has changed unnoticed, in whatever language or format.
func TestGolden(t *testing.T) {
	for name, make := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := make(t)
			for _, tag := range report.Languages() {
				d := s.document(t, tag)
				for ending, write := range formats {
					var got bytes.Buffer
					if err := write(d, &got); err != nil {
						t.Fatal(err)
					}
					compare(t, filepath.Join("testdata", name+"."+tag+"."+ending), got.Bytes())
				}
			}
		})
	}
}

func compare(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		from := max(0, at-80)
		t.Errorf("%s differs at byte %d:\n got …%.160s\nwant …%.160s", file, at, got[from:], want[from:])
	}
}
