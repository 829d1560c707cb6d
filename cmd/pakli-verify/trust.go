package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
)

// trust is all that is believed: keys of a log, and cosigners.
type trust struct {
	keys   []*tlog.VerifierKey
	policy *tlog.Policy
}

func (t *trust) addFlags(f *flag.FlagSet) {
	f.Func("log", "verifier key of the log: all that is trusted; may be repeated while the log changes keys", func(s string) error {
		k, err := tlog.ParseLogKey(s)
		t.keys = append(t.keys, k)
		return err
	})
	f.Func("policy", "file with the logs and cosigners that are trusted, and how many of them are wanted", func(s string) error {
		text, err := os.ReadFile(s)
		if err == nil {
			t.policy, err = tlog.ParsePolicy(text)
		}
		return err
	})
}

// completeKeys takes the keys from the policy, if none are given.
func (t *trust) completeKeys() error {
	if len(t.keys) == 0 && t.policy != nil {
		for _, l := range t.policy.Logs {
			t.keys = append(t.keys, l.Key)
		}
	}
	if len(t.keys) == 0 {
		return errors.New("--log is missing: without the log's verifier key nothing can be believed")
	}
	return nil
}

func (t *trust) verifiers() []note.Verifier { return bundle.Keys{Log: t.keys}.Verifiers() }

// client reads a log, or what has its checkpoint in the same place.
func (t *trust) client(base string) (*client.Client, error) {
	keys := t.verifiers()
	return client.New(base, keys[0], nil, keys[1:]...)
}

// readFlags reads flags before, between and behind arguments, and returns these. -h is told
// all flags; of a mistake there is the error alone.
func readFlags(f *flag.FlagSet, usage string, args []string, errs io.Writer) (list []string, err error) {
	f.SetOutput(io.Discard)
	for err == nil {
		if err = f.Parse(args); err == nil && f.NArg() == 0 {
			return list, nil
		}
		if read := len(args) - f.NArg(); err == nil && read > 0 && args[read-1] == "--" {
			return append(list, f.Args()...), nil // however their names begin
		} else if err == nil {
			list, args = append(list, f.Arg(0)), f.Args()[1:]
		}
	}
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(errs, "usage: pakli-verify %s\n\nFlags:\n", usage)
		f.SetOutput(errs)
		f.PrintDefaults()
	}
	return nil, err
}

// tellMisuse tells wrong usage, and returns the exit code.
func tellMisuse(errs io.Writer, err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	complain(errs, "%v; pakli-verify -h says how", err)
	return exitUsage
}

// catalogue is all games and suites.
func catalogue() table.Catalogue {
	return table.Catalogue{Game: games.Lookup, Suite: suite.LookupVerifier}
}
