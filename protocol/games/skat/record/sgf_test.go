package record

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// games are lines of random play.
func games(t testing.TB) []string {
	t.Helper()
	raw := testmust.Have(os.ReadFile("testdata/random.sgf"))(t)
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

func parse(t *testing.T, line string) *Deal {
	t.Helper()
	d, err := ParseLine(line)
	testmust.Requiref(t, err == nil, "%v\n%s", err, line)
	return d
}

// A line that is read otherwise than it was written, or scored otherwise than it says.
func TestGames(t *testing.T) {
	for _, line := range games(t) {
		d := parse(t, line)
		testmust.Equal(t, d.Line(), line, "written", "and read as")
		s := Score(d)
		testmust.Holdf(t, s.Agrees(), "%s %v\n%s", s.Verdict, s.Findings, line)
	}
}

// What servers wrote in other years means the same: no CO[], no r:, ouvert without hand,
// the announcement apart from the discards, bars between hands, space.
func TestOtherSpellings(t *testing.T) {
	plain := gameLine(t, "GHO")
	for name, edit := range map[string]*strings.Replacer{
		"no comment":       strings.NewReplacer("CO[]", ""),
		"no r:":            strings.NewReplacer(" r:0]", "]"),
		"ouvert by itself": strings.NewReplacer(" GHO ", " GO "),
		"all letters":      strings.NewReplacer(" GHO ", " GHOSZ "),
		"space":            strings.NewReplacer("MV[", "MV[ ", "R[", " R[", ";)", ";) \r"),
		"other order":      strings.NewReplacer("bidok p:27 t:2", "t:2 bidok p:27"),
	} {
		got := parse(t, edit.Replace(plain))
		testmust.Holdf(t, edit.Replace(plain) != plain && reflect.DeepEqual(got, parse(t, plain)), "%s is read as %+v", name, got)
	}
	for _, line := range games(t) {
		apart := announced.ReplaceAllString(line, "$1 $2 $1 $3 ")
		a, b := Score(parse(t, line)), Score(parse(t, apart))
		testmust.Holdf(t, a.String() == b.String(), "%v, and with the discards in a move of their own %v", a, b)
	}
}

var announced = regexp.MustCompile(`(\d) ([CSHDGN]O?)\.(\S+) `)

// gameLine is the first line that has a text.
func gameLine(t *testing.T, text string) string {
	t.Helper()
	for _, line := range games(t) {
		if strings.Contains(line, text) {
			return line
		}
	}
	t.Fatalf("no game has %q", text)
	return ""
}

// A line that is no game, and is taken for one: each has one thing wrong.
func TestNoGames(t *testing.T) {
	line := gameLine(t, "GHO")
	for want, bad := range map[string]string{
		"between (; and ;)":   line[1:],
		"no LABEL[value]":     strings.Replace(line, " ;)", " CO ;)", 1),
		"MV[] is missing":     "(;GM[Skat]PC[] ;)",
		"GM[] is missing":     strings.Replace(line, "GM[Skat]", "", 1),
		"not Skat":            strings.Replace(line, "GM[Skat]", "GM[Doppelkopf]", 1),
		"no property":         strings.Replace(line, "CO[]", "XX[]", 1),
		"there twice":         strings.Replace(line, "CO[]", "CO[]CO[]", 1),
		"is dealt twice":      strings.Replace(line, ".DK.", ".D8.", 1),
		"31 cards":            strings.Replace(line, ".DK.", ".", 1),
		"is no card":          strings.Replace(line, ".DK.", ".D1.", 1),
		"without a move":      strings.Replace(line, " ]R[", " 0 ]R[", 1),
		"the players are":     strings.Replace(line, " 2 GHO", " 3 GHO", 1),
		"nobody knows":        strings.Replace(line, " GHO", " XHO", 1),
		"is no game":          strings.Replace(line, " GHO", " GHQ", 1),
		"stands there twice":  strings.Replace(line, " GHO", " GHH", 1),
		"no number":           strings.Replace(line, "v:", "v:0", 1),
		"not known":           strings.Replace(line, "v:", "w:", 1),
		"are missing":         strings.Replace(line, "loss ", "", 1),
		"no player":           strings.Replace(line, "l:-1", "l:3", 1),
		"begins with the":     strings.Replace(line, "MV[w", "MV[0", 1),
		"no player 0, 1 or 2": strings.Replace(line, " ]R[", " w TI.3 ]R[", 1),
		"printable":           strings.Replace(line, "CO[]", "CO[\x07]", 1),
		"not UTF-8":           strings.Replace(line, "CO[]", "CO[\xff]", 1),
		"at most 8192":        strings.Replace(line, "CO[]", "CO["+strings.Repeat("x", MaxLine)+"]", 1),
	} {
		_, err := ParseLine(bad)
		testmust.Holdf(t, err != nil && strings.Contains(err.Error(), want), "%v, want %q\n%.400s", err, want, bad)
	}
}

// Whatever is read is written as what is read again as the same, and scored without a
// panic.
func FuzzParseLine(f *testing.F) {
	for _, line := range games(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		d, err := ParseLine(line)
		if err != nil {
			return
		}
		again, err := ParseLine(d.Line())
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, d.Line())
		}
		testmust.Requiref(t, reflect.DeepEqual(again, d), "%+v was written as %+v", d, again)
		_ = Score(d).String()
	})
}
