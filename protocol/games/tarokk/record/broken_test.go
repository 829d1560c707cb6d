package record_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk/record"
)

// change is a record that somebody spoiled: a text in it is replaced, and what
// follows another is cut off.
type change struct {
	Name, File, Old, Now, Cut string
}

func (c change) text(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/deals/" + c.File + ".tarokk")
	text := string(raw)
	if err != nil || strings.Count(text, c.Old) != 1 {
		t.Fatalf("%s: %q is there %d times, %v", c.File, c.Old, strings.Count(text, c.Old), err)
	}
	text = strings.Replace(text, c.Old, c.Now, 1)
	if c.Cut != "" {
		text, _, _ = strings.Cut(text, c.Cut)
	}
	return text
}

// lineOf is the number of the line that begins with a text.
func lineOf(text, begin string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, begin) {
			return i + 1
		}
	}
	return 0
}

// Every way to break a rule that a record can show, and some that only its
// writer can have broken: found late, under another number, in another line, or
// laid at another door, as of who sits there in the next deal; or told by a seat's number.
func TestBroken(t *testing.T) {
	names := map[string]string{"A": "Anna", "B": "Béla", "C": "Csilla", "D": "Dezső"}
	number := regexp.MustCompile(`seat [0-9]|statement`)
	for _, c := range testmust.ReadVectors[[]struct {
		change
		Rule, Line, Seat string
	}](t, "testdata", "broken") {
		t.Run(c.Name, func(t *testing.T) {
			text := c.text(t)
			want := lineOf(text, c.Line)
			worse := text // later a card is there twice, too
			if want < lineOf(text, "trick 3") {
				worse = strings.Replace(text, "XVI ♦K VII IV", "XVI VIII VII IV", 1)
			}
			for _, text := range []string{text, worse} {
				_, report := scored(t, text)
				b := report.Broken
				testmust.Requiref(t, report.Verdict == record.Broken && b != nil, "not found:\n%s", report)
				rule, _, _ := strings.Cut(b.Rule, ",")
				if rule != c.Rule || b.Line != want || b.Seat != c.Seat || c.File != "yielded-two" && b.Member != names[c.Seat] || number.MatchString(b.Text) {
					t.Errorf("%v\nwant %s in line %d by %q, and in words", b, c.Rule, want, names[c.Seat])
				}
			}
		})
	}
}
