package main

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// usageError is the user's mistake on the command line.
type usageError struct{ error }

func wrongUsage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// flags returns the flag set of a command, for parse.
func (e env) flags(name, arguments string) *flag.FlagSet {
	f := flag.NewFlagSet(strings.TrimSpace("pakli "+name+" [flags] "+arguments), flag.ContinueOnError)
	f.SetOutput(e.out)
	f.Usage = func() {
		fmt.Fprintf(e.out, "usage: %s\n\n", f.Name())
		showFlags(f)
	}
	if t, ok := e.out.(*tour); ok {
		t.found["pakli "+name] = f
	}
	return f
}

// showFlags prints the flags for -h.
func showFlags(f *flag.FlagSet) {
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

// parseFlags reads flags, before and after arguments. It wants n arguments, or up to most.
func parseFlags(f *flag.FlagSet, args []string, n int, most ...int) error {
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
			return wrongUsage("there is no flag %s", arg)
		case given:
		case isSwitch(each):
			value = "true"
		case len(args) == 0:
			return wrongUsage("--%s needs a value", name)
		default:
			value, args = args[0], args[1:]
		}
		if err := setFlag(f, name, value); err != nil {
			return wrongUsage("--%s %s: %w", name, value, err)
		}
	}
	if err := f.Parse(rest); err != nil {
		return err
	}
	switch have, limit := f.NArg(), append(most, n)[0]; {
	case have > limit:
		return wrongUsage("%q is one argument too many", f.Arg(limit))
	case have < n:
		return wrongUsage("an argument is missing: %s", f.Name())
	}
	return nil
}

func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// setFlag sets a flag. Package flag says "parse error" of what is no number.
func setFlag(f *flag.FlagSet, name, value string) error {
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

// numbers reads the list of numbers that a flag has.
func numbers(flag, list string, least, most int) (numbers []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < least || n > most {
			return nil, wrongUsage("--%s: %q is no number from %d to %d", flag, text, least, most)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}
