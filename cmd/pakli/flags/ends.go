package flags

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mattn/go-isatty"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
)

// endsFlags are the flags of a table that somebody may end or leave. With any of them it is of the
// format table/v2.
type endsFlags struct {
	resign, agree bool
	forfeit       int
	arbiters      []string
	called        []string
	time          Clock
}

func (t *endsFlags) addFlags(f *command.Flags) {
	t.time.addFlags(f)
	f.BoolVar(&t.agree, "agree", false, "let the seats end the table, or undo a deal, if all of them agree; implied by --resign, --forfeit, --arbiter, --called, --clock and --fouls warn")
	f.BoolVar(&t.resign, "resign", false, "let a seat give up a deal, or leave the table")
	f.IntVar(&t.forfeit, "forfeit", 0, "what a seat that leaves a deal pays to each other, in points of the game; with 0 the deal is undone and nobody pays")
	f.Func("arbiter", "verifier `key`, or its .pub file, of an arbiter, who may pause and close the table and let others sit down as the organiser may; repeat for each", func(arg string) error {
		v, err := SeatKey(arg)
		t.arbiters = append(t.arbiters, v)
		return err
	})
	f.Func("called", "`name` that people know a seat by, in any script; repeat for each seat, in the order of --seat (default: the name in its key)", func(arg string) error {
		t.called = append(t.called, arg)
		return plain.CheckName(arg)
	})
}

// addTo adds the terms of an end to the genesis entry, if any are wanted.
func (t *endsFlags) addTo(g *wire.Genesis) error {
	if g.Fouls != wire.WarnFouls && !t.resign && !t.agree && t.forfeit == 0 && t.arbiters == nil && t.called == nil && !t.time.IsGiven() {
		return nil
	}
	clock, err := t.time.TableClock()
	if err != nil {
		return err
	}
	if len(t.called) > 0 && len(t.called) != len(g.Seats) {
		return command.WrongUsage("%d seats need as many --called, one for each: there are %d", len(g.Seats), len(t.called))
	}
	g.Format, g.Names = wire.TableFormat2, make([]wire.Text, len(g.Seats))
	for i, name := range t.called {
		g.Names[i] = wire.Text(name)
	}
	g.Clock = clock
	g.Arbiters = append([]string{}, t.arbiters...)
	g.Ends = wire.Ends{Late: wire.LateUndo, Forfeit: t.forfeit, Resign: t.resign, Agree: true}
	if t.forfeit > 0 {
		g.Ends.Late = wire.LateForfeit
	}
	return nil
}

// AddOffered adds the terms of an end to the genesis entry of an open table, which nobody rules, and
// returns its organiser's name there. It refuses flags for rulers.
func (t *Terms) AddOffered(f *command.Flags, g *wire.Genesis) (called string, err error) {
	e := &t.ends
	if e.arbiters != nil || len(e.called) > 1 {
		return "", command.WrongUsage("nobody rules at an open table: it has no --arbiter, and --called names its organiser alone")
	}
	if !f.IsGiven("forfeit") {
		e.forfeit = games.Scene(g.Game).Terms().Forfeit
	}
	g.Ends = offer.EndsOf(e.forfeit)
	g.Clock, err = e.time.TableClock()
	return strings.Join(e.called, ""), err
}

// ForGood has the flags of an act that nobody can take back, the end of a table or event. Its entry
// has the reason, and it has to be confirmed.
type ForGood struct {
	Reason string
	yes    bool
}

// AddFlags declares --reason and --yes.
func (g *ForGood) AddFlags(f *command.Flags) {
	f.StringVar(&g.Reason, "reason", "", "the reason, as `text` that everybody reads in the log; it may not be empty")
	f.BoolVar(&g.yes, "yes", false, "do it without asking for confirmation")
}

// CheckReason refuses a reason that the log would not take.
func (g *ForGood) CheckReason() error { return MustSay(g.Reason) }

// MustSay refuses an empty text, or one that the log would not take.
func MustSay(text string) error {
	if strings.TrimSpace(text) == "" {
		return command.WrongUsage("--reason is missing: it stands in the log, and everybody reads it in the results")
	}
	if err := wire.Text(text).Check(); err != nil {
		return command.Misuse(err)
	}
	return nil
}

// Confirm asks a person to confirm an act.
func (g *ForGood) Confirm(ctx context.Context, e command.Env, what string) error {
	if g.yes {
		return nil
	}
	if !isatty.IsTerminal(os.Stdin.Fd()) {
		return command.WrongUsage("%s There is no terminal at which to confirm it: add --yes", what)
	}
	fmt.Fprintf(e.Loud(), "%s Nobody can take it back.\nReason: %s\nType yes to do it: ", what, plain.Text(g.Reason))
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
