package record

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// A game that is read otherwise than it was written.
func TestText(t *testing.T) {
	for _, line := range append(games(t), handGame,
		cut(t, handGame, andThen, "2 SC 1 RE w TI.1 ", "d:-1 penalty v:0 m:0 bidok p:0 t:0 s:0 z:0 p0:0 p1:1 p2:0 l:-1 to:1 r:0"),
		cut(t, handGame, andThen, "w LE.0 ", "d:2 loss v:-66 m:-1 overbid p:0 t:0 s:1 z:1 p0:0 p1:0 p2:0 l:0 to:-1 r:1")) {
		d := parse(t, line)
		again, err := ParseText(d.Text())
		if err != nil {
			t.Fatalf("%v\n%s", err, d.Text())
		}
		if !reflect.DeepEqual(again, d) {
			t.Fatalf("%+v\nwas written as\n%s\nand is read as %+v", d, d.Text(), again)
		}
	}
}

// A game that is another one in the other form: a hand game that is announced without the
// word, a name with a bracket.
func TestTextAsLine(t *testing.T) {
	text := parse(t, strings.Replace(handGame, "P0[a]", "P0[[a]", 1)).Text()
	d := testmust.Have(ParseText(strings.Replace(text, "spades hand", "spades", 1)))(t)
	if again := parse(t, d.Line()); !reflect.DeepEqual(again, d) {
		t.Fatalf("%+v\nwas written as\n%s\nand is read as %+v", d, d.Line(), again)
	}
	s := Score(d)
	testmust.Holdf(t, s.Verdict == Scored, "%s: %v", s.Verdict, s.Findings)
}

// As many moves as a game of text may have are too many for its line.
func TestMostMoves(t *testing.T) {
	head, _, _ := strings.Cut(parse(t, handGame).Text(), "M 18")
	d, err := ParseText(head + strings.Repeat("F pass\n", maxMoves))
	if err == nil {
		_, err = ParseLine(d.Line())
	}
	testmust.Do(t, err)
}

// What a person reads.
func TestTextOfAGame(t *testing.T) {
	want := `deal: 7
forehand: a
middlehand: b
rearhand: c
F: AS 7H 8S QH KD AC 10S 10D 9H AD
M: QS 8D 10H 10C 7D 8C KS JC QC 9S
R: KH JS 7S KC JH 9C JD QD AH 8H
skat: 7C 9D
M 18, F yes, M 20, F pass, R 22, M yes, R 23, M pass
R announces spades hand
F 9H, M 10H, R 8H
M 9S, R JH, F AS
`
	got := parse(t, handGame).Text()
	testmust.Holdf(t, strings.HasPrefix(got, want) && strings.HasSuffix(got, "\nresult: R win, value 33, matadors -1, points 72, tricks 5\n\n"),
		"written as\n%s", got)
}

// Text that is no game and is taken for one.
func TestNoText(t *testing.T) {
	text := parse(t, handGame).Text()
	for want, bad := range map[string]string{
		"there twice":            strings.Replace(text, "forehand:", "rearhand:", 1),
		"nobody knows this line": strings.Replace(text, "forehand:", "backhand:", 1),
		"no ], ":                 strings.Replace(text, "forehand: a", "forehand: [a]", 1),
		"10 cards, not 9":        strings.Replace(text, "F: AS", "F:", 1),
		"in this order":          strings.Replace(text, "F: AS", "M: AS", 1),
		"is no card":             strings.Replace(text, "F: AS", "F: 1S", 1),
		"is dealt twice":         strings.Replace(text, "F: AS", "F: QS", 1),
		"begins with F, M or R":  strings.Replace(text, "M 18", "X 18", 1),
		"nobody knows this move": strings.Replace(text, "M 18", "M 18 20", 1),
		"is no game":             strings.Replace(text, "spades hand", "ramsch", 1),
		"it begins with":         strings.Replace(text, "R win, ", "", 1),
		"no number":              strings.Replace(text, "value 33", "value many", 1),
		"not known in a result":  strings.Replace(text, "value 33", "worth 33", 1),
		"no player":              strings.Replace(text, "R win", "X win", 1),
		"the deal has 0 cards":   "deal: 1\n",
	} {
		_, err := ParseText(bad)
		testmust.Holdf(t, bad != text && err != nil && strings.Contains(err.Error(), want), "%v, want %q", err, want)
	}
}

// Whatever is read of text is written as what is read again as the same.
func FuzzParseText(f *testing.F) {
	for _, line := range games(f)[:8] {
		if d, err := ParseLine(line); err == nil {
			f.Add(d.Text())
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseText(text)
		if err != nil {
			return
		}
		again, err := ParseText(d.Text())
		if err != nil || !reflect.DeepEqual(again, d) {
			t.Fatalf("%v: %+v was written as\n%s", err, d, d.Text())
		}
		_ = Score(d).String()
	})
}

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
