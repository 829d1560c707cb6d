package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli-verify/verification"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/cluster/clustertest"
	"github.com/pakli/pakli/protocol/wire"
)

// scriptVariable names the environment variable with the name of a process's script.
const scriptVariable = "SCRIPT"

// TestMain runs more scripts in parallel than there are processors, since they wait for clocks.
func TestMain(m *testing.M) {
	programs := map[string]func(){"pakli": hurried, "pakli-verify": verification.Main}
	if os.Getenv(scriptVariable) != "" && programs[filepath.Base(os.Args[0])] == nil {
		hurry()
		testmust.InMemory()
		os.Exit(m.Run())
	}
	_ = flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0))))
	testscript.Main(m, programs)
}

// TestScripts runs the commands as a user would, with real signals and real files. A command that
// runs in the background is a real process. Starting a process costs more than most commands do, so
// one process runs the other commands of a script itself, in the script's directory. Besides the
// commands of testscript there are
//
//	pakli ARGUMENT...         as exec pakli, in this process; pakli-verify likewise
//	briefly REGEXP pakli ARG  runs a polling command until its output matches
//	newlog DIR                makes a log that is not served yet; sets LOGKEY
//	waitserver URLFILE        until the server answers; sets SERVER, LOGKEY, ADDR
//	waitcosigned [N]          until cosigners have seen as many entries
//	waitentries ID N          until the table has N entries in the log
//	waitstate ID STATE        until the server lists the table in that state
//	cheat ID SEATFILE         breaks a rule with what the seat owes next
//	typist ID SEATFILE        plays a seat as a person who types
//	setfirst NAME             sets a variable to the first word of the last output
//	setjson NAME KEY          sets a variable to the value of a key in the last output, JSON
//	setprefix NAME ID         sets a variable to the beginning of an id
//	setcode NAME ID           sets a variable to the id's code, as people type it
//	waitfile FILE REGEXP      until a file matches
//	logserver                 answers as a log server of Trillian; sets TRILLIAN
//	eventually REGEXP COMMAND runs the command until its output matches
//	stopclock                 stops the clock of cosigners and keepers
//	passtime ID SEAT SECONDS  advances it when only that seat owes something
//	passlogtime SECONDS       advances it when a mark covers the whole log
//	waitheld SEATFILE ID      until keepers hold a message of the seat
//	withhold NAME             a second address of the server, without messages while a file exists
//
// A server that restarts at its old address listens at $LOOPBACK, an address of the script's own,
// since somebody else may use its port of 127.0.0.1 by then.
func TestScripts(t *testing.T) {
	if script := os.Getenv(scriptVariable); script != "" {
		runScript(t, script)
		return
	}
	t.Parallel()
	for _, script := range testmust.Have(scripts())(t) {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txt"), func(t *testing.T) {
			t.Parallel()
			c := exec.Command(testmust.Have(os.Executable())(t), "-test.run=^TestScripts$", fmt.Sprint("-test.v=", testing.Verbose()))
			if end, bounded := t.Deadline(); bounded {
				c.Args = append(c.Args, fmt.Sprint("-test.timeout=", time.Until(end)))
			}
			c.Env = append(os.Environ(), scriptVariable+"="+script)
			out, err := c.CombinedOutput()
			testmust.Requiref(t, err == nil, "%v\n%s", err, out)
			t.Logf("%s", out)
		})
	}
}

func runScript(t *testing.T, script string) {
	deploy := testmust.Have(filepath.Abs("../../deploy"))(t)
	testscript.Run(t, testscript.Params{
		Files: []string{script},
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", os.Getenv("PATH"))
			e.Setenv(scriptVariable, script)
			e.Setenv("DEPLOY", deploy)
			e.Setenv("LOOPBACK", ownLoopback())
			e.Setenv("PAKLI_BALLAST", "0")                                                                                                                           // which takes memory where files are in memory
			e.Setenv("GORACE", "atexit_sleep_ms=0")                                                                                                                  // else every command ends a second late under the race detector
			for name, value := range map[string]string{"TMPDIR": e.WorkDir, "HOME": e.WorkDir, "XDG_CONFIG_HOME": e.WorkDir, "PAKLI_OPERATOR_ADDR": "127.0.0.1:0"} { // scripts run beside each other
				e.Setenv(name, value)
				if err := os.Setenv(name, value); err != nil {
					return err
				}
			}
			return os.Chdir(e.WorkDir)
		},
		Cmds:                scriptCommands(),
		Condition:           condition,
		RequireExplicitExec: true,
	})
}

