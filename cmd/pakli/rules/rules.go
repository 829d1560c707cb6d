// Package rules lists the rule sets of games, and scores records of them.
package rules

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Rules lists a rule set, or in what two of them differ.
func Rules(f *command.Flags) command.Body {
	f.Long = "A SET is a preset, a preset with changes (PRESET,OPTION=VALUE), or a file with the\noptions of a table's first entry as JSON (options.json). With one SET, its options are\nlisted; with two, the options in which they differ. Presets:\n"
	for _, g := range games.Catalogue() {
		if presets := g.Scene.Terms().Presets; presets != nil {
			name, _, _ := strings.Cut(g.Name(), "/")
			f.Long += fmt.Sprintf("  %s: %s\n", name, strings.Join(presets, ", "))
		}
	}
	return func(ctx context.Context, e command.Env) error {
		name, err := flags.GameName(f.Arg(0))
		t := games.Scene(name).Terms()
		if err != nil || t.RuleSet == nil {
			var names []string
			for _, g := range games.Catalogue() {
				if g.Scene.Terms().RuleSet != nil {
					names = append(names, g.Name())
				}
			}
			return command.WrongUsage("%s has no rule sets to list: %s", f.Arg(0), flags.HaveIt(names))
		}
		words := f.Args()[1:]
		if len(words) == 0 {
			words = t.Presets[:1]
		}
		var sets [][]scene.Option
		for _, arg := range words {
			set, err := readRules(t, arg)
			if err != nil {
				return command.WrongUsage("%s: %w", arg, err)
			}
			sets = append(sets, set)
		}
		if len(sets) == 2 {
			return sayDifferences(e, words, sets[0], sets[1])
		}
		return e.SayText(optionRows(sets[0]), func(w io.Writer) error { return printRules(w, sets[0]) })
	}
}

// readRules reads what a person names a rule set by.
func readRules(t scene.Terms, arg string) ([]scene.Option, error) {
	o := flags.Options{}
	if strings.HasSuffix(arg, ".json") {
		text, err := os.ReadFile(arg)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &o); err != nil {
			return nil, fmt.Errorf("no options as in a genesis entry: %w", err)
		}
	} else {
		preset, rest, more := strings.Cut(arg, ",")
		if strings.Contains(preset, "=") {
			preset, rest, more = t.Presets[0], arg, true
		}
		o["preset"] = preset
		for more {
			var option string
			option, rest, more = strings.Cut(rest, ",")
			if err := o.Set(option); err != nil {
				return nil, err
			}
		}
	}
	return t.RuleSet(table.Config{Seats: 5, Deals: 1, Options: o}) // five members may have every option
}

// printRules writes a rule set in the order in which a game meets the options.
func printRules(w io.Writer, list []scene.Option) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "OPTION\tVALUE\tSOURCE\tMEANING")
	for _, o := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", o.Name, orNone(o.Value), o.Source, meaning(o))
	}
	return t.Flush()
}

// option is one of a rule set to programs; Other is its value in the second of two.
type option struct {
	Name    string  `json:"option"`
	Value   string  `json:"value"`
	Other   *string `json:"other,omitempty"`
	Source  string  `json:"source"`
	Meaning string  `json:"meaning"`
}

func optionRows(list []scene.Option) (options []option) {
	for _, o := range list {
		options = append(options, option{o.Name, o.Value, nil, o.Source, meaning(o)})
	}
	return options
}

// sayDifferences answers with the options that two rule sets set differently.
func sayDifferences(e command.Env, names []string, a, b []scene.Option) error {
	var rows strings.Builder
	differ := []option{}
	for i, o := range optionRows(a) {
		if o.Value != b[i].Value {
			o.Other = &b[i].Value
			differ = append(differ, o)
			fmt.Fprintf(&rows, "%s\t%s\t%s\t%s\t%s\n", o.Name, orNone(o.Value), orNone(b[i].Value), o.Source, o.Meaning)
		}
	}
	if rows.Len() == 0 {
		return e.Say(differ, "%s and %s are the same rules\n", names[0], names[1])
	}
	return e.SayText(differ, func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(t, "OPTION\t%s\t%s\tSOURCE\tMEANING\n%s", names[0], names[1], rows.String())
		return t.Flush()
	})
}

// meaning says what an option is about, and which words it can be.
func meaning(o scene.Option) string {
	text := strings.ReplaceAll(o.Meaning["en"], "`", "") // Markdown
	if len(o.Values) == 0 {
		return text
	}
	return text + " [" + strings.Join(o.Values, " | ") + "]"
}

// orNone shows an empty word.
func orNone(v string) string {
	if v == "" {
		return "(none)"
	}
	return v
}
