package tables

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Rules lists a rule set, or the differences between two.
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
		return sayRules(e, words, sets)
	}
}

// readRules reads a person's name of a rule set.
func readRules(t scene.Terms, arg string) ([]scene.Option, error) {
	o := flags.Options{}
	if strings.HasSuffix(arg, ".json") {
		text, err := os.ReadFile(arg)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &o); err != nil {
			return nil, fmt.Errorf("it has no options of a table as JSON: %w", err)
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
	return t.RuleSet(table.Config{Seats: 5, Deals: 1, Options: o}) // with five seats every option is allowed
}

// sayRules lists a rule set in the order in which a game meets the options, or the options in which
// two sets differ.
func sayRules(e command.Env, names []string, sets [][]scene.Option) error {
	t := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	e.Out = t
	title := "OPTION\tVALUE\tSOURCE\tMEANING\n"
	if len(sets) == 2 {
		title = fmt.Sprintf("OPTION\t%s\t%s\tSOURCE\tMEANING\n", names[0], names[1])
	}
	for i, o := range sets[0] {
		row := map[string]string{"option": o.Name, "value": o.Value, "source": o.Source, "meaning": meaning(o)}
		values := orNone(o.Value)
		if len(sets) == 2 {
			row["other"] = sets[1][i].Value
			values += "\t" + orNone(row["other"])
		}
		if row["other"] == o.Value && len(sets) == 2 {
			continue
		}
		if err := e.Say(row, "%s%s\t%s\t%s\t%s\n", title, o.Name, values, o.Source, row["meaning"]); err != nil {
			return err
		}
		title = ""
	}
	if title != "" {
		fmt.Fprintf(t, "%s and %s are the same rules\n", names[0], names[1])
	}
	return t.Flush()
}

// meaning returns what an option is about, and its possible words.
func meaning(o scene.Option) string {
	text := strings.ReplaceAll(o.Meaning["en"], "`", "") // Markdown
	if len(o.Values) == 0 {
		return text
	}
	return text + " [" + strings.Join(o.Values, " | ") + "]"
}

// orNone makes an empty word visible.
func orNone(v string) string {
	if v == "" {
		return "(none)"
	}
	return v
}