// scriptCommands are the commands that testscript lacks.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){"eventually": eventually, "pakli": inProcess("pakli", commands), "pakli-verify": inProcess("pakli-verify", verification.Commands), "briefly": briefly, "hasline": hasLine, "writepolicy": writePolicy, "waitcosigned": waitCosigned}
	for usage, do := range map[string]func(*testscript.TestScript, []string){
		"waitserver URLFILE": waitServer, "waitentries ID N": waitEntries, "waitstate ID STATE": waitState, "waitfile FILE REGEXP": waitFile, "waitheld SEATFILE ID": waitHeld,
		"setfirst NAME": setWord(func(words []string) string { return words[0] }), "setlast NAME": setWord(func(words []string) string { return words[len(words)-1] }),
		"setjson NAME KEY": setJSON, "setcode NAME ID": setCode, "setprefix NAME ID": setPrefix, "setoffer": setOffer, "newlog DIR": newLog, "listen DIR": listenAgain, "logserver": logServer, "withhold NAME": withhold,
		"typist ID SEATFILE": typeDeal, "cheat ID SEATFILE": cheat, "stopclock": stopClock, "passtime ID SEAT|any SECONDS": passTime, "passlogtime SECONDS": passLogTime,
	} {
		words := strings.Fields(usage)
		all[words[0]] = func(ts *testscript.TestScript, neg bool, args []string) {
			if neg || len(args) != len(words)-1 {
				ts.Fatalf("usage: %s", usage)
			}
			do(ts, args)
		}
	}
	return all
}

// condition knows [thorough], for the long form, and [raced], for runs with the race detector.
func condition(name string) (bool, error) {
	switch name {
	case "thorough":
		return testmust.Thorough(), nil
	case "raced":
		return underRace, nil
	}
	return false, fmt.Errorf("there is no condition %q", name)
}

// patience limits every wait of a script. It does not measure speed.
const patience = 2 * time.Minute

func until(ts *testscript.TestScript, what string, done func() bool) {
	untilAsked(ts, 20*time.Millisecond, what, done)
}

// untilAsked calls done at intervals until it returns true.
func untilAsked(ts *testscript.TestScript, every time.Duration, what string, done func() bool) {
	for deadline := time.Now().Add(patience); !done(); time.Sleep(every) {
		if time.Now().After(deadline) {
			ts.Fatalf("waited %v for %s", patience, what)
		}
	}
}

func newLog(ts *testscript.TestScript, args []string) {
	key, err := ledger.Begin(ts.MkAbs(args[0]), "localhost", badgerstore.Options{}, rand.Reader)
	ts.Check(err)
	ts.Setenv("LOGKEY", key.Public)
}

