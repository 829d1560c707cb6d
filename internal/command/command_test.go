package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/version"
)

// usual is the help text of the flags that every command has.
const usual = "Flags:\n  --json\n        print one JSON document in place of words\n  --quiet\n        print errors, but no notices and no progress\n"

// word is a switch with an optional value.
type word string

func (w *word) String() string     { return string(*w) }
func (w *word) Set(s string) error { *w = word(s); return nil }
func (w *word) IsBoolFlag() bool   { return true }
func (w *word) TakesWord()         {}

// A command must end with the exit code that its scripts rely on and explain mistakes in its own
// words, and must take as many arguments as its usage names.
func TestDispatch(t *testing.T) {
	plain := errors.New("plain")
	ends := map[string]error{
		"done": nil, "plain": plain, "misuse": Misuse(plain), "verdict": ExitWith(4, nil), "verdict-fails": ExitWith(4, plain),
		"done-fails": ExitWith(ExitDone, plain), "usage": ExitWith(ExitUsage, plain), "usage-misuse": ExitWith(ExitUsage, Misuse(plain)),
	}
	var list []Command
	for name, err := range ends {
		list = append(list, Command{Name: name, Declare: func(*Flags) Body { return func(context.Context, Env) error { return err } }})
	}
	var chosen word
	list = append(list, Command{Name: "family", Short: "has commands", Commands: []Command{{Name: "one", Arguments: "A [B [C]]", Declare: func(f *Flags) Body {
		f.String("needed", "", "must be said")
		f.Required = []string{"needed"}
		f.Var(&chosen, "word", "may be followed by one")
		return func(_ context.Context, e Env) error {
			_, err := e.Out.Write([]byte(strings.Join(f.Args(), " ")))
			return err
		}
	}}, {Name: "any", Arguments: "A...", Declare: func(f *Flags) Body { return func(context.Context, Env) error { return nil } }}}})
	hint := "\n(pakli family one -h explains its flags)\n"
	for line, want := range map[string]struct {
		code      int
		out, said string
	}{
		"done": {0, "", ""}, "plain": {1, "", "pakli plain: plain\n"}, "misuse": {2, "", "pakli misuse: plain\n(pakli misuse -h explains its flags)\n"},
		"verdict": {4, "", ""}, "verdict-fails": {4, "", "pakli verdict-fails: plain\n"}, "done-fails": {1, "", "pakli done-fails: plain\n"},
		"usage": {2, "", "pakli usage: plain\n"}, "usage-misuse": {2, "", "pakli usage-misuse: plain\n(pakli usage-misuse -h explains its flags)\n"},
		"nothing":                               {2, "", "pakli: there is no command \"nothing\" (pakli help lists them)\n"},
		"family one a --needed x b":             {0, "a b", ""},
		"family one --needed x --word w a":      {0, "a", ""},
		"family one --needed x":                 {2, "", "pakli family one: an argument is missing: pakli family one [flags] A [B [C]]" + hint},
		"family one --needed x a b c d":         {2, "", "pakli family one: \"d\" is one argument too many" + hint},
		"family one a":                          {2, "", "pakli family one: --needed is missing" + hint},
		"family any":                            {0, "", ""},
		"family any a b c d e":                  {0, "", ""},
		"help family any":                       {0, "usage: pakli family any [flags] A...\n\n" + usual, ""},
		"family one --needed x a --word -- b c": {0, "a b c", ""},
		"familly one":                           {2, "", "pakli: there is no command \"familly\"; is family meant? (pakli help lists them)\n"},
		"faimly one":                            {2, "", "pakli: there is no command \"faimly\"; is family meant? (pakli help lists them)\n"},
		"family one --nedeed x a":               {2, "", "pakli family one: there is no flag --nedeed; is --needed meant?" + hint},
	} {
		var out, said bytes.Buffer
		chosen = ""
		code := Dispatch(t.Context(), Env{Out: &out, Err: &said}, list, "pakli", strings.Fields(line))
		testmust.Holdf(t, code == want.code && out.String() == want.out && said.String() == want.said,
			"%s: %d %q %q, want %+v", line, code, out.String(), said.String(), want)
		testmust.Holdf(t, (!strings.Contains(line, "--word w") || chosen == "w") && (!strings.Contains(line, "--word --") || chosen == "true"),
			"%s: chosen is %q", line, chosen)
	}
}

