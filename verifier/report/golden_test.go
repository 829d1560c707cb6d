package report_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pakli/pakli/internal/testfile"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
)

// goldenPage and goldenSheet are the scenes whose page and score sheet are kept byte by byte, in
// English; TestPages says what the others are.
const goldenPage, goldenSheet = "waiting", "tarokk"

// A sentence that has changed unnoticed, in whatever language; a key that programs read.
func TestGolden(t *testing.T) {
	for name, make := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := make(t)
			var text bytes.Buffer
			for _, tag := range report.Languages() {
				fmt.Fprintf(&text, "———— %s\n", tag)
				write(t, &text, s.document(t, tag).Text)
			}
			testfile.Same(t, "testdata/"+name+".txt", text.Bytes())
			fitsEightyColumns(t, text.String())
			d := s.document(t, "en")
			testfile.Same(t, "testdata/"+name+".json", written(t, d.JSON))
			if name == goldenPage {
				testfile.Same(t, "testdata/"+name+".html", written(t, pageOf(d)))
			}
			if name == goldenSheet {
				testfile.Same(t, "testdata/"+name+".sheet.html", written(t, sheetOf(d)))
			}
		})
	}
}

func pageOf(d *report.Document) func(io.Writer) error {
	return func(w io.Writer) error { return page.Document(w, d) }
}

func sheetOf(d *report.Document) func(io.Writer) error {
	return func(w io.Writer) error { return page.Sheet(w, d) }
}

func pageOfAll(d *report.Tournament) func(io.Writer) error {
	return func(w io.Writer) error { return page.Tournament(w, d) }
}

func write(t *testing.T, w io.Writer, what func(io.Writer) error) {
	t.Helper()
	testmust.Do(t, what(w))
}

func written(t *testing.T, what func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	write(t, &b, what)
	return b.Bytes()
}

// fitsEightyColumns finds lines longer than 80 characters, but for words that cannot be broken.
func fitsEightyColumns(t *testing.T, text string) {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) > 80 && len(strings.Fields(line)) > 2 {
			t.Errorf("line %d has %d characters: %s", i+1, utf8.RuneCountInString(line), line)
		}
	}
}
