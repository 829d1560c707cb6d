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

// nextWords collects the words that may follow each command of a table, its own commands or its
// flags, and each flag with known values.
func nextWords(list []Command, name string, words, values map[string]string) {
	var next []string
	for _, c := range list {
		if c.Commands != nil {
			next = append(next, c.Name)
			nextWords(c.Commands, name+" "+c.Name, words, values)
			continue
		}
		below := strings.TrimSpace(name + " " + c.Name)
		f := c.declare(Env{Out: io.Discard, Err: io.Discard}, below)
		var typed []string
		f.VisitAll(func(each *flag.Flag) {
			typed = append(typed, flagAsTyped(each))
			if offers := f.offers[each.Name]; offers != nil {
				values[below+"|"+flagAsTyped(each)] = strings.Join(offers, " ")
			}
		})
		if c.Name == "" {
			next = append(next, typed...)
			continue
		}
		next, words[below] = append(next, c.Name), strings.Join(typed, " ")
	}
	slices.Sort(next)
	words[name] = strings.Join(next, " ")
}

// shells are functions that look up the next words. They first try the values of a flag at the end of
// the line, then the words before the cursor, from the longest command to the shortest, and then
// files. PROGRAM is the program's name.
var shells = map[string]struct{ begin, value, row, end string }{
	"bash": {"_PROGRAM() {\n  local line=\"${COMP_WORDS[*]:0:COMP_CWORD}\" words=\n  case \"$line\" in\n",
		"  %q*%q) words=%q ;;\n", "  %q|%q*) words=%q ;;\n",
		"  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\ncomplete -o default -F _PROGRAM PROGRAM\n"},
	"zsh": {"#compdef PROGRAM\n_PROGRAM() {\n  local line=\"${words[1,CURRENT-1]}\" list=\n  case \"$line\" in\n",
		"  %q*%q) list=%q ;;\n", "  %q|%q*) list=%q ;;\n",
		"  esac\n  compadd -- ${=list}; _files\n}\ncompdef _PROGRAM PROGRAM\n"},
	"fish": {"function __PROGRAM_words\n  switch (commandline -opc | string join ' ')\n",
		"  case %q'*'%q\n    string split ' ' -- %q\n", "  case %q %q'*'\n    string split ' ' -- %q\n",
		"  end\nend\ncomplete -c PROGRAM -a '(__PROGRAM_words)'\n"},
}

// Completion returns the command that prints a shell's completion of the program's commands.
func Completion(program string, list func() []Command) Command {
	return Command{Name: "completion", Short: "print what completes commands and flags in a shell", Arguments: "bash|zsh|fish", NoJSON: "a shell reads it", Examples: []string{program + " completion bash"}, Declare: func(f *Flags) Body {
		return func(_ context.Context, e Env) error {
			shell, known := shells[f.Arg(0)]
			if !known {
				return WrongUsage("%q is none of bash, zsh, fish", f.Arg(0))
			}
			words, values := map[string]string{}, map[string]string{}
			nextWords(list(), program, words, values)
			named := strings.NewReplacer("_PROGRAM", "_"+strings.ReplaceAll(program, "-", "_"), "PROGRAM", program)
			fmt.Fprint(e.Out, named.Replace(shell.begin))
			for _, at := range longestFirst(values) {
				name, flag, _ := strings.Cut(at, "|")
				fmt.Fprintf(e.Out, shell.value, name, " "+flag, values[at])
			}
			for _, name := range longestFirst(words) {
				fmt.Fprintf(e.Out, shell.row, name, name+" ", words[name])
			}
			_, err := fmt.Fprint(e.Out, named.Replace(shell.end))
			return err
		}
	}}
}

func longestFirst(m map[string]string) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
}
