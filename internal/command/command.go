// Package command declares and runs the commands of a program. A family of commands is a table, and
// each command has a name, a line of help, flags, examples, and a function that runs with the parsed
// flags. Help, completion and manual pages are made from the same declarations.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/internal/version"
)

// Command is a row of a table of commands: a command or a family. The program runs the one without a
// name if none is named.
type Command struct {
	Name, Short string
	Group       string              // heading of this row and those after it
	Arguments   string              // as shown in the usage
	Examples    []string            // lines as they are typed
	Declare     func(f *Flags) Body // declares the flags
	Commands    []Command           // of a family, instead of arguments and flags
	List        bool                // --json prints a list of everything said, and not one thing
	NoJSON      string              // why it has no --json
}

// Body runs a command after its flags were parsed.
type Body func(ctx context.Context, e Env) error

// Env is a command's view of its process. The words of an answer go to Out, notices and progress to
// Err. --json silences the former and --quiet the latter.
type Env struct {
	Out, Err io.Writer
	loud     io.Writer // the original Err; nil: it is unchanged
	said     *[]any    // output of --json; nil: words are printed
}

// Say answers with v under --json, and otherwise in words.
func (e Env) Say(v any, format string, args ...any) error {
	return e.SayText(v, func(w io.Writer) error { _, err := fmt.Fprintf(w, format, args...); return err })
}

// SayText is Say with a function that writes the words.
func (e Env) SayText(v any, words func(io.Writer) error) error {
	if e.InWords() {
		return words(e.Out)
	}
	*e.said = append(*e.said, v)
	return nil
}

// InWords reports whether the answer is printed in words.
func (e Env) InWords() bool { return e.said == nil }

// Loud returns the writer for errors, questions and the log of a server, which --quiet does not
// silence.
func (e Env) Loud() io.Writer {
	if e.loud == nil {
		return e.Err
	}
	return e.loud
}

// Exit codes. Verdicts have others.
const (
	ExitDone  = 0
	ExitFail  = 1
	ExitUsage = 2
)

// exit is an error with an exit code of its own.
type exit struct {
	code int
	err  error // nil: only the code says it
}

func (x exit) Error() string { return fmt.Sprintf("exit code %d: %v", x.code, x.err) }

// ExitWith ends a command with an exit code of its own, like that of a verdict.
func ExitWith(code int, err error) error {
	if code == ExitDone {
		return err
	}
	return exit{code, err}
}

// UsageError is the user's mistake on the command line.
type UsageError struct{ error }

// Misuse marks an error as the user's mistake.
func Misuse(err error) error { return UsageError{err} }

// WrongUsage returns a mistake of the user.
func WrongUsage(format string, args ...any) error { return Misuse(fmt.Errorf(format, args...)) }

// Dispatch runs the command that args name and returns the exit code of the process.
func Dispatch(ctx context.Context, e Env, list []Command, name string, args []string) int {
	known := names(list)
	usual := slices.Index(known, "")
	switch {
	case len(args) == 0 && usual < 0:
		return usage(e.Err, list, name, ExitUsage)
	case len(args) == 0:
		args = []string{"--"}
	case args[0] == "help" && len(args) > 1: // help play: play -h
		args, usual = append(slices.Clone(args[1:]), "-h"), -1
	case usual < 0 && slices.Contains([]string{"help", "-h", "--help"}, args[0]):
		return usage(e.Out, list, name, ExitDone)
	case args[0] == "help":
		args = []string{"-h"}
	case args[0] == "--version":
		args = []string{"version"}
	}
	at := slices.Index(known, args[0])
	switch {
	case at >= 0 && args[0] != "":
		name, args = name+" "+args[0], args[1:]
	case usual >= 0:
		at = usual
	default:
		fmt.Fprintf(e.Err, "%s: there is no command %q%s (%s help lists them)\n", name, args[0], suggestion(args[0], known), name)
		return ExitUsage
	}
	c := list[at]
	if c.Commands != nil {
		return Dispatch(ctx, e, c.Commands, name, args)
	}
	return c.end(ctx, e, name, c.run(ctx, e, list, name, args))
}

