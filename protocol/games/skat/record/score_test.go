package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// Games of random play, and what is made of them.
const (
	// Spades by hand at 23, won with 72 points.
	handGame = "(;GM[Skat]PC[]CO[]SE[]ID[7]DT[]P0[a]P1[b]P2[c]R0[]R1[]R2[]MV[w SA.H7.S8.HQ.DK.CA.ST.DT.H9.DA.SQ.D8.HT.CT.D7.C8.SK.CJ.CQ.S9.HK.SJ.S7.CK.HJ.C9.DJ.DQ.HA.H8.C7.D9 1 18 0 y 1 20 0 p 2 22 1 y 2 23 1 p 2 SH 0 H9 1 HT 2 H8 1 S9 2 HJ 0 SA 2 C9 0 CA 1 CQ 0 S8 1 SQ 2 S7 1 SK 2 SJ 0 ST 2 HA 0 HQ 1 CT 2 HK 0 H7 1 C8 2 CK 0 DA 1 D8 2 DJ 0 DK 1 CJ 1 D7 2 DQ 0 DT ]R[d:2 win v:33 m:-1 bidok p:72 t:5 s:0 z:0 p0:0 p1:0 p2:0 l:-1 to:-1 r:0] ;)"
	// The same deal with the skat taken and laid aside again.
	taken   = " 2 s w C7.D9 2 S.C7.D9 0 H9 "
	byHand  = " 2 SH 0 H9 "
	andThen = " 1 HT 2 H8 " // the rest of trick 1, which middlehand wins
)

// cut ends the game after a text, with more behind it and another result.
func cut(t *testing.T, line, after, more, result string) string {
	t.Helper()
	head, _, ok := strings.Cut(line, after)
	_, tail, _ := strings.Cut(line, "]R[")
	testmust.Requiref(t, ok, "no %q in the line", after)
	_, end, _ := strings.Cut(tail, "]")
	return head + after + more + "]R[" + result + "]" + end
}

func result(outcome string, v, m, p, tr int) string {
	return fmt.Sprintf("d:2 %s v:%d m:%d bidok p:%d t:%d s:0 z:0 p0:0 p1:0 p2:0 l:-1 to:-1 r:1", outcome, v, m, p, tr)
}

