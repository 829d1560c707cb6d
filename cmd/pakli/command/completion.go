package command

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

// nextWords are what may come after each command of a table: its own commands, or its flags.
func nextWords(list []Command, name string, words map[string]string) {
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
		name := name + " " + c.Name
		if c.Commands != nil {
			nextWords(c.Commands, name, words)
			continue
		}
		f := NewFlags(Env{io.Discard, io.Discard}, name, c.Arguments)
		c.Declare(f)
		var typed []string
		f.VisitAll(func(f *flag.Flag) { typed = append(typed, flagAsTyped(f)) })
		words[name] = strings.Join(typed, " ")
	}
	slices.Sort(names)
	words[name] = strings.Join(names, " ")
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

// Completion is the command that prints what completes the commands of a table in a shell.
func Completion(list func() []Command) Command {
	return Command{Name: "completion", Short: "print what completes commands and flags in a shell", Arguments: "bash|zsh|fish", Declare: func(f *Flags) Body {
		return func(_ context.Context, e Env) error {
			shell, known := shells[f.Arg(0)]
			if !known {
				return WrongUsage("%q is none of bash, zsh, fish", f.Arg(0))
			}
			words := map[string]string{}
			nextWords(list(), "pakli", words)
			fmt.Fprint(e.Out, shell.begin)
			for _, name := range slices.SortedFunc(maps.Keys(words), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }) {
				fmt.Fprintf(e.Out, shell.row, name, name+" ", words[name])
			}
			_, err := fmt.Fprint(e.Out, shell.end)
			return err
		}
	}}
}
