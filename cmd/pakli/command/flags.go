package command

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Flags are those of one command, and its arguments.
type Flags struct {
	*flag.FlagSet
	Env
	Least, Most int      // how many arguments it takes; as many as its usage names
	Required    []string // flags that may not be left empty
}

// NewFlags returns the flags of a command, none yet. Arguments in brackets may be left out, and "..." is any number.
func NewFlags(e Env, name, arguments string) *Flags {
	words := strings.Fields(arguments)
	f := &Flags{flag.NewFlagSet(strings.TrimSpace(name+" [flags] "+arguments), flag.ContinueOnError), e, len(words), len(words), nil}
	for _, word := range words {
		if strings.HasPrefix(word, "[") {
			f.Least--
		}
	}
	if strings.HasSuffix(arguments, "...") {
		f.Least, f.Most = 0, math.MaxInt
	}
	f.SetOutput(e.Out)
	f.Usage = func() {
		fmt.Fprintf(e.Out, "usage: %s\n\n", f.Name())
		f.ShowFlags()
	}
	return f
}

// ShowFlags prints the flags for -h.
func (f *Flags) ShowFlags() {
	title := "Flags:\n"
	f.VisitAll(func(each *flag.Flag) {
		fmt.Fprint(f.Output(), title, flagText(each))
		title = ""
	})
}

// flagText is what -h says of a flag.
func flagText(f *flag.Flag) string {
	value, text := flag.UnquoteUsage(f)
	if value != "" {
		value = " " + value
	}
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
		text += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	return fmt.Sprintf("  %s%s\n        %s\n", flagAsTyped(f), value, text)
}

// flagAsTyped is a flag as it is typed.
func flagAsTyped(f *flag.Flag) string {
	if len(f.Name) == 1 {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// Read reads flags, before and after arguments.
func (f *Flags) Read(args []string) error {
	rest := []string{"--"} // for the flag set, which keeps what is left
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
			return WrongUsage("there is no flag %s", arg)
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
	switch have := f.NArg(); {
	case have > f.Most:
		return WrongUsage("%q is one argument too many", f.Arg(f.Most))
	case have < f.Least:
		return WrongUsage("an argument is missing: %s", f.Name())
	}
	return f.Require(f.Required...)
}

func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// takesWord tells of a switch whose value may follow as a word of its own.
func takesWord(f *flag.Flag) bool {
	_, ok := f.Value.(interface{ TakesWord() })
	return ok
}

// SetFlag sets a flag. Package flag says "parse error" of what is no number.
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

// Require refuses flags that were left empty.
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

// Numbers reads the list of numbers that a flag has.
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
