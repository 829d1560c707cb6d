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

// Summary is what the games of a stream come to.
type Summary struct {
	Games    map[Verdict]int `json:"games"`
	Findings map[string]int  `json:"findings"` // differences and broken rules, by rule
	Customs  map[string]int  `json:"customs"`  // games in which the server departed from a rule as a matter of course
	List     *Tally          `json:"list,omitempty"`
}

// Tally is the list that the games make, of three or four people.
type Tally struct {
	Players []string   `json:"players"`
	Tally   skat.Tally `json:"tally"`
}

// maxSeats is the number of people up to which games are a list.
const maxSeats = 4

// ScoreAll scores games as they are read, a line each, or of text as many lines as there
// are to an empty one: what it holds in memory is one game. Every game is told, one that
// cannot be read as [Unreadable], and does not stop the rest.
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

// gameReader reads games.
type gameReader struct {
	in    *bufio.Reader
	at    int                    // the last line that was read
	began int                    // of the last game
	held  func() (string, error) // that line again; nil: the next one is read
	err   error                  // of reading, which ends it
}

var errLong = fmt.Errorf("a line has at most %d bytes, and so has a game of text", MaxLine)

// readLine reads a line without what stands around it; what is too long of it is left out,
// with errLong.
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

// readGame reads the next game: io.EOF if there is none.
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
			if line != "" { // a game of its own
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

// addGame enters a game in the list, and reports whether it still is one.
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

// score is what a game counts: by the rules, or as recorded where the record does not
// tell enough to know better.
func (g *Scoring) score() (score int, won, told bool) {
	switch rec := g.deal.Recorded; {
	case g.Result != nil:
		return g.Result.Score, g.Result.Won, true
	case g.Verdict == Untold && rec != nil && !rec.Passed:
		return rec.Value, rec.Outcome == "win", true
	}
	return 0, false, false
}

// dropShortList leaves out a list that is none.
func (s *Summary) dropShortList() *Summary {
	if s.List != nil && len(s.List.Players) < players {
		s.List = nil
	}
	return s
}

// IsBroken and Unfinished tell what the exit code of a record is.
func (s *Summary) IsBroken() bool { return s.Games[Unreadable] > 0 || len(s.Findings) > 0 }

// HasUnfinished tells whether a game stops short.
func (s *Summary) HasUnfinished() bool { return s.Games[Unfinished] > 0 }

// String is a game as people read it: a line for the game, and one for each finding.
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

// String is the summary as people read it.
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

// Agrees tells whether a game is scored as it is in the record.
func (g *Scoring) Agrees() bool {
	return len(g.Findings) == 0 && g.Verdict != Unfinished && g.Verdict != Illegal && g.Verdict != Unreadable
}