// What a record says and the rules do not: each is one alteration of a game that agrees
// with them, found by its rule.
func TestFindings(t *testing.T) {
	edit := func(old, with string) string {
		testmust.Requiref(t, strings.Contains(handGame, old), "no %q in the game", old)
		return strings.Replace(handGame, old, with, 1)
	}
	withSkat := strings.Replace(strings.Replace(handGame, byHand, taken, 1), "v:33", "v:22", 1)
	closed := strings.Replace(handGame, "SQ.D8.HT.CT.D7.C8.SK.CJ.CQ.S9", "??.??.HT.??.??.??.??.??.??.??", 1)
	noSkat := func(old, with string) string {
		return strings.Replace(strings.Replace(withSkat, old, with, 1), "v:22", "v:22", 1)
	}
	for _, c := range []struct {
		name    string
		line    string
		verdict Verdict
		rules   []string
	}{
		{"as played", handGame, Scored, nil},
		{"with the skat, and overbid", strings.Replace(withSkat, "2 win v:22 m:-1 bidok", "2 loss v:-66 m:-1 overbid", 1), Scored, nil},
		{"overbid, and won for the record", withSkat, Scored, []string{"SK-R-52", "SK-R-52", "SK-R-53"}},
		{"another value", edit("v:33", "v:44"), Scored, []string{"SK-R-47"}},
		{"lost", edit("win v:33", "loss v:-66"), Scored, []string{"SK-R-49", "SK-R-47"}},
		{"matadors", edit("m:-1", "m:-2"), Scored, []string{"SK-R-38"}},
		{"points", edit("p:72", "p:71"), Scored, []string{"SK-R-02"}},
		{"tricks", edit("t:5", "t:6"), Scored, []string{"SK-R-34"}},
		{"another declarer", edit("d:2", "d:1"), Scored, []string{"SK-R-18"}},
		{"passed in", cut(t, handGame, " 0 DT ", "", "passed"), Scored, []string{"SK-R-20"}},
		{"a value that no game has", edit("2 23 1 p", "2 25 1 p"), Illegal, []string{"SK-R-14"}},
		{"bids out of turn", edit("2 23 1 p", "1 23 1 p"), Illegal, []string{"SK-R-15"}},
		{"not above", edit("2 23 1 p", "2 22 1 p"), Illegal, []string{"SK-R-15"}},
		{"a hand game after taking", noSkat(" 2 S.C7.D9", " 2 SH.C7.D9"), Illegal, []string{"SK-R-28"}},
		{"Schneider after taking", noSkat(" 2 S.C7.D9", " 2 SS.C7.D9"), Illegal, []string{"SK-R-28"}},
		{"a null below the bid", noSkat("2 23 1 p 2 s w C7.D9 2 S.", "2 24 1 p 2 s w C7.D9 2 N."), Illegal, []string{"SK-R-29"}},
		{"discards what he has not", noSkat(" 2 S.C7.D9", " 2 S.C7.SA"), Illegal, []string{"SK-R-25"}},
		{"discards a card twice", noSkat(" 2 S.C7.D9", " 2 S.C7.C7"), Illegal, []string{"SK-R-25"}},
		{"another skat", noSkat("w C7.D9", "w C7.SA"), Illegal, []string{"SK-R-25"}},
		{"nothing laid aside", noSkat(" 2 S.C7.D9", " 2 S"), Illegal, []string{"SK-R-25"}},
		{"somebody else announces", edit("2 SH", "1 SH"), Illegal, []string{"SK-R-24"}},
		{"the declarer leads", edit("0 H9 1 HT", "2 H9 1 HT"), Illegal, []string{"SK-R-32"}},
		{"a card of another hand", edit("0 H9 1 HT", "0 HK 1 HT"), Illegal, []string{"SK-R-35"}},
		{"a card again", edit("0 CA 1 CQ", "0 CA 1 HT"), Illegal, []string{"SK-R-35"}},
		{"does not follow", edit("0 H9 1 HT", "0 H9 1 CT"), Illegal, []string{"SK-R-33"}},
		{"does not follow, with a card that another was dealt", cut(t, closed, " 2 SH ", "0 H9 1 CK ", result("loss", -66, -1, 0, 0)), Illegal, []string{"SK-R-33"}},
		{"overbid, and won", edit("bidok", "overbid"), Scored, []string{"SK-R-52"}},
		{"points, tricks and matadors that R does not have", edit("m:-1 bidok p:72 t:5", "bidok"), Scored, nil},
		{"a play that nobody named, and gone", cut(t, handGame, " 2 SH ", "0 ?? w LE.1 ", result("loss", -66, -1, 0, 0)), BrokenOff, nil},
		{"more after the end", edit("0 DT ]", "0 DT 0 DT ]"), Illegal, []string{"SK-R-36"}},
		{"a defender claims", edit("1 S9 2 HJ", "1 SC 1 S9 2 HJ"), Illegal, []string{"SK-R-61"}},
		{"shows what he has not", edit("1 S9 2 HJ", "2 SC.SA 1 S9 2 HJ"), Illegal, []string{"SK-R-59"}},
		{"concedes twice", edit("1 S9 2 HJ", "1 RE 1 RE 2 HJ"), Illegal, []string{"SK-R-55"}},
		{"an ace that nobody named", edit("0 H9 1 HT", "0 ?? 1 HT"), Unfinished, nil},
		{"stops short", cut(t, handGame, andThen, "", result("win", 33, -1, 72, 5)), Unfinished, nil},
		{"out of time", cut(t, handGame, andThen, "w TI.1 ", result("win", 33, -1, 72, 5)), BrokenOff, nil},
		{"gone in the auction", cut(t, handGame, " 2 22 ", "w LE.1 ", "d:-1 penalty v:0 m:0 bidok p:0 t:0 s:0 z:0 p0:0 p1:1 p2:0 l:1 to:-1 r:0"), BrokenOff, nil},
	} {
		s := Score(parse(t, c.line))
		var rules []string
		for _, f := range s.Findings {
			rules = append(rules, f.Rule)
		}
		testmust.Holdf(t, s.Verdict == c.verdict && reflect.DeepEqual(rules, c.rules),
			"%s: %s by %v, want %s by %v: %v", c.name, s.Verdict, rules, c.verdict, c.rules, s.Findings)
	}
}