func waitServer(ts *testscript.TestScript, args []string) {
	var info client.LogInfo
	var url string
	until(ts, "a server at "+args[0], func() bool {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		if url = strings.TrimSpace(string(b)); err != nil || url == "" {
			return false
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		info, err = client.AskLog(ctx, url, nil)
		return err == nil
	})
	ts.Setenv("SERVER", url)
	ts.Setenv("ADDR", strings.TrimPrefix(url, "http://"))
	ts.Setenv("LOGKEY", info.Key)
}

// logClient returns a client of $SERVER.
func logClient(ts *testscript.TestScript) *client.Client {
	v, err := note.NewVerifier(ts.Getenv("LOGKEY"))
	ts.Check(err)
	c, err := client.New(ts.Getenv("SERVER"), v, nil)
	ts.Check(err)
	return c
}

func waitEntries(ts *testscript.TestScript, args []string) {
	id, err := wire.ParseHash(args[0])
	ts.Check(err)
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	c := logClient(ts)
	until(ts, args[1]+" entries of table "+args[0], func() bool {
		t, err := c.Table(context.Background(), id)
		return err == nil && t.Entries >= want
	})
}

// waitState waits until a table is in a given state.
func waitState(ts *testscript.TestScript, args []string) {
	c := logClient(ts)
	until(ts, "table "+args[0]+" being "+args[1], func() bool {
		list, err := c.Tables(context.Background(), client.TableFilter{ID: args[0], State: client.TableState(args[1])}, nil, 1)
		return err == nil && len(list.Tables) == 1
	})
}

// setOffer waits for an open table at which its organiser sits, and sets CODE and LINK to its code
// and link.
func setOffer(ts *testscript.TestScript, args []string) {
	c := logClient(ts)
	until(ts, "an open table", func() bool {
		list, err := c.Offers(context.Background(), 0, "")
		if err != nil || len(list.Offers) == 0 || list.Offers[0].Free == list.Offers[0].Places {
			return false
		}
		o := list.Offers[0]
		ts.Setenv("CODE", o.Code)
		ts.Setenv("LINK", fmt.Sprintf("%s/j/%s#%s.%x", ts.Getenv("SERVER"), o.Code, o.ID, sha256.Sum256([]byte(ts.Getenv("LOGKEY")))))
		return true
	})
}

// setWord sets a variable to a word of the last output.
func setWord(of func(words []string) string) func(*testscript.TestScript, []string) {
	return func(ts *testscript.TestScript, args []string) {
		words := strings.Fields(ts.ReadFile("stdout"))
		if len(words) == 0 {
			ts.Fatalf("the last command printed nothing")
		}
		ts.Setenv(args[0], of(words))
	}
}

// setJSON sets a variable to the value of a key in the last output, or in the last element of a list.
func setJSON(ts *testscript.TestScript, args []string) {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	if list, is := v.([]any); is && len(list) > 0 {
		v = list[len(list)-1]
	}
	m, _ := v.(map[string]any)
	if m[args[1]] == nil {
		ts.Fatalf("there is no %q in it", args[1])
	}
	ts.Setenv(args[0], fmt.Sprint(m[args[1]]))
}

// logServer answers as Trillian does until the script ends.
func logServer(ts *testscript.TestScript, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(clustertest.New().Serve(l).Stop)
	ts.Setenv("TRILLIAN", l.Addr().String())
}

func setPrefix(ts *testscript.TestScript, args []string) {
	ts.Setenv(args[0], args[1][:8])
}

func setCode(ts *testscript.TestScript, args []string) {
	id, err := wire.ParseHash(args[1])
	ts.Check(err)
	code := strings.ToLower(id.Code()[:wire.MinCode])
	ts.Setenv(args[0], code[:4]+"-"+code[4:])
}

// waitFile waits for a process to write a matching text into a file.
func waitFile(ts *testscript.TestScript, args []string) {
	wanted, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	until(ts, args[1]+" in "+args[0], func() bool {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && wanted.Match(b)
	})
}

// eventually repeats a command, whatever it returns, until its output matches.
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || args[1] != "pakli" {
		ts.Fatalf("usage: eventually REGEXP pakli ARGUMENT...")
	}
	wanted, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	untilAsked(ts, 100*time.Millisecond, args[0]+" of "+args[2], func() bool {
		var out, said testmust.Buffer
		command.Dispatch(context.Background(), command.Env{Out: &out, Err: &said}, commands(), "pakli", args[2:])
		found := wanted.MatchString(out.String())
		if found {
			fmt.Fprint(ts.Stdout(), out.String())
		}
		return found
	})
}

