package plain_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/internal/testmust"
)

// A name looks like another person's, or like nothing; or a person cannot use her own name.
// (Attack 33)
func TestCheck(t *testing.T) {
	for _, name := range []string{"Kovács Béla", "anna", "Nguyễn Thị Ánh", "Đặng", "山田", "Ольга", "O’Neil-Smith 3.", "Šćepan", "عمر"} {
		testmust.Do(t, plain.CheckName(name), name, "is refused")
	}
	for what, name := range map[string]string{
		"nothing": "", "a space before": " anna", "two spaces": "anna  b", "no-break space": "anna\u00a0b", "decomposed": "Be\u0301la",
		"two scripts": "аnna", "an override": "anna\u202e", "zero width": "an\u200bna", "97 bytes": strings.Repeat("a", 97), "three marks": "a\u0316\u0317\u0318",
	} {
		testmust.Fail(t, plain.CheckName(name), what, name, "is taken")
	}
}

// Two people pass for one: with other letters, small letters, or invisible letters.
func TestPlayers(t *testing.T) {
	for _, name := range []string{"", " ", "Kovács, Anna", "\u3164", "\u2800", "…", "\u115f\u1160"} {
		testmust.Fail(t, plain.CheckPlayer(name), name, "is taken")
	}
	for _, pair := range [][2]string{{"Anna", "ANNA"}, {"GRÜN-WEIß", "grün-weiß"}, {"MARN", "mam"}, {"Ida", "lda"}, {"СОРА", "copa"}} {
		testmust.Hold(t, plain.LookAlike(pair[0], pair[1]), pair[0], "and", pair[1])
	}
	testmust.Hold(t, !plain.LookAlike("Anna", "Anne") && !plain.LookAlike("Béla", "Bela"), "names that do not look alike")
	for written, spelt := range map[string]string{"Kovács Anna": "kovacs-anna", "Grün-Weiß": "grun-weiss", "山田": "seat", "Ольга 2": "2", "anna_1.x": "anna_1.x", "…": "seat", "Anna Bot": "anna_bot"} {
		testmust.Equal(t, plain.InKey(written), spelt, written)
	}
	testmust.Equal(t, plain.InKeyOfBot("Béla-bot"), "bela-bot")
	testmust.Hold(t, plain.IsBot(plain.InKeyOfBot("Anna")+"+1+A") && !plain.IsBot(plain.InKey("Anna Bot")+"+1+A"), "who is a bot")
}

// A second player has another's name in another spelling; or two people whom nobody could confuse are
// shown as if somebody could.
func TestAlike(t *testing.T) {
	for _, pair := range [][2]string{
		{"copa", "сора"}, {"Koba", "Koba"}, {"Anna Karn", "Anna Kam"}, {"Ida", "lda"}, {"Ida", "1da"}, {"OTTO", "0TT0"}, {"TOMA", "ТОМА"}, {"TOMA", "ΤΟΜΑ"},
		{"Béla", "Béla"}, {"O’Neil", "O'Neil"}, {"Smith-Kiss", "Smith–Kiss"}, {"Cæsar", "Caesar"}, {"НИНА", "НИНА"}, {"ΝΕΑ", "NEA"}, {"mm", "rnrn"},
	} {
		if plain.Skeleton(pair[0]) != plain.Skeleton(pair[1]) {
			t.Errorf("%q and %q look alike, and are %q and %q", pair[0], pair[1], plain.Skeleton(pair[0]), plain.Skeleton(pair[1]))
		}
	}
	for _, pair := range [][2]string{{"Béla", "Bela"}, {"anna", "Anna"}, {"Anna", "Anne"}, {"Ольга", "Onbra"}, {"山田", "田山"}} {
		testmust.Hold(t, plain.Skeleton(pair[0]) != plain.Skeleton(pair[1]), pair[0], "and", pair[1], "are both", plain.Skeleton(pair[0]))
	}
}

// If a skeleton had another skeleton itself, the order of two names would decide which of them looks
// like a third.
func TestSkeletonOfASkeleton(t *testing.T) {
	for c := range rune(0x3000) { // the last letter that looks like another is a minus sign, 0x2212
		name := string(c)
		if once := plain.Skeleton(name); plain.Skeleton(once) != once {
			t.Errorf("%q is %q, which is %q", name, once, plain.Skeleton(once))
		}
	}
}

// Names that look alike must differ in what is shown of them.
func TestShow(t *testing.T) {
	r := plain.NewRoster([]string{"Ida", "lda", "Béla"}, func(name string) string { return name })
	for _, c := range []struct{ name, want string }{{"Ida", "Ida (…12345678)"}, {"lda", "lda (…12345678)"}, {"Béla", "Béla"}} {
		testmust.Equal(t, r.Show(c.name, "x+0000000a+AAAA12345678"), c.want)
	}
	testmust.Equal(t, r.Show("Ida", "k"), "Ida (…k)")
}

// Text that clears a screen is escaped in JSON, and reads back as it was.
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

// A report that is passed on contains a password.
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

// A right-to-left name reverses the sentence around it, or is shown with the isolating characters
// visible.
func TestNamesAreIsolated(t *testing.T) {
	testmust.Equal(t, plain.Isolate("Kovács Béla"), "Kovács Béla", "a name from left to right")
	name := plain.Isolate("\u05d3\u05d5\u05d3 3")
	testmust.Equal(t, plain.Text("B "+name+" left"), "B \u2068\u05d3\u05d5\u05d3 3\u2069 left", "a name from right to left")
}

// Text clears a screen, colours a verdict, or writes from right to left.
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