// How the server ends games, and what the rules make of it: rearhand has announced spades
// by hand, and all three have nine cards.
func TestEarlyEnds(t *testing.T) {
	end := func(announcement, after, more, result string) string {
		line := strings.Replace(handGame, " 2 SH ", " 2 "+announcement+" ", 1)
		return cut(t, line, after, more, result)
	}
	for _, c := range []struct {
		name    string
		line    string
		score   int
		rules   []string
		customs []string
	}{
		{"the declarer concedes with nine cards", end("SH", andThen, "2 RE ", result("loss", -66, -1, 0, 0)), -66, nil, nil},
		{"and counts himself Schneider", end("SH", andThen, "2 RE ", result("loss", -88, -1, 0, 0)), -66, []string{"SK-R-56"}, nil},
		{"with eight he asks nobody", end("SH", " 0 SA ", "2 RE ", result("loss", -66, -1, 17, 1)), -66, nil, []string{"SK-R-55"}},
		{"with eight a defender agrees", end("SH", " 0 SA ", "1 RE 2 RE ", result("loss", -66, -1, 17, 1)), -66, nil, nil},
		{"one defender concedes", end("SH", andThen, "1 RE 1 S9 2 RE ", result("loss", -66, -1, 0, 0)), -66, nil, nil},
		{"both do", end("SH", andThen, "1 RE 0 RE ", result("win", 33, -1, 110, 9)), 33, nil, nil},
		{"and Schneider is counted", end("SH", andThen, "1 RE 0 RE ", result("win", 44, -1, 110, 9)), 33, []string{"SK-R-58"}, nil},
		{"a claim is accepted", end("SH", andThen, "2 SC 1 RE 0 RE ", result("win", 33, -1, 110, 9)), 33, nil, nil},
		{"at Schneider", end("SH", andThen, "2 SC 1 RE 0 RE ", strings.Replace(result("win", 44, -1, 110, 9), "s:0", "s:1", 1)), 44, nil, nil},
		{"a claim, a card of his, and accepted", end("SH", " 1 S9 ", "2 SC 2 HJ 1 RE 0 RE ", strings.Replace(result("win", 44, -1, 110, 9), "s:0", "s:1", 1)), 44, nil, nil},
		{"a claim, and a defender plays", end("SH", " 1 S9 ", "2 SC 2 HJ 0 SA 1 RE 0 RE ", strings.Replace(result("win", 44, -1, 103, 9), "s:0", "s:1", 1)), 33, []string{"SK-R-58"}, nil},
		{"Schwarz was announced, and ends with a trick", end("SHZ", andThen, "", result("loss", -154, -1, 0, 0)), -154, nil, []string{"SK-R-36"}},
	} {
		s := Score(parse(t, c.line))
		var rules []string
		for _, f := range s.Findings {
			if f.Rule != "SK-R-02" && f.Rule != "SK-R-34" {
				rules = append(rules, f.Rule)
			}
		}
		testmust.Holdf(t, s.Verdict == Scored && s.Result != nil && s.Result.Score == c.score && reflect.DeepEqual(rules, c.rules) && reflect.DeepEqual(s.Customs, c.customs),
			"%s: %s, %+v, %v, %v; want %d, %v, %v", c.name, s.Verdict, s.Result, s.Findings, s.Customs, c.score, c.rules, c.customs)
	}
}

// endless is a record that never ends by itself.
type endless struct {
	line string
	left int
	rest bytes.Buffer
}

func (e *endless) Read(p []byte) (int, error) {
	for e.rest.Len() == 0 {
		if e.left == 0 {
			return 0, io.EOF
		}
		e.left--
		e.rest.WriteString(e.line)
	}
	return e.rest.Read(p)
}

