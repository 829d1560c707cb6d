package record

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
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
	if s := Score(d); s.Verdict != Scored {
		t.Errorf("%s: %v", s.Verdict, s.Findings)
	}
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
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\nresult: R win, value 33, matadors -1, points 72, tricks 5\n\n") {
		t.Errorf("written as\n%s", got)
	}
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
		if _, err := ParseText(bad); bad == text || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
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

// recorded plays a list by chance, and returns its record and its end.
func recorded(t *testing.T, c tabletest.Config, seed uint64) (*Recorder, skat.State) {
	t.Helper()
	choice := rand.New(rand.NewPCG(seed, 92))
	played := testmust.Have(tabletest.New(play.NewGame(skat.Rules{}), c, seed))(t)
	r := NewRecorder("table", []string{"ada", "bela", "cleo", "dora"}[:c.Seats], table.Config{})
	b := game.NewRecord[skat.State, skat.Move](r)
	for len(played.State.Duties()) > 0 {
		before := played.State
		entry := testmust.Have(skattest.Message(played, choice))(t)
		testmust.Do(t, played.Add(entry))
		m := testmust.Have(wire.Parse(entry))(t).Message
		var body wire.MoveBody
		if m.Kind == wire.KindMove {
			testmust.Do(t, wire.DecodeBody(m.Body, &body))
			testmust.Do(t, b.AddMove(before, played.State, table.Seat(m.Seat), body.Move))
		}
	}
	testmust.Do(t, b.Close(played.State))
	last, _ := table.Public[skat.State](played.State)
	return r, last
}

// A record that says something else than was played: of random lists each line is read
// as what was written, and the scorer, who has nothing but the line, finds no broken rule
// and the scores of the table.
func TestRecorder(t *testing.T) {
	verdicts := map[Verdict]int{}
	untold := 0
	first, end := uint64(4), uint64(8) // lists of which two pass a deal in
	if thorough.Tests() {
		first, end = 0, 20
	}
	for seed := first; seed < end; seed++ {
		c := tabletest.Config{Seats: 3 + int(seed%2), Deals: 8, Options: map[string]string{"early": []string{"open", "prove"}[seed%3/2]}}
		r, last := recorded(t, c, seed)
		lines := strings.Split(strings.TrimSpace(string(r.Lines())), "\n")
		for i, line := range lines {
			d, err := ParseLine(line)
			if err != nil {
				t.Fatalf("%v\n%s", err, line)
			}
			if again := d.Line(); again != line {
				t.Fatalf("written\n%s\nand read as\n%s", line, again)
			}
			s := Score(d)
			verdicts[s.Verdict]++
			if len(s.Findings)+len(s.Customs) > 0 || s.Verdict != Scored && s.Verdict != PassedIn && s.Verdict != Untold {
				t.Fatalf("seed %d: %s %v %v\n%s", seed, s.Verdict, s.Findings, s.Customs, line)
			}
			if past := last.Past[i]; s.Result == nil && past.Result != nil {
				untold++ // its matadors were proved and not shown
				if c.Options["early"] == "open" {
					t.Fatalf("seed %d: %s, but no score\n%s", seed, past.How, line)
				}
			} else if past.Result != nil && s.Result.Score != past.Result.Score {
				t.Fatalf("seed %d: scores %d, and the table %d\n%s", seed, s.Result.Score, past.Result.Score, line)
			}
		}
		testmust.Equal(t, len(lines), len(last.Past), "seed", seed, "lines of deals")
	}
	t.Logf("%v, %d not told", verdicts, untold)
	if untold != verdicts[Untold] || untold > verdicts[Scored]/2 || verdicts[PassedIn] == 0 {
		t.Errorf("%v, %d not told", verdicts, untold)
	}
}
