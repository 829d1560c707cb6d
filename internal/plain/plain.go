// Package plain makes text that strangers have chosen, such as names and what a
// server says, harmless to show: a terminal that shows it obeys nothing in it, and a
// name does not rewrite the line that it stands in. What people are called is held to more than
// a verdict may rest on (names.go).
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

// Text makes control characters, line ends, and what turns the direction of writing
// visible.
func Text(s string) string { return escapeUnprintable(s, "\u00a0") } // which is in Hungarian numbers

// Lines is Text, and keeps line ends and tabs.
func Lines(s string) string { return escapeUnprintable(s, "\u00a0\n\t") }

// JSON writes v as one line of JSON, with what Text makes visible in strings as
// escapes: programs read what it was.
func JSON(w io.Writer, v any) error {
	var line, out bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	for _, r := range line.String() { // outside of strings there is only ASCII
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

// ASCII is s in one line of at most n bytes of printable ASCII, for files and logs that quote
// what strangers say.
func ASCII(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e {
			return '?'
		}
		return r
	}, s[:min(len(s), n)])
}

// Address is the URL of a server as documents have it: without the name and the password that open it. A file or
// directory is itself.
func Address(source string) string {
	u, err := url.Parse(source)
	if err != nil || u.User == nil {
		return source
	}
	u.User = nil
	return u.String()
}

// A name that begins with the one is a unit up to the other, whichever way it is written (Unicode Standard Annex 9).
const firstStrong, popIsolate = '\u2068', '\u2069'

// Isolate keeps a name that is written from right to left from turning what stands beside it around: it is between
// U+2068 and U+2069 then. Other names are as they are.
func Isolate(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool {
		return unicode.In(c, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
	}) {
		return string(firstStrong) + name + string(popIsolate)
	}
	return name
}

// endsIsolates reports whether each isolate of s ends within it: such ones turn nothing around.
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

// escapeUnprintable keeps what can be printed, and some besides; and names that were isolated.
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
