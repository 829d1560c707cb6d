package plain_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/plain"
)

// What clears a screen, colours a verdict, or writes from right to left.
func TestNothingIsObeyed(t *testing.T) {
	for in, want := range map[string]string{
		"Kovács Béla 1\u00a0000": "Kovács Béla 1\u00a0000",
		"\x1b[2J":                `\u{1b}[2J`,
		"a\u009b8mb":             `a\u{9b}8mb`,
		"\u202egnp.exe":          `\u{202e}gnp.exe`,
		"a\rb\x7f":               `a\u{d}b\u{7f}`,
		"\xff":                   "\ufffd",
	} {
		if got := plain.Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if got := plain.Lines(in); got != want {
			t.Errorf("lines of %q: %q, want %q", in, got, want)
		}
	}
	if got := plain.Text("a\n\tb"); strings.ContainsAny(got, "\n\t") {
		t.Errorf("%q", got)
	}
	if got := plain.Lines("a\n\tb"); got != "a\n\tb" {
		t.Errorf("%q", got)
	}
}
