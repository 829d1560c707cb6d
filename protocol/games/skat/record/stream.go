package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/games/skat"
)

// Summary sums up the games of a stream.
type Summary struct {
	Games    map[Verdict]int `json:"games"`
	Findings map[string]int  `json:"findings"` // number of differences and broken rules, by rule
	Customs  map[string]int  `json:"customs"`  // number of games in which the server departed from a rule as it regularly does
	List     *Tally          `json:"list,omitempty"`
}

// Tally is the list that the games make, if three or four people played them.
type Tally struct {
	Players []string   `json:"players"`
	Tally   skat.Tally `json:"tally"`
}

// maxSeats is the greatest number of people whose games make a list.
const maxSeats = 4

// ScoreAll scores games while it reads them: one a line, or as text, each up to an empty line. It holds
// one game in memory. It reports every game; one that it cannot read is [Unreadable] and does not stop
// the rest.
func ScoreAll(in io.Reader, tell func(*Scoring) error) (*Summary, error) {
	sum := &Summary{Games: map[Verdict]int{}, Findings: map[string]int{}, Customs: map[string]int{}, List: &Tally{}}
	lines := &gameReader{in: bufio.NewReaderSize(in, MaxLine+2)}
	for {
		d, err := lines.readGame()
		switch {
		case errors.Is(err, io.EOF):
			return sum.dropShortList(), nil
		case lines.err != nil:
			return nil, lines.err
		}
		s := &Scoring{Verdict: Unreadable}
		if err != nil {
			s.Findings = []Finding{{Rule: "95.2", Text: err.Error()}}
		} else {
			s = Score(d)
		}
		s.Line = lines.began
		sum.addGame(s)
		if err := tell(s); err != nil {
			return nil, err
		}
	}
}

// gameReader reads one game after the other.
type gameReader struct {
	in    *bufio.Reader
	at    int                    // number of the last line read
	began int                    // number of the line where the last game began
	held  func() (string, error) // returns that line again; nil if the next one is to be read
	err   error                  // of reading; nothing follows it
}

var errLong = fmt.Errorf("a line has at most %d bytes, and so has a game of text", MaxLine)

// readLine reads a line without the white space around it. What is too long is skipped, with errLong.
func (l *gameReader) readLine() (string, error) {
	if again := l.held; again != nil {
		l.held = nil
		return again()
	}
	line, err := l.in.ReadSlice('\n')
	l.at++
	text, long := strings.TrimSpace(strings.TrimPrefix(string(line), "\ufeff")), errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.in.ReadSlice('\n')
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		l.err = err
		return "", err
	case long:
		return text, errLong
	case err != nil && len(line) > 0:
		return text, nil
	}
	return text, err
}

// readGame reads the next game; io.EOF if there is none.
func (l *gameReader) readGame() (*Deal, error) {
	var text strings.Builder
	var broken error
	for {
		line, err := l.readLine()
		empty := line == "" && broken == nil
		switch {
		case err != nil && !errors.Is(err, errLong) && text.Len() == 0 && broken == nil:
			return nil, err
		case text.Len() == 0 && broken == nil && (empty || line[0] == '#') && err == nil:
			continue
		case line == "" || err != nil && !errors.Is(err, errLong) || line[0] == '(' && (text.Len() > 0 || broken != nil):
			if line != "" { // a line that is a game of its own
				l.held = func() (string, error) { return line, err }
			}
			if broken != nil {
				return nil, broken
			}
			return ParseText(text.String())
		case text.Len() == 0 && broken == nil:
			if l.began = l.at; line[0] == '(' {
				if err != nil {
					return nil, err
				}
				return ParseLine(line)
			}
		}
		if text.WriteString(line + "\n"); err != nil || text.Len() > MaxLine {
			broken = errLong
			text.Reset()
		}
	}
}

func (s *Summary) addGame(g *Scoring) {
	s.Games[g.Verdict]++
	for _, f := range g.Findings {
		if g.Verdict != Unreadable {
			s.Findings[f.Rule]++
		}
	}
	for _, rule := range g.Customs {
		s.Customs[rule]++
	}
	if g.deal != nil && s.List != nil && !s.List.addGame(g) {
		s.List = nil
	}
}