// There must be no words beside the JSON; a list must be valid; --quiet must silence notices and no
// errors.
func TestAnswers(t *testing.T) {
	ends := errors.New("in vain")
	says := func(times int, err error) func(*Flags) Body {
		return func(*Flags) Body {
			return func(_ context.Context, e Env) error {
				e.Err.Write([]byte("notice\n"))
				for n := range times {
					e.Out.Write([]byte("beside "))
					e.Say(map[string]int{"n": n}, "number %d\n", n)
				}
				e.Loud().Write([]byte("loud\n"))
				return err
			}
		}
	}
	list := []Command{{Name: "one", Declare: says(1, nil)}, {Name: "none", List: true, Declare: says(0, nil)}, {Name: "many", List: true, Declare: says(2, nil)},
		{Name: "verdict", Declare: says(1, ExitWith(4, nil))}, {Name: "half", List: true, Declare: says(1, ends)}, {Name: "fails", Declare: says(0, ends)},
		{Name: "words", NoJSON: "it has words alone", Declare: says(1, nil)}}
	for line, want := range map[string]struct {
		code      int
		out, said string
	}{
		"one": {0, "beside number 0\n", "notice\nloud\n"}, "one --json": {0, "{\"n\":0}\n", "notice\nloud\n"}, "one --json --quiet": {0, "{\"n\":0}\n", "loud\n"},
		"none --json --quiet": {0, "[]\n", "loud\n"}, "many --json --quiet": {0, "[{\"n\":0},{\"n\":1}]\n", "loud\n"},
		"verdict --json --quiet": {4, "{\"n\":0}\n", "loud\n"}, "half --json --quiet": {1, "[{\"n\":0}]\n", "loud\nlook half: in vain\n"},
		"fails --json --quiet": {1, "", "loud\nlook fails: in vain\n"}, "words --json": {2, "", "look words: there is no flag --json\n(look words -h explains its flags)\n"},
	} {
		var out, said bytes.Buffer
		code := Dispatch(t.Context(), Env{Out: &out, Err: &said}, list, "look", strings.Fields(line))
		testmust.Holdf(t, code == want.code && out.String() == want.out && said.String() == want.said,
			"%s: %d %q %q, want %+v", line, code, out.String(), said.String(), want)
	}
}

// A user who presses Ctrl-C must not read about contexts.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	list := []Command{{Name: "wait", Arguments: "HOW", Declare: func(f *Flags) Body {
		return func(ctx context.Context, e Env) error {
			stop(errors.New("interrupt signal received"))
			err := context.Cause(ctx)
			switch f.Arg(0) {
			case "asks":
				err = fmt.Errorf("no answer: %w", &url.Error{Op: "Get", URL: "http://a", Err: err})
			case "waits":
				err = fmt.Errorf("busy: %w", err)
			}
			return err
		}
	}}}
	for how, want := range map[string]string{"sleeps": "", "asks": "", "waits": ": busy: interrupt signal received"} {
		var out, said bytes.Buffer
		code := Dispatch(ctx, Env{Out: &out, Err: &said}, list, "look", []string{"wait", how})
		testmust.Holdf(t, code == ExitFail && said.String() == "look wait: stopped before it was done"+want+"\n", "%s: %d %q", how, code, said.String())
	}
}

// A flag is taken from the environment although it was given, or a wrong value there is reported as a
// typed one.
func TestVariable(t *testing.T) {
	var number int
	var typed bool
	list := []Command{{Name: "count", Declare: func(f *Flags) Body {
		f.IntVar(&number, "n", 3, "how many")
		f.Bool("all", false, "count all")
		f.Variable("n", "PAKLI_TEST_COUNT", "all")
		return func(context.Context, Env) error { typed = f.IsTyped("n"); return nil }
	}}}
	for _, c := range []struct {
		value, line string
		number      int
		said        string
	}{
		{"", "count", 3, ""}, {"7", "count", 7, ""}, {"7", "count -n 9", 9, ""},
		{"7", "count --all", 3, ""},
		{"many", "count", 0, "pakli count: $PAKLI_TEST_COUNT many: want a number\n(pakli count -h explains its flags)\n"}, {"many", "count -n 9", 9, ""},
	} {
		t.Setenv("PAKLI_TEST_COUNT", c.value)
		var out, said bytes.Buffer
		if Dispatch(t.Context(), Env{Out: &out, Err: &said}, list, "pakli", strings.Fields(c.line)); number != c.number || said.String() != c.said || c.said == "" && typed != strings.Contains(c.line, "-n") {
			t.Errorf("%+v: %d, %q", c, number, said.String())
		}
	}
}