// One bad line spoils the rest, a line without an end fills the memory, or a line is
// counted under another number.
func TestScoreAll(t *testing.T) {
	record := handGame + "\n\n# a comment\n(" + strings.Repeat("x", 3*MaxLine) + "\n(;no game;)\r\n" + strings.Replace(handGame, "p:72", "p:70", 1) +
		"\n\n" + parse(t, handGame).Text() + strings.Repeat("F 7H\n", MaxLine) + "\nF 7H\n" + strings.Repeat("x", 2*MaxLine) + "\n\n" + strings.TrimSpace(parse(t, handGame).Text())
	var told []string
	sum, err := ScoreAll(strings.NewReader(record), func(s *Scoring) error {
		told = append(told, s.String())
		return nil
	})
	testmust.Do(t, err)
	want := []string{"line 1, game 7: c, spades hand at 23", "line 4: unreadable\n  95.2     a line has at most", "line 5: unreadable\n  95.2     \"no game\"", "line 6, game 7: c",
		"line 8, game 7: c, spades hand at 23", "line 30: unreadable\n  95.2     a line has", "line 8223: unreadable\n  95.2     a line has", "line 8226, game 7: c"}
	testmust.Requiref(t, len(told) == len(want), "%q", told)
	for i := range want {
		testmust.Hold(t, strings.HasPrefix(told[i], want[i]), told[i], "want", want[i])
	}
	testmust.Holdf(t, sum.IsBroken() && !sum.HasUnfinished() && sum.Games[Scored] == 4 && sum.Games[Unreadable] == 4 && sum.Findings["SK-R-02"] == 1,
		"%+v", sum)
	const many = 5_000
	sum, err = ScoreAll(&endless{line: handGame + "\n", left: many}, func(*Scoring) error { return nil })
	testmust.Holdf(t, err == nil && sum.Games[Scored] == many && sum.List.Tally.Points[2] == 33*many, "%+v, %v", sum, err)
	stop := errors.New("stop")
	testmust.FailBy(t, testmust.ErrorOf(ScoreAll(&endless{line: handGame + "\n", left: many}, func(*Scoring) error { return stop })), stop, "want it to stop")
}

// A line that is no game, or a game that lost its bracket, takes the games behind it with it, which go
// unmentioned.
func TestStrayLines(t *testing.T) {
	short := parse(t, handGame).Text()[:200]
	record := "hello\n" + handGame + "\n" + handGame[1:] + "\n" + handGame + "\n" + handGame[:len(handGame)-1] + "\n" + handGame + "\n" +
		short + "\n(" + strings.Repeat("x", MaxLine) + "\n" + handGame
	var at []int
	sum, err := ScoreAll(strings.NewReader(record), func(s *Scoring) error {
		at = append(at, s.Line)
		return nil
	})
	behind := 8 + strings.Count(short, "\n")
	if want := []int{1, 2, 3, 4, 5, 6, 7, behind, behind + 1}; err != nil || sum.Games[Scored] != 4 || sum.Games[Unreadable] != 5 || !reflect.DeepEqual(at, want) {
		t.Errorf("%+v, %v, games in lines %d, want %d", sum, err, at, want)
	}
}

// Somebody else's record that clears the screen of who scores it, and writes a verdict of
// its own there.
func TestUnprintable(t *testing.T) {
	const clear = "\x1b[2J"
	record := "(;GM[Sk" + clear + "] ;)\n" + strings.Replace(handGame, "1 18", "1"+clear+" 18", 1) + "\n(;" + clear + "[x][x] ;)\n" +
		"deal" + clear + ": 1\n\n" + strings.Replace(parse(t, handGame).Text(), "M 18", "M 18\u009b2J", 1)
	sum, err := ScoreAll(strings.NewReader(record), func(s *Scoring) error {
		text := s.String()
		testmust.Holdf(t, !strings.ContainsAny(text, "\x1b\u009b"), "%q", text)
		return nil
	})
	testmust.Holdf(t, err == nil && sum.Games[Unreadable] == 5, "%+v, %v", sum, err)
}

// A card after the end of a deal: the game has a result and is illegal all the same, and
// stops who scores it, or counts in a list.
func TestMoveAfterTheEnd(t *testing.T) {
	line := cut(t, handGame, andThen, "2 RE 1 HT ", "d:2 loss v:-66 m:-1 bidok p:0 t:0 s:0 z:0 p0:0 p1:0 p2:0 l:-1 to:-1 r:1")
	sum, err := ScoreAll(strings.NewReader(line), func(s *Scoring) error {
		text := s.String()
		testmust.Holdf(t, strings.Contains(text, "SK-R-36"), "%q", text)
		return nil
	})
	testmust.Holdf(t, err == nil && sum.Games[Illegal] == 1 && sum.List.Tally.Lost[2] == 0, "%+v, %v", sum, err)
}
