package plain_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/internal/testmust"
)

// What clears a screen, in JSON: there it is read as what it was.
func TestNothingIsObeyedInJSON(t *testing.T) {
	for in, want := range map[string]string{
		"Kovács <Béla> 1\u00a0000": "\"Kovács <Béla> 1\u00a0000\"\n",
		"\x1b[2J\r\n":              `"\u001b[2J\r\n"` + "\n",
		"a\u009b8m\x7f":            `"a\u009b8m\u007f"` + "\n",
		"\u202egnp.exe\u2028":      `"\u202egnp.exe\u2028"` + "\n",
		"\U000e0041":               `"\udb40\udc41"` + "\n",
	} {
		var b strings.Builder
		if err := plain.JSON(&b, in); err != nil || b.String() != want {
			t.Errorf("%q: %s, want %s (%v)", in, &b, want, err)
		}
		var out string
		err := json.Unmarshal([]byte(b.String()), &out)
		testmust.Holdf(t, err == nil && out == in, "%q is read as %q (%v)", in, out, err)
	}
	testmust.Fail(t, plain.JSON(io.Discard, func() {}), "a function was written as JSON")
}

// A password in a report that is handed on.
func TestAddressHasNoPassword(t *testing.T) {
	for in, want := range map[string]string{
		"https://anna:secret@cards.example/x?y": "https://cards.example/x?y",
		"https://secret@[::1]:8080":             "https://[::1]:8080",
		"http://127.0.0.1:8080/":                "http://127.0.0.1:8080/",
		"copies/of@home":                        "copies/of@home",
		`C:\a%b`:                                `C:\a%b`,
	} {
		testmust.Equal(t, plain.Address(in), want, in)
	}
}

// A name from right to left that turns the sentence around in which it stands, or is shown as what keeps it from that.
func TestNamesAreIsolated(t *testing.T) {
	testmust.Equal(t, plain.Isolate("Kovács Béla"), "Kovács Béla", "a name from left to right")
	name := plain.Isolate("\u05d3\u05d5\u05d3 3")
	testmust.Equal(t, plain.Text("B "+name+" left"), "B \u2068\u05d3\u05d5\u05d3 3\u2069 left", "a name from right to left")
}

// What clears a screen, colours a verdict, or writes from right to left.
func TestNothingIsObeyed(t *testing.T) {
	for in, want := range map[string]string{
		"Kovács Béla 1\u00a0000": "Kovács Béla 1\u00a0000",
		"\x1b[2J":                `\u{1b}[2J`,
		"a\u009b8mb":             `a\u{9b}8mb`,
		"\u202egnp.exe":          `\u{202e}gnp.exe`,
		"a\rb\x7f":               `a\u{d}b\u{7f}`,
		"\xff":                   "\ufffd",
		"a\u2069b\u2068":         `a\u{2069}b\u{2068}`,
		"\u2068\u2068a\u2069":    `\u{2068}\u{2068}a\u{2069}`,
	} {
		testmust.Equal(t, plain.Text(in), want, in)
		testmust.Equal(t, plain.Lines(in), want, "lines of", in)
	}
	got := plain.Text("a\n\tb")
	testmust.Holdf(t, !strings.ContainsAny(got, "\n\t"), "%q", got)
	testmust.Equal(t, plain.Lines("a\n\tb"), "a\n\tb")
}