// end reports how a command ended and returns the exit code.
func (c Command) end(ctx context.Context, e Env, name string, err error) int {
	code := ExitDone
	if own, ok := err.(exit); ok {
		code, err = own.code, own.err
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return ExitDone
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))):
		text := ""
		if _, asked := errors.AsType[*url.Error](err); !asked && err != context.Cause(ctx) && err != context.Canceled {
			text = ": " + plain.Lines(err.Error()) // after what it answered before
		}
		fmt.Fprintf(e.Err, "%s: stopped before it was done%s\n", name, text)
		return max(code, ExitFail)
	case errors.As(err, new(UsageError)):
		fmt.Fprintf(e.Err, "%s: %s\n(%s -h explains its flags)\n", name, plain.Lines(err.Error()), name)
		return ExitUsage
	case err != nil:
		fmt.Fprintf(e.Err, "%s: %s\n", name, plain.Lines(err.Error()))
		return max(code, ExitFail)
	}
	return code
}

func (c Command) run(ctx context.Context, e Env, beside []Command, name string, args []string) error {
	f := c.declare(e, name)
	if c.Name == "" {
		f.beside = beside
	}
	if err := f.Read(args); err != nil {
		return err
	}
	heard := e
	if f.quiet {
		heard.Err, heard.loud = io.Discard, e.Err
	}
	if f.json {
		heard.Out, heard.said = io.Discard, new([]any)
	}
	err := f.body(ctx, heard)
	if f.json {
		if wrong := c.printJSON(e.Out, *heard.said, err); err == nil {
			err = wrong
		}
	}
	return err
}

// printJSON prints the single document of --json, or none if the command failed before it said
// anything.
func (c Command) printJSON(w io.Writer, said []any, err error) error {
	switch own, ended := err.(exit); {
	case c.List && (len(said) > 0 || err == nil):
		return plain.JSON(w, append([]any{}, said...))
	case len(said) > 0:
		return plain.JSON(w, said[0])
	case err == nil || ended && own.err == nil:
		return plain.JSON(w, struct{}{})
	}
	return nil
}

// declare returns the flags of a command with its body.
func (c Command) declare(e Env, name string) *Flags {
	f := NewFlags(e, name, c.Arguments)
	f.about = c
	f.body = c.Declare(f)
	if c.NoJSON == "" && f.Lookup("json") == nil {
		f.BoolVar(&f.json, "json", false, "print one JSON document in place of words")
	}
	f.BoolVar(&f.quiet, "quiet", false, "print errors, but no notices and no progress")
	return f
}

// Wait waits for the duration d. It returns an error if ctx ends before.
func Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func usage(w io.Writer, list []Command, name string, code int) int {
	fmt.Fprintf(w, "usage: %s COMMAND [flags]\n", name)
	showCommands(w, list)
	fmt.Fprintf(w, "\n%s COMMAND -h explains a command and its flags.\n", name)
	return code
}

// showCommands lists commands under their headings.
func showCommands(w io.Writer, list []Command) {
	for i, c := range list {
		if c.Name == "" {
			continue
		}
		if c.Group != "" || i == 0 || list[i-1].Name == "" {
			fmt.Fprintln(w)
		}
		if c.Group != "" {
			fmt.Fprintln(w, c.Group)
		}
		fmt.Fprintf(w, "  %-10s %s\n", c.Name, c.Short)
	}
}

func names(list []Command) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// suggestion returns a text that suggests the known name closest to typed, if it is fewer than three
// slips away.
func suggestion(typed string, known []string) string {
	best, least := "", 3
	for _, name := range known {
		if d := slips(typed, name, least); d < least && d < len(name) {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; is %s meant?", best)
}

// slips counts missing, surplus, wrong and swapped letters, but not far beyond most.
func slips(a, b string, most int) int {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case most == 0:
		return 1
	}
	least := min(slips(a[1:], b, most-1), slips(a, b[1:], most-1), slips(a[1:], b[1:], most-1))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, slips(a[2:], b[2:], most-1))
	}
	return 1 + least
}

// plainArgument matches an argument that no dialect of shell interprets. A comma makes lists in
// PowerShell.
var plainArgument = regexp.MustCompile(`^[\w./+:-][\w./+:=-]*$`)

// Line returns a command for pasting into a shell. Strangers choose some arguments, such as the name
// of a log, and no shell may interpret them. An apostrophe is written between quotation marks: after
// \' PowerShell would run the rest.
func Line(args ...string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		if quoted[i] = a; !plainArgument.MatchString(a) {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'"'"'`) + "'"
		}
	}
	return plain.Text(strings.Join(quoted, " "))
}

// Version returns the command that prints the version of the program.
func Version() Command {
	return Command{Name: "version", Short: "say which version this is", Declare: func(f *Flags) Body {
		return func(_ context.Context, e Env) error {
			b := version.Read()
			return e.Say(b, "%s %s, %s\n", f.program(), b, b.Go)
		}
	}}
}
