package command

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// word is a switch whose value may follow.
type word string

func (w *word) String() string     { return string(*w) }
func (w *word) Set(s string) error { *w = word(s); return nil }
func (w *word) IsBoolFlag() bool   { return true }
func (w *word) TakesWord()         {}

// A command that ends with another code than its scripts rely on, or whose mistakes are told in other words; and one that
// takes fewer arguments, or more, than its usage names.
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
		"help family any":                       {0, "usage: pakli family any [flags] A...\n\n", ""},
		"family one --needed x a --word -- b c": {0, "a b c", ""},
	} {
		var out, said bytes.Buffer
		chosen = ""
		code := Dispatch(t.Context(), Env{&out, &said}, list, "pakli", strings.Fields(line))
		if code != want.code || out.String() != want.out || said.String() != want.said {
			t.Errorf("%s: %d %q %q, want %+v", line, code, out.String(), said.String(), want)
		}
		if strings.Contains(line, "--word w") && chosen != "w" || strings.Contains(line, "--word --") && chosen != "true" {
			t.Errorf("%s: chosen is %q", line, chosen)
		}
	}
}
