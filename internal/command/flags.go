package command

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Flags are the flags and arguments of one command.
type Flags struct {
	*flag.FlagSet
	Env
	Least, Most int      // number of arguments; by default as in the usage
	Required    []string // flags that may not be empty
	Long        string   // further lines of its help

	about     Command
	beside    []Command // named commands beside one without a name
	body      Body
	json      bool                // print one JSON document and no words
	quiet     bool                // print no notices
	variables map[string]variable // of flags that the environment may set
	offers    map[string][]string // what a shell offers for a flag
}

// variable may set a flag if neither the flag nor certain others are given.
type variable struct {
	name   string
	unless []string
	taken  bool // the variable has set the flag
}

// Variable lets the environment set a flag that the command line does not, unless one of the flags in
// unless is given. Those say the same in another way, and a variable adds nothing to a user's choice.
func (f *Flags) Variable(flag, name string, unless ...string) {
	f.variables[flag] = variable{name: name, unless: unless}
}

// Offer sets the values that a shell offers for a flag.
func (f *Flags) Offer(flag string, values ...string) { f.offers[flag] = values }

// program returns the first word of the usage.
func (f *Flags) program() string { name, _, _ := strings.Cut(f.Name(), " "); return name }

// NewFlags returns flags without declarations. Arguments in brackets are optional, and "..." stands
// for any number.
func NewFlags(e Env, name, arguments string) *Flags {
	words := strings.Fields(arguments)
	f := &Flags{FlagSet: flag.NewFlagSet(strings.TrimSpace(name+" [flags] "+arguments), flag.ContinueOnError), Env: e,
		Least: len(words), Most: len(words), variables: map[string]variable{}, offers: map[string][]string{}}
	for _, word := range words {
		if strings.HasPrefix(word, "[") {
			f.Least--
		}
	}
	if strings.HasSuffix(arguments, "...") {
		f.Least, f.Most = 0, math.MaxInt
	}
	f.SetOutput(e.Out)
	f.Usage = f.showHelp
	return f
}

// showHelp prints the output of -h: what the command does, its usage, and its flags.
func (f *Flags) showHelp() {
	w := f.Output()
	fmt.Fprintf(w, "usage: %s\n\n", f.Name())
	if f.about.Short != "" {
		fmt.Fprintf(w, "%s\n\n", f.about.sentence())
	}
	if f.beside != nil {
		fmt.Fprint(w, "Commands:")
		showCommands(w, f.beside)
		fmt.Fprintln(w)
	}
	if len(f.about.Examples) > 0 {
		fmt.Fprintf(w, "Examples:\n  %s\n\n", strings.Join(f.about.Examples, "\n  "))
	}
	title := "Flags:\n"
	f.VisitAll(func(each *flag.Flag) {
		typed, text := f.describe(each)
		fmt.Fprintf(w, "%s  %s\n        %s\n", title, typed, text)
		title = ""
	})
	if f.Long != "" {
		fmt.Fprintf(w, "\n%s", f.Long)
	}
}

func (c Command) sentence() string { return strings.ToUpper(c.Short[:1]) + c.Short[1:] + "." }

// describe returns a flag as it is typed, with the word for its value, and its usage.
func (f *Flags) describe(each *flag.Flag) (typed, text string) {
	value, text := flag.UnquoteUsage(each)
	value = cmp.Or(valueWords[value], value)
	if v, ok := f.variables[each.Name]; ok {
		text += fmt.Sprintf(" (or $%s)", v.name)
	}
	if each.DefValue != "" && each.DefValue != "false" && each.DefValue != "0" && each.DefValue != "0s" {
		text += fmt.Sprintf(" (default %s)", each.DefValue)
	}
	return strings.TrimSpace(flagAsTyped(each) + " " + value), text
}

// valueWords replace names of types that package flag uses for values.
var valueWords = map[string]string{"int": "number", "float": "number", "string": "text", "duration": "time"}