// A program with one command must not confuse files with commands.
func TestUsualCommand(t *testing.T) {
	says := func(what string) func(f *Flags) Body {
		return func(f *Flags) Body {
			return func(_ context.Context, e Env) error {
				_, err := e.Out.Write([]byte(what + strings.Join(f.Args(), " ")))
				return err
			}
		}
	}
	list := []Command{{Short: "look", Arguments: "FILE...", Declare: says("usual ")}, {Name: "follow", Short: "look on", Arguments: "URL", Declare: says("follow ")}, Version()}
	for line, want := range map[string]string{
		"help nothing": "", "a b": "usual a b", "": "usual ", "follow a": "follow a", "-- follow": "usual follow",
		"-h":             "usage: look [flags] FILE...\n\nLook.\n\nCommands:\n  follow     look on\n  version    say which version this is\n\n" + usual,
		"help":           "usage: look [flags] FILE...\n\nLook.\n\nCommands:\n  follow     look on\n  version    say which version this is\n\n" + usual,
		"help follow":    "usage: look follow [flags] URL\n\nLook on.\n\n" + usual,
		"version --json": "",
	} {
		var out, said bytes.Buffer
		code := Dispatch(t.Context(), Env{Out: &out, Err: &said}, list, "look", strings.Fields(line))
		switch {
		case line == "help nothing": // 0 may be a verdict
			testmust.Holdf(t, code == ExitUsage && strings.Contains(said.String(), "no command"), "%s: %d %q", line, code, said.String())
		case want == "":
			var b version.Build
			if err := json.Unmarshal(out.Bytes(), &b); err != nil || b.Go == "" {
				t.Errorf("%s: %v, %s", line, err, &out)
			}
		case code != ExitDone || out.String() != want:
			t.Errorf("%s: %d %q %q", line, code, out.String(), said.String())
		}
	}
}

// A reader of manual pages takes text for a request or an escape.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	list := func() []Command {
		return []Command{{Name: "one", Short: `read \fBdata\fP`, Examples: []string{".so /etc/passwd"}, Declare: func(f *Flags) Body {
			f.String("in", "", "'file' to read")
			return func(context.Context, Env) error { return nil }
		}}}
	}
	list2 := append(list(), Manual("look", "look at things", list))
	code := Dispatch(t.Context(), Env{Out: io.Discard, Err: io.Discard}, list2, "look", []string{"manual", dir})
	testmust.Require(t, code == ExitDone, code)
	page, err := os.ReadFile(filepath.Join(dir, "look-one.1"))
	testmust.Require(t, err == nil, err)
	for _, line := range strings.Split(string(page), "\n") {
		testmust.Holdf(t, !strings.HasPrefix(line, ".so") && !strings.HasPrefix(line, "'") && !strings.Contains(line, `\f`), "%q in\n%s", line, page)
	}
}

// The maker of a log's key chose its name. A shell must not run the name when the line is pasted.
func TestNothingInALineIsRun(t *testing.T) {
	for arg, want := range map[string]string{
		"cards.example+0a1b2c3d+AXz/9=": "cards.example+0a1b2c3d+AXz/9=",
		"http://127.0.0.1:8080":         "http://127.0.0.1:8080",
		"$(id)":                         "'$(id)'",
		"`id`;id":                       "'`id`;id'",
		"it's":                          `'it'"'"'s'`,
		"'\"":                           `''"'"'"'`,
		"":                              "''",
		"~":                             "'~'",
		"=id":                           "'=id'",
		"a,b":                           "'a,b'",
		"*.seat\nid":                    `'*.seat\u{a}id'`,
		`C:\a b.seat`:                   `'C:\a b.seat'`,
	} {
		testmust.Equal(t, Line("x", arg), "x "+want, arg, want)
	}
}
