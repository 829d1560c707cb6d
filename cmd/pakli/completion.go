package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A tour asks every command for its help, and notes the flags that it declares. It is
// the output of an env: dispatch and flags know it.
type tour struct {
	io.Writer
	found map[string]*flag.FlagSet // by command
}

// visit asks each command of a list.
func (t *tour) visit(ctx context.Context, list []command, name string) int {
	for _, c := range list {
		t.found[name+" "+c.name] = nil // unless it declares flags, it has commands of its own
		_, _ = c.run(ctx, env{t, t}, []string{"-h"})
	}
	return exitDone
}

// wordsAfter are what may come after a command: its own commands, or its flags.
func (t *tour) wordsAfter(name string) string {
	var words []string
	if f := t.found[name]; f != nil {
		f.VisitAll(func(f *flag.Flag) { words = append(words, flagAsTyped(f)) })
		return strings.Join(words, " ")
	}
	for other := range t.found {
		if parent, last, _ := cutLast(other); parent == name {
			words = append(words, last)
		}
	}
	return strings.Join(slices.Sorted(slices.Values(words)), " ")
}

func cutLast(name string) (parent, last string, ok bool) {
	at := strings.LastIndexByte(name, ' ')
	return name[:max(at, 0)], name[at+1:], at >= 0
}

// shells are the functions that look up what may come next. The words before the
// cursor are tried from the longest command to the shortest; where it has nothing to
// offer, files are.
var shells = map[string]struct{ begin, row, end string }{
	"bash": {"_pakli() {\n  local line=\"${COMP_WORDS[*]:0:COMP_CWORD}\" words=\n  case \"$line\" in\n",
		"  %q|%q*) words=%q ;;\n",
		"  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\ncomplete -o default -F _pakli pakli\n"},
	"zsh": {"#compdef pakli\n_pakli() {\n  local line=\"${words[1,CURRENT-1]}\" list=\n  case \"$line\" in\n",
		"  %q|%q*) list=%q ;;\n",
		"  esac\n  compadd -- ${=list}; _files\n}\ncompdef _pakli pakli\n"},
	"fish": {"function __pakli_words\n  switch (commandline -opc | string join ' ')\n",
		"  case %q %q'*'\n    string split ' ' -- %q\n",
		"  end\nend\ncomplete -c pakli -a '(__pakli_words)'\n"},
}

// runCompletion prints what completes commands and flags in a shell.
func runCompletion(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("completion", "bash|zsh|fish")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	shell, known := shells[f.Arg(0)]
	if !known {
		return exitUsage, wrongUsage("%q is none of bash, zsh, fish", f.Arg(0))
	}
	t := &tour{io.Discard, map[string]*flag.FlagSet{"pakli": nil}}
	t.visit(ctx, commands(), "pakli")
	names := slices.SortedFunc(maps.Keys(t.found), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	fmt.Fprint(e.out, shell.begin)
	for _, name := range names {
		fmt.Fprintf(e.out, shell.row, name, name+" ", t.wordsAfter(name))
	}
	_, err := fmt.Fprint(e.out, shell.end)
	return exitDone, err
}
