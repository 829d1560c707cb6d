package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pakli/pakli/cmd/pakli/cosign"
	"github.com/pakli/pakli/cmd/pakli/play"
	"github.com/pakli/pakli/cmd/pakli/serve"
	"github.com/pakli/pakli/cmd/pakli/sitting"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
	ledgercosign "github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// clockVariable names the environment variable with the file that contains a script's time, in
// seconds.
const clockVariable = "PAKLI_TEST_CLOCK"

// hurried is pakli as scripts run it.
func hurried() {
	hurry()
	main()
}

// fullSizeVariable is set if new logs have memory tables as large as those of servers.
const fullSizeVariable = "PAKLI_TEST_FULL_SIZE"

// hurry makes passphrases and new logs cheap, polls often, and shortens timeouts. If the script has
// stopped the clock, cosigners and keepers use the script's.
func hurry() {
	seatfile.Work, play.NewsTime, sitting.KeepersTime = 2, time.Second, time.Second
	const soon = 100 * time.Millisecond
	sitting.Pause, ledgercosign.Interval, serve.MarkTime, serve.Promptly, client.LongestPause = soon, soon, soon, 2*soon, 2*soon
	if os.Getenv(fullSizeVariable) == "" {
		badgerstore.DefaultMemTableSize = 2 << 20
	}
	if file := os.Getenv(clockVariable); file != "" {
		cosign.SignedTime = func() time.Time { return scriptTime(file) }
	}
}

func scriptTime(file string) time.Time {
	text := testmust.Need(os.ReadFile(file))
	seconds, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		panic(err)
	}
	return time.Unix(seconds, 0)
}

func setScriptTime(ts *testscript.TestScript, at time.Time) {
	ts.Check(durable.Replace(ts.Getenv(clockVariable), strconv.AppendInt(nil, at.Unix(), 10), 0o600))
}

// stopClock stops the clock of cosigners and keepers that start from now on. However slow the machine
// is, nobody is late before the script advances the clock.
func stopClock(ts *testscript.TestScript, args []string) {
	ts.Setenv(clockVariable, ts.MkAbs("clock"))
	setScriptTime(ts, time.Now())
}

// shown reports whether marks cover the last entry and the time since when a seat owes something.
func shown(s client.SeatClock) bool {
	none := wire.Hash{}
	return s.Claim.Seen != none && s.Claim.Spans[len(s.Claim.Spans)-1].From != none
}

// passTime advances the clock when a mark covers a table's last entry and only one seat owes
// something. It waits until marks show the new time, or the table has stopped.
func passTime(ts *testscript.TestScript, args []string) {
	id, err := wire.ParseHash(args[0])
	ts.Check(err)
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	ts.Check(err)
	c := logClient(ts)
	var before client.SeatClock
	until(ts, args[1]+" seat alone to be awaited", func() bool {
		now, err := c.Clock(context.Background(), id)
		if err != nil || len(now.Seats) != 1 || !shown(now.Seats[0]) {
			return false
		}
		before = now.Seats[0]
		return args[1] == "any" || sitting.SeatLetter(before.Seat) == args[1]
	})
	setScriptTime(ts, scriptTime(ts.Getenv(clockVariable)).Add(time.Duration(seconds)*time.Second))
	until(ts, "time to pass", func() bool {
		now, err := c.Clock(context.Background(), id)
		return err == nil && (len(now.Seats) == 0 || now.Seats[0].Used >= before.Used+seconds-1)
	})
}

// passLogTime advances the clock when a mark covers all present entries of the log.
func passLogTime(ts *testscript.TestScript, args []string) {
	seconds, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	c, ctx := logClient(ts), context.Background()
	head, err := c.Checkpoint(ctx)
	ts.Check(err)
	until(ts, "a mark of all that the log has", func() bool {
		now, err := c.Checkpoint(ctx)
		ts.Check(err)
		for entry, err := range c.Entries(ctx, head.Size, now.Size) {
			ts.Check(err)
			if mark, err := c.Mark(ctx, wire.HashEntry(entry)); err == nil && mark.Covers(head.Size-1) {
				return true
			}
		}
		return false
	})
	setScriptTime(ts, scriptTime(ts.Getenv(clockVariable)).Add(time.Duration(seconds)*time.Second))
}

// waitHeld waits until keepers hold a message of a seat.
func waitHeld(ts *testscript.TestScript, args []string) {
	until(ts, "a message to be held", func() bool {
		files, err := filepath.Glob(ts.MkAbs(args[0] + "." + args[1] + ".*.held"))
		return err == nil && len(files) > 0
	})
}