// inProcess runs a command of a program to its end.
func inProcess(program string, commands func() []command.Command) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		var out, said testmust.Buffer
		code := command.Dispatch(context.Background(), command.Env{Out: &out, Err: &said}, commands(), program, args)
		fmt.Fprint(ts.Stdout(), out.String())
		fmt.Fprint(ts.Stderr(), said.String())
		if (code != command.ExitDone) != neg {
			ts.Fatalf("%s %s ended with %d", program, strings.Join(args, " "), code)
		}
		if program == "pakli" && slices.Contains(args, "--json") && (code == command.ExitDone || out.String() != "") {
			ts.Check(checkJSON(out.String(), args))
		}
	}
}

// briefly runs a polling command, which prints the last answer when it is stopped. On a busy machine
// it may not have an answer yet, so briefly runs it longer the next time.
func briefly(ts *testscript.TestScript, neg bool, args []string) {
	if !neg || len(args) < 3 || args[1] != "pakli" {
		ts.Fatalf("usage: ! briefly REGEXP pakli ARGUMENT...")
	}
	wanted, err := regexp.Compile(args[0])
	ts.Check(err)
	for given := 300 * time.Millisecond; ; given *= 2 {
		var said testmust.Buffer
		ctx, cancel := context.WithTimeout(context.Background(), given)
		code := command.Dispatch(ctx, command.Env{Out: &said, Err: &said}, commands(), "pakli", args[2:])
		cancel()
		if code != command.ExitDone && wanted.MatchString(said.String()) {
			return
		}
		if code == command.ExitDone || given > patience {
			ts.Fatalf("pakli %s ended with %d: %s", strings.Join(args[2:], " "), code, said.String())
		}
	}
}

// ownLoopback returns an address of this machine that hardly anybody else uses.
func ownLoopback() string {
	ip := fmt.Sprintf("127.%d.%d.%d", 1+mathrand.IntN(254), mathrand.IntN(256), 1+mathrand.IntN(254))
	l, err := net.Listen("tcp", ip+":0")
	if err != nil { // not of every system
		return "127.0.0.1"
	}
	l.Close()
	return ip
}

// A binary with a hidden path, date or version of the tree cannot be reproduced. Builds in two
// directories must give the same bytes with the published sums.
func TestBinariesAreReproducible(t *testing.T) {
	testmust.OnlyThorough(t, "builds both programs twice")
	if runtime.GOOS == "windows" {
		t.Skip("deploy/binaries is a shell script")
	}
	t.Parallel()
	var sums [][]byte
	for range 2 {
		source, dir := t.TempDir(), t.TempDir() // without git, whose version of a changed tree would be written into the binary
		if out, err := exec.Command("cp", "-r", "../../cmd", "../../deploy", "../../docs", "../../go.mod", "../../go.sum", "../../httpapi", "../../internal",
			"../../ledger", "../../protocol", "../../verifier", source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		make := exec.Command(filepath.Join(source, "deploy/binaries"), dir)
		make.Env = append(os.Environ(), "TARGETS="+runtime.GOOS+"/"+runtime.GOARCH)
		out, err := make.CombinedOutput()
		testmust.Requiref(t, err == nil, "%v\n%s", err, out)
		sums = append(sums, out)
		hashes := testmust.Have(os.ReadFile(filepath.Join(source, "httpapi/web/build/dist/hashes")))(t)
		program := filepath.Join(dir, "pakli-"+runtime.GOOS+"-"+runtime.GOARCH)
		text, err := os.ReadFile(program)
		testmust.Holdf(t, err == nil && bytes.Contains(text, hashes), "the pages are not in it: %v", err)
		help, err := exec.Command(program, "help").CombinedOutput()
		testmust.Holdf(t, err == nil && strings.Contains(string(help), "usage: pakli"), "%v\n%s", err, help)
	}
	testmust.Holdf(t, bytes.Equal(sums[0], sums[1]) && bytes.Count(sums[0], []byte("\n")) == 2, "the sums are\n%s and\n%s", sums[0], sums[1])
}
