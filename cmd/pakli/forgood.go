package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/mattn/go-isatty"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/wire"
)

// forGood is of what nobody can take back, the end of a table or of an event: why it is done stands
// in its entry, and whoever does it confirms it.
type forGood struct {
	reason string
	yes    bool
}

func (g *forGood) addFlags(f *flag.FlagSet) {
	f.StringVar(&g.reason, "reason", "", "why, for everybody to read; there must be one")
	f.BoolVar(&g.yes, "yes", false, "do it without being asked whether it is meant")
}

func (g *forGood) checkReason() error { return mustSay(g.reason) }

// mustSay is of what everybody reads in the log.
func mustSay(text string) error {
	if strings.TrimSpace(text) == "" {
		return wrongUsage("--reason is missing: it stands in the log, and everybody reads it in the results")
	}
	if err := wire.Text(text).Check(); err != nil {
		return usageError{err}
	}
	return nil
}

// confirm has a person confirm what is about to be done.
func (g *forGood) confirm(ctx context.Context, e env, what string) error {
	if g.yes {
		return nil
	}
	if !isatty.IsTerminal(os.Stdin.Fd()) {
		return wrongUsage("%s There is no terminal to ask at whether it is meant: add --yes", what)
	}
	fmt.Fprintf(e.err, "%s Nobody can take it back.\nReason: %s\nType yes to do it: ", what, plain.Text(g.reason))
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		answer <- strings.TrimSpace(line)
	}()
	select {
	case said := <-answer:
		if said == "yes" {
			return nil
		}
	case <-ctx.Done():
	}
	return errors.New("it was not confirmed: nothing was done")
}
