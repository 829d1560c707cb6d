package main

import (
	"bufio"
	"io"
	"os/exec"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// typist is a person at a terminal: it reads what is asked and types an answer,
// at the first question of each kind a wrong one before.
type typist struct {
	ts      *testscript.TestScript
	args    []string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    string          // since the last answer
	all     string          // that was said before
	erred   map[string]bool // kinds of questions that were answered wrongly once
	cards   int             // played
}

// wrong are answers to questions of a kind, and what must be said against them.
var wrong = []struct{ kind, answer, against string }{
	{": bid", "seven", "not understood"},
	{": bid", "99", "no 99 in the list"},
	{"Discard ", "discard", "not understood"},
	{"Discard ", "discard XXX", "not understood"},
	{": announce", "good evening", "not understood"},
	{"play a card", "play XXIII", "not understood"},
	{"play a card", "pass", "not understood"},
	{"lead a card", "play HK HQ", "not possible"},
}

// mustBeAsked are the questions of every deal that is played. Who is overbid with
// solo before the own turn is not asked to bid (R-BID-11), who declares solo
// discards nothing, it may never be one's turn to lead, and a trial bid without an honour ends a deal.
var mustBeAsked = map[string]bool{": announce": true, "play a card": true}

// typeDeal plays a seat of a table to its end as a person would: it leaves once
// and comes back, and is killed once in the middle of an answer.
func typeDeal(ts *testscript.TestScript, args []string) {
	t := &typist{ts: ts, erred: map[string]bool{}, args: []string{"play", "--stdin", "--ascii",
		"--server", ts.Getenv("SERVER"), "--log", ts.Getenv("LOGKEY"), "--table", args[0], "--seat", ts.MkAbs(args[1])}}
	t.start()
	for t.asked() {
		t.types(t.answer())
		switch t.cards {
		case 3:
			t.cards++
			if t.asked() {
				t.types("quit")
			}
			t.ends("You left the table")
			t.start()
		case 6:
			t.cards++
			t.process.Process.Kill()
			t.process.Wait()
			t.start()
		}
	}
	t.ends("is over: ")
	for _, w := range wrong {
		if mustBeAsked[w.kind] && !t.erred[w.kind+w.answer] && !strings.Contains(t.all+t.said, "no honour") {
			ts.Fatalf("no question was about %q", w.kind)
		}
	}
}

func (t *typist) start() {
	t.process = exec.Command("pakli", t.args...)
	t.process.Env = append(t.process.Environ(), "PATH="+t.ts.Getenv("PATH"))
	if path, err := exec.LookPath("pakli"); err == nil {
		t.process.Path = path
	}
	var err error
	t.in, err = t.process.StdinPipe()
	t.ts.Check(err)
	out, err := t.process.StdoutPipe()
	t.ts.Check(err)
	t.out = bufio.NewReader(out)
	t.ts.Check(t.process.Start())
	t.said = ""
}

// asked reads up to the next prompt. It is false at the end of the output.
func (t *typist) asked() bool {
	for !strings.HasSuffix(t.said, "\n> ") {
		b, err := t.out.ReadByte()
		if err != nil {
			return false
		}
		t.said += string(b)
	}
	return true
}

func (t *typist) types(line string) {
	t.ts.Logf("%s%s", t.said, line)
	t.all, t.said = t.all+t.said, ""
	_, err := io.WriteString(t.in, line+"\n")
	t.ts.Check(err)
}

// ends waits for the process and wants its last words.
func (t *typist) ends(want string) {
	rest, _ := io.ReadAll(t.out)
	t.said += string(rest)
	if err := t.process.Wait(); err != nil || !strings.Contains(t.said, want) {
		t.ts.Fatalf("the person's game ended with %v and %q, want %q", err, t.said, want)
	}
}

var (
	toDiscard   = regexp.MustCompile(`Discard (\d) cards?\.`)
	firstChoice = regexp.MustCompile(`(?m)^  1 (.*?)(  .*)?$`)
)

// isAnswered types a line, and reads on until it is answered so: what others did meanwhile is told before, and the question put again.
func (t *typist) isAnswered(line, want string) bool {
	t.types(line)
	for range 4 {
		if !t.asked() {
			return false
		}
		if strings.Contains(t.said, want) {
			return true
		}
		t.all, t.said = t.all+t.said, ""
	}
	return false
}

// answer is a right one, after wrong ones that are explained.
func (t *typist) answer() string {
	question := t.said
	for _, w := range wrong {
		if !strings.Contains(question, w.kind) || t.erred[w.kind+w.answer] {
			continue
		}
		t.erred[w.kind+w.answer] = true
		if !t.isAnswered(w.answer, w.against) {
			t.ts.Fatalf("to %q the answer %q, and then %q, want %s", question, w.answer, t.said, w.against)
		}
	}
	for _, word := range []string{"table", "hand", "score", "help", "hint", "why"} {
		if t.erred[word] || !strings.Contains(question, "Your hand") {
			continue
		}
		t.erred[word] = true
		if !t.isAnswered(word, question[strings.LastIndex(question, "Your hand"):]) {
			t.ts.Fatalf("after %s: %q, want the question again: %q", word, t.said, question)
		}
	}
	if m := toDiscard.FindStringSubmatch(question); m != nil {
		return strings.Join([]string{"1", "2", "3"}[:m[1][0]-'0'], ", ")
	}
	m := firstChoice.FindStringSubmatch(question)
	if m == nil {
		t.ts.Fatalf("no answer to %q", question)
	}
	if card, plays := strings.CutPrefix(m[1], "play "); plays {
		t.cards++
		return card
	}
	return "1"
}
