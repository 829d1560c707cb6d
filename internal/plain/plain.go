// Package plain makes strangers' text, such as names and what a server says, harmless to show: no
// terminal obeys anything in it, and no name rewrites its line. Names of people have stricter rules
// than a verdict may rest on (names.go).
package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Text makes control characters, line ends, and characters that change the direction of writing
// visible.
func Text(s string) string { return escapeUnprintable(s, "\u00a0") } // U+00A0 is in Hungarian numbers

// Lines is Text but keeps line ends and tabs.
func Lines(s string) string { return escapeUnprintable(s, "\u00a0\n\t") }

// JSON writes v as one line of JSON. It escapes in strings what Text makes visible, so that programs
// read the original.
func JSON(w io.Writer, v any) error {
	var line, out bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	for _, r := range line.String() { // there is only ASCII outside of strings
		if r == '\n' || r == '\u00a0' || unicode.IsPrint(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, "\\u%04x", unit)
		}
	}
	_, err := out.WriteTo(w)
	return err
}

// ASCII returns s on one line of at most n bytes of printable ASCII, for files and logs that quote
// strangers.
func ASCII(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e {
			return '?'
		}
		return r
	}, s[:min(len(s), n)])
}

// Address returns the URL of a server for documents, without user name and password. It returns a
// file or directory unchanged.
func Address(source string) string {
	u, err := url.Parse(source)
	if err != nil || u.User == nil {
		return source
	}
	u.User = nil
	return u.String()
}

// Text between the two is a unit whichever way it is written (Unicode Standard Annex 9).
const firstStrong, popIsolate = '\u2068', '\u2069'

// Isolate encloses a name that is written from right to left in U+2068 and U+2069, so that it does
// not reorder its neighbours. It returns other names unchanged.
func Isolate(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool {
		return unicode.In(c, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
	}) {
		return string(firstStrong) + name + string(popIsolate)
	}
	return name
}

// endsIsolates reports whether every isolate of s ends within it, so that it reorders nothing
// outside.
func endsIsolates(s string) bool {
	open := 0
	for _, r := range s {
		switch r {
		case firstStrong:
			open++
		case popIsolate:
			open--
		}
		if open < 0 {
			return false
		}
	}
	return open == 0
}

// escapeUnprintable escapes all except printable characters, those in besides, and isolates that end.
func escapeUnprintable(s, besides string) string {
	var b strings.Builder
	if endsIsolates(s) {
		besides += string(firstStrong) + string(popIsolate)
	}
	for _, r := range s {
		if !unicode.IsPrint(r) && !strings.ContainsRune(besides, r) {
			fmt.Fprintf(&b, "\\u{%x}", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