func flagAsTyped(f *flag.Flag) string {
	if len(f.Name) == 1 {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// Read parses flags before and after arguments.
func (f *Flags) Read(args []string) error {
	rest := []string{"--"} // for the flag set, which keeps the rest
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		name, dashed := strings.CutPrefix(arg, "-")
		name, value, given := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		each := f.Lookup(name)
		switch {
		case arg == "--":
			rest, args = append(rest, args...), nil
			continue
		case !dashed || arg == "-":
			rest = append(rest, arg)
			continue
		case each == nil && (name == "h" || name == "help"):
			f.Usage()
			return flag.ErrHelp
		case each == nil:
			return WrongUsage("there is no flag %s%s", arg, f.meantFlag(name))
		case given:
		case takesWord(each) && len(args) > 0 && !strings.HasPrefix(args[0], "-"):
			value, args = args[0], args[1:]
		case isSwitch(each):
			value = "true"
		case len(args) == 0:
			return WrongUsage("--%s needs a value", name)
		default:
			value, args = args[0], args[1:]
		}
		if err := f.SetFlag(name, value); err != nil {
			return WrongUsage("--%s %s: %w", name, value, err)
		}
	}
	if err := f.Parse(rest); err != nil {
		return err
	}
	if err := f.readVariables(); err != nil {
		return err
	}
	switch have := f.NArg(); {
	case have > f.Most:
		return WrongUsage("%q is one argument too many", f.Arg(f.Most))
	case have < f.Least:
		return WrongUsage("an argument is missing: %s", f.Name())
	}
	return f.Require(f.Required...)
}

// readVariables sets flags that were not given from their variables.
func (f *Flags) readVariables() error {
	for name, v := range f.variables {
		if value := os.Getenv(v.name); value != "" && !f.IsGiven(name) && !slices.ContainsFunc(v.unless, f.IsGiven) {
			if err := f.SetFlag(name, value); err != nil {
				return WrongUsage("$%s %s: %w", v.name, value, err)
			}
			v.taken = true
			f.variables[name] = v
		}
	}
	return nil
}

// meantFlag suggests another flag.
func (f *Flags) meantFlag(typed string) string {
	var known []string
	f.VisitAll(func(each *flag.Flag) { known = append(known, each.Name) })
	return strings.Replace(suggestion(typed, known), "; is ", "; is --", 1)
}

func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// takesWord reports whether a switch takes a value as a separate word.
func takesWord(f *flag.Flag) bool {
	_, ok := f.Value.(interface{ TakesWord() })
	return ok
}

// SetFlag sets a flag. For values that are no numbers it improves package flag's "parse error".
func (f *Flags) SetFlag(name, value string) error {
	err := f.Set(name, value)
	g, ok := f.Lookup(name).Value.(flag.Getter)
	if err == nil || !ok {
		return err
	}
	switch g.Get().(type) {
	case bool:
		return fmt.Errorf("want true or false")
	case time.Duration:
		return fmt.Errorf("want a time with its unit, as 30s or 5m")
	case int, int64, float64:
		return fmt.Errorf("want a number")
	}
	return err
}

// Require refuses empty flags.
func (f *Flags) Require(names ...string) error {
	var missing []string
	for _, name := range names {
		if v := f.Lookup(name).Value.String(); v == "" || v == "0" {
			missing = append(missing, "--"+name)
		}
	}
	if len(missing) > 0 {
		return WrongUsage("%s is missing", strings.Join(missing, " and "))
	}
	return nil
}

// IsGiven reports whether a flag was given.
func (f *Flags) IsGiven(name string) (found bool) {
	f.Visit(func(g *flag.Flag) { found = found || g.Name == name })
	return found
}

// IsTyped reports whether a flag was given on the command line, and not by the environment.
func (f *Flags) IsTyped(name string) bool { return f.IsGiven(name) && !f.variables[name].taken }

// Numbers parses a flag's list of numbers.
func Numbers(flag, list string, least, most int) (numbers []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < least || n > most {
			return nil, WrongUsage("--%s: %q is no number from %d to %d", flag, text, least, most)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}
