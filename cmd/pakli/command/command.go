// Package command is how the commands of pakli are declared and run: a family of them is a table, and
// each has a name, a line of help, flags, and what it does when these were read.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/pakli/pakli/internal/plain"
)

// Command is a row of a table of commands: one that does something, or a family.
type Command struct {
	Name, Short string
	Arguments   string              // as its usage shows them
	Declare     func(f *Flags) Body // its flags
	Commands    []Command           // of a family, in place of arguments and flags
}

// Body is what a command does once its flags were read.
type Body func(ctx context.Context, e Env) error

// Env is what a command sees of its process.
type Env struct {
	Out, Err io.Writer
}

// Exit codes; verdicts have their own.
const (
	ExitDone  = 0
	ExitFail  = 1
	ExitUsage = 2
)

// exit is how a command ends that does not end as its error says.
type exit struct {
	code int
	err  error // nil: only the code says it
}

func (x exit) Error() string { return fmt.Sprintf("exit code %d: %v", x.code, x.err) }

// ExitWith ends a command with a code of its own, as verdicts have them.
func ExitWith(code int, err error) error {
	if code == ExitDone {
		return err
	}
	return exit{code, err}
}

// UsageError is the user's mistake on the command line.
type UsageError struct{ error }

// Misuse makes an error the user's mistake.
func Misuse(err error) error { return UsageError{err} }

// WrongUsage is the user's mistake, in words.
func WrongUsage(format string, args ...any) error { return Misuse(fmt.Errorf(format, args...)) }

// Dispatch runs the command of a table that args name, and returns the exit code of the process.
func Dispatch(ctx context.Context, e Env, list []Command, name string, args []string) int {
	if len(args) == 0 {
		return usage(e.Err, list, name, ExitUsage)
	}
	if slices.Contains([]string{"help", "-h", "--help"}, args[0]) {
		if len(args) == 1 {
			return usage(e.Out, list, name, ExitDone)
		}
		args = append(slices.Clone(args[1:]), "-h") // help play: play -h
	}
	at := slices.IndexFunc(list, func(c Command) bool { return c.Name == args[0] })
	if at < 0 {
		fmt.Fprintf(e.Err, "%s: there is no command %q (%s help lists them)\n", name, args[0], name)
		return ExitUsage
	}
	c, name, args := list[at], name+" "+args[0], args[1:]
	if c.Commands != nil {
		return Dispatch(ctx, e, c.Commands, name, args)
	}
	code, err := ExitDone, c.run(ctx, e, name, args)
	if own, ok := err.(exit); ok {
		code, err = own.code, own.err
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return ExitDone
	case errors.As(err, new(UsageError)):
		fmt.Fprintf(e.Err, "%s: %s\n(%s -h explains its flags)\n", name, plain.Lines(err.Error()), name)
		return ExitUsage
	case err != nil:
		fmt.Fprintf(e.Err, "%s: %s\n", name, plain.Lines(err.Error()))
		return max(code, ExitFail)
	}
	return code
}

func (c Command) run(ctx context.Context, e Env, name string, args []string) error {
	f := NewFlags(e, name, c.Arguments)
	body := c.Declare(f)
	if err := f.Read(args); err != nil {
		return err
	}
	return body(ctx, e)
}

// Wait waits for a time, or until ctx ends, which is an error.
func Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func usage(w io.Writer, list []Command, name string, code int) int {
	fmt.Fprintf(w, "usage: %s COMMAND [flags]\n\n", name)
	for _, c := range list {
		fmt.Fprintf(w, "  %-10s %s\n", c.Name, c.Short)
	}
	fmt.Fprintf(w, "\n%s COMMAND -h explains a command and its flags.\n", name)
	return code
}