// cheat posts what a seat owes next with a wrong proof.
func cheat(ts *testscript.TestScript, args []string) {
	ctx := context.Background()
	tableID, err := wire.ParseHash(args[0])
	ts.Check(err)
	c := logClient(ts)
	id, err := seatfile.Open(ts.MkAbs(args[1]), "")
	ts.Check(err)
	defer func() { ts.Check(id.Close()) }()
	s, err := sitting.ReplayTable(ctx, c, tableID)
	ts.Check(err)
	secret, err := id.Secret(tableID, s.Suite(), rand.Reader)
	ts.Check(err)
	for seat := range table.Seat(s.Seats()) {
		if s.HolderKey(seat) != id.VerifierKey() {
			continue
		}
		owed := s.DutiesOf(seat)
		if len(owed) == 0 {
			ts.Fatalf("the seat owes nothing")
		}
		entry, err := player.Hand{Seat: seat, Secret: secret, Signer: id.Signer()}.SignMessage(s, owed[0], nil, rand.Reader)
		ts.Check(err)
		e, err := wire.Parse(entry)
		ts.Check(err)
		e.Message.Proofs[0][5] ^= 1
		entry, err = wire.Sign(e.Message, id.Signer())
		ts.Check(err)
		_, err = c.Post(ctx, tableID, entry)
		ts.Check(err)
	}
}

// withhold serves $SERVER at a second address, and sets a variable to that address. While a file of
// the variable's name exists, that address accepts no message and tells clients to come again.
func withhold(ts *testscript.TestScript, args []string) {
	server, err := url.Parse(ts.Getenv("SERVER"))
	ts.Check(err)
	proxy, file := httputil.NewSingleHostReverseProxy(server), ts.MkAbs(args[0])
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(file); err == nil && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages") {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
}

// writePolicy writes a policy of the log and the cosigners in directories, once
// they answer:
//
//	writepolicy FILE all|any|K DIR...
//
// A second key of one in DIR is the witness DIR-mldsa. Keepers are named as such.
func writePolicy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: writepolicy FILE all|any|K DIR...")
	}
	text, names := "log "+ts.Getenv("LOGKEY")+"\n", ""
	for _, dir := range args[2:] {
		var url []byte
		until(ts, "a cosigner in "+dir, func() bool {
			var err error
			url, err = os.ReadFile(ts.MkAbs(filepath.Join(dir, "url")))
			return err == nil && len(url) > 0
		})
		for file, suffix := range map[string]string{"cosigner.key": "", "cosigner-mldsa.key": "-mldsa"} {
			key, err := os.ReadFile(ts.MkAbs(filepath.Join(dir, file)))
			if os.IsNotExist(err) {
				continue
			}
			ts.Check(err)
			name := dir + suffix
			text += fmt.Sprintf("witness %s %s %s", name, strings.Split(string(key), "\n")[1], url)
			names += " " + name
		}
		if key, err := os.ReadFile(ts.MkAbs(filepath.Join(dir, "keeper.key"))); err == nil {
			text += fmt.Sprintf("# pakli keeper %s %s\n", dir, strings.Split(string(key), "\n")[1])
		}
	}
	text += "group wanted " + args[1] + names + "\nquorum wanted\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// waitCosigned waits until enough cosigners have seen N entries of $SERVER, or all its present
// entries:
//
//	waitcosigned [N]
func waitCosigned(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: waitcosigned [N]")
	}
	size := func(path string) (n uint64) {
		resp, err := http.Get(ts.Getenv("SERVER") + path)
		if err != nil {
			return 0
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			return 0
		}
		c, err := tlog.ParseCheckpoint(b)
		ts.Check(err)
		return c.Size
	}
	want := size("/checkpoint")
	if len(args) == 1 {
		var err error
		want, err = strconv.ParseUint(args[0], 10, 64)
		ts.Check(err)
	}
	until(ts, fmt.Sprintf("%d cosigned entries", want), func() bool { return size("/cosigned/checkpoint") >= want })
}

// listenAgain sets $LISTEN to the last address of a process with this directory.
func listenAgain(ts *testscript.TestScript, args []string) {
	url := ts.ReadFile(filepath.Join(args[0], "url"))
	ts.Setenv("LISTEN", strings.TrimPrefix(strings.TrimSpace(url), "http://"))
}

// hasLine looks for a literal line.
func hasLine(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: hasline FILE LINE")
	}
	if slices.Contains(strings.Split(ts.ReadFile(args[0]), "\n"), args[1]) == neg {
		ts.Fatalf("%s: line %q, want the opposite", args[0], args[1])
	}
}

// typist is a person at a terminal who reads each question and types an answer. At the first question
// of each kind the typist gives a wrong answer first.
type typist struct {
	ts      *testscript.TestScript
	args    []string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    string          // since the last answer
	all     string          // that was said before
	erred   map[string]bool // kinds of questions that got a wrong answer once
	cards   int             // played
}

// wrong are wrong answers to questions of a kind, with the expected objections.
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

// mustBeAsked are the questions of every deal. A seat that is overbid with solo before its own turn
// is not asked to bid (R-BID-11), one that declares solo discards nothing, some seats never lead, and
// a trial bid without an honour ends a deal.
var mustBeAsked = map[string]bool{": announce": true, "play a card": true}

// typeDeal plays a seat of a table to its end as a person would. It leaves once and comes back, and
// is killed once in the middle of an answer.
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

// asked reads up to the next prompt, and returns false at the end of the output.
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

// ends waits for the process, and requires want at the end of its output.
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

// isAnswered types a line and reads until its answer. Before the answer, the program may report
// others' moves and repeat the question.
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

// answer types a right answer, after wrong ones that the program must explain.
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
