package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// runRules lists a rule set, or in what two of them differ.
func runRules(_ context.Context, e env, args []string) (int, error) {
	f := e.flags("rules", "tarokk [SET [SET]]")
	usage := f.Usage
	f.Usage = func() {
		usage()
		fmt.Fprintf(e.err, "\nA SET is a preset (%s), a preset and what differs from it (bga,free-call=any),\nor a file with the options of a genesis entry as JSON (options.json).\nOne SET is listed, of two what they differ in.\n", strings.Join(ruleset.Presets(), ", "))
	}
	if err := f.Parse(args); err != nil {
		return exitUsage, usageError{err}
	}
	if f.NArg() < 1 || f.NArg() > 3 {
		return exitUsage, wrongUsage("%d arguments, want the game and up to two rule sets", f.NArg())
	}
	if name, err := gameName(f.Arg(0)); err != nil || name != (tarokk.Rules{}).Name() {
		return exitUsage, wrongUsage("%s has no rule sets to list: tarokk has", f.Arg(0))
	}
	var sets []ruleset.Rules
	for _, arg := range f.Args()[1:] {
		r, err := readRules(arg)
		if err != nil {
			return exitUsage, wrongUsage("%s: %w", arg, err)
		}
		sets = append(sets, r)
	}
	switch len(sets) {
	case 2:
		return exitDone, printDifferences(e.out, f.Args()[1:], ruleset.Diff(sets[0], sets[1]))
	case 0:
		r, _ := ruleset.Preset(ruleset.Presets()[0])
		sets = append(sets, r)
	}
	return exitDone, printRules(e.out, sets[0])
}

// readRules reads what a person names a rule set by.
func readRules(arg string) (ruleset.Rules, error) {
	o := options{}
	if strings.HasSuffix(arg, ".json") {
		b, err := os.ReadFile(arg)
		if err != nil {
			return ruleset.Rules{}, err
		}
		if err := json.Unmarshal(b, &o); err != nil {
			return ruleset.Rules{}, fmt.Errorf("no options as in a genesis entry: %w", err)
		}
	} else {
		preset, rest, more := strings.Cut(arg, ",")
		if strings.Contains(preset, "=") {
			preset, rest, more = ruleset.Presets()[0], arg, true
		}
		o["preset"] = preset
		for more {
			var option string
			option, rest, more = strings.Cut(rest, ",")
			if err := o.Set(option); err != nil {
				return ruleset.Rules{}, err
			}
		}
	}
	return ruleset.Parse(table.Config{Seats: 5, Deals: 1, Options: o}) // five members may have every option
}

// printRules writes a rule set in the order in which a game meets the options.
func printRules(w io.Writer, r ruleset.Rules) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "OPTION\tVALUE\tSOURCE\tMEANING")
	for _, o := range ruleset.Options() {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", o.Name, orNone(o.Value(r)), o.Source, meaning(o))
	}
	return t.Flush()
}

func printDifferences(w io.Writer, names []string, list []ruleset.Difference) error {
	if len(list) == 0 {
		_, err := fmt.Fprintf(w, "%s and %s are the same rules\n", names[0], names[1])
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "OPTION\t%s\t%s\tSOURCE\tMEANING\n", names[0], names[1])
	for _, d := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", d.Name, orNone(d.A), orNone(d.B), d.Source, meaning(d.Option))
	}
	return t.Flush()
}

// meaning says what an option is about, and which words it can be.
func meaning(o ruleset.Option) string {
	text := strings.ReplaceAll(o.Meaning, "`", "") // Markdown
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
