// Package plain makes text that strangers have chosen, such as names and what a
// server says, harmless to show: a terminal that shows it obeys nothing in it, and a
// name does not rewrite the line that it stands in.
package plain

import (
	"fmt"
	"strings"
	"unicode"
)

// Text makes control characters, line ends, and what turns the direction of writing
// visible.
func Text(s string) string { return shown(s, "\u00a0") } // which is in Hungarian numbers

// Lines is Text, and keeps line ends and tabs.
func Lines(s string) string { return shown(s, "\u00a0\n\t") }

// shown keeps what can be printed, and some besides.
func shown(s, besides string) string {
	var b strings.Builder
	for _, r := range s {
		if !unicode.IsPrint(r) && !strings.ContainsRune(besides, r) {
			fmt.Fprintf(&b, "\\u{%x}", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