// addGame adds a game to the list, and reports whether the games still make one.
func (t *Tally) addGame(g *Scoring) bool {
	for _, name := range g.deal.Players {
		if name == "" {
			return false
		}
		if !slices.Contains(t.Players, name) {
			t.Players = append(t.Players, name)
			t.Tally.Points, t.Tally.Won, t.Tally.Lost = append(t.Tally.Points, 0), append(t.Tally.Won, 0), append(t.Tally.Lost, 0)
		}
	}
	if score, won, told := g.score(); told {
		points := make([]int, len(t.Players))
		d := slices.Index(t.Players, g.Declarer)
		points[d] = score
		t.Tally = t.Tally.AddGame(d, won, points)
	}
	return len(t.Players) <= maxSeats
}

// score is the score of a game: by the rules, or as recorded where the record tells too little to
// compute it.
func (g *Scoring) score() (score int, won, told bool) {
	switch rec := g.deal.Recorded; {
	case g.Result != nil:
		return g.Result.Score, g.Result.Won, true
	case g.Verdict == Untold && rec != nil && !rec.Passed:
		return rec.Value, rec.Outcome == "win", true
	}
	return 0, false, false
}

// dropShortList removes a list of too few people.
func (s *Summary) dropShortList() *Summary {
	if s.List != nil && len(s.List.Players) < players {
		s.List = nil
	}
	return s
}

// IsBroken reports whether a game cannot be read, or a record and the rules disagree.
func (s *Summary) IsBroken() bool { return s.Games[Unreadable] > 0 || len(s.Findings) > 0 }

// HasUnfinished reports whether a game stops short.
func (s *Summary) HasUnfinished() bool { return s.Games[Unfinished] > 0 }

// String is a report for people: a line for the game, and one for each finding.
func (g *Scoring) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d", g.Line)
	if g.ID != "" {
		fmt.Fprintf(&b, ", game %s", g.ID)
	}
	fmt.Fprintf(&b, ": %s\n", g.headline())
	for _, f := range g.Findings {
		fmt.Fprintf(&b, "  %-8s %s\n", f.Rule, f.Text)
	}
	return b.String()
}

func (g *Scoring) headline() string {
	switch {
	case g.Verdict == Untold:
		return fmt.Sprintf("%s, %s: the record does not tell enough cards", g.Declarer, contractWords(*g.Contract))
	case g.Why != "":
		return fmt.Sprintf("%s: %s", g.Verdict, g.Why)
	case g.Result == nil:
		return string(g.Verdict)
	}
	text := fmt.Sprintf("%s, %s at %d: ", g.Declarer, contractWords(*g.Contract), g.Bid)
	if m := g.Result.Matadors; m.N > 0 {
		text += map[bool]string{true: "with ", false: "without "}[m.With] + fmt.Sprint(m.N) + ", "
	}
	return text + fmt.Sprintf("%d points, %d tricks, %+d", g.Points, g.Tricks, g.Result.Score)
}

// String is the summary for people.
func (s *Summary) String() string {
	var b strings.Builder
	row := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	for _, v := range []Verdict{Scored, PassedIn, Untold, BrokenOff, Unfinished, Illegal, Unreadable} {
		if n := s.Games[v]; n > 0 {
			row(string(v), "%d", n)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(s.Findings)) {
		row(rule, "otherwise in the record: %d", s.Findings[rule])
	}
	for _, rule := range slices.Sorted(maps.Keys(s.Customs)) {
		row(rule, "not kept, as is the custom on the server: %d", s.Customs[rule])
	}
	if s.List != nil {
		sums := s.List.Tally.Sums(skat.OptSeegerFabian)
		for i, name := range s.List.Players {
			t := s.List.Tally
			row(name, "%+d, %d won, %d lost; Seeger–Fabian %+d", t.Points[i], t.Won[i], t.Lost[i], sums[i])
		}
	}
	return b.String()
}

// Agrees reports whether the game is scored as the record says.
func (g *Scoring) Agrees() bool {
	return len(g.Findings) == 0 && g.Verdict != Unfinished && g.Verdict != Illegal && g.Verdict != Unreadable
}
