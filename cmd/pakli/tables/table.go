// Package tables has the commands of pakli table, which begin tables, alone or with anybody who
// joins, follow them, and leave, end or rule at one, and the commands for rule sets and records of
// games (rules.go).
package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/sitting"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/report"
)

// Commands returns the commands of pakli table.
func Commands() []command.Command {
	list := []command.Command{
		{Name: "create", Short: "create a table", Examples: []string{"pakli table create --seat anna.seat.pub --seat bela.seat.pub --game GAME"}, Declare: createCommand},
		{Name: "offer", Short: "offer a table that others join, and begin it", List: true, Examples: []string{"pakli table offer --places 4 --organiser anna.seat --sit"}, Declare: offerCommand},
		{Name: "join", Short: "join an open table by its code or link", Arguments: "CODE|LINK", Examples: []string{"pakli table join 0R40Y --seat bela.seat"}, Declare: joinCommand},
		{Name: "list", Short: "list the tables of a server", List: true, Examples: []string{"pakli table list --state playing"}, Declare: listCommand},
		{Name: "watch", Short: "follow a table until it is over", Arguments: "ID", Examples: []string{"pakli table watch 3fa9"}, Declare: watchCommand},
		{Name: "record", Short: "write the finished deals of a table down", Arguments: "ID", NoJSON: "a record is text of its own form", Examples: []string{"pakli table record 3fa9"}, Declare: recordCommand},
		{Name: "forget", Short: "erase a seat's card secret of a table that is over", Arguments: "ID", Examples: []string{"pakli table forget 3fa9 --seat anna.seat"}, Declare: forgetCommand},
	}
	return append(list, actCommands()...)
}

type newTable struct {
	Table wire.Hash `json:"table"`
	Code  string    `json:"code"`
}

func newTableOf(id wire.Hash) newTable { return newTable{id, id.Code()[:wire.MinCode]} }

// createCommand posts a genesis entry and prints the table's id.
func createCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	t := flags.TermsOf(f)
	organiser := flags.SeatOf(f, "organiser", "organiser.seat", "the organiser's seat `file`; made if it does not exist")
	var seats []string
	f.Func("seat", "verifier `key` of a seat, or its .pub file, in the order of play; repeat for each", func(arg string) error {
		v, err := flags.SeatKey(arg)
		seats = append(seats, v)
		return err
	})
	dry := flags.DryRun(f)
	return func(ctx context.Context, e command.Env) error {
		if len(seats) == 0 {
			return command.WrongUsage("--seat is missing: give the .pub file of each player, in the order of play")
		}
		if *dry {
			signer, key, err := organiser.OpenToTry()
			if err != nil {
				return err
			}
			entry, _, err := t.SignGenesis(signer, key, seats)
			if err != nil {
				return err
			}
			terms, _, _ := bytes.Cut(entry, []byte("\n"))
			return e.Say(map[string]any{"dry_run": true, "terms": json.RawMessage(terms)}, "%s\nnothing was posted\n", terms)
		}
		id, err := organiser.OpenOrCreate(e)
		if err != nil {
			return err
		}
		defer id.Close()
		entry, hash, err := t.SignGenesis(id.Signer(), id.VerifierKey(), seats)
		if err != nil {
			return err
		}
		c, err := s.Dial(ctx, e)
		if err != nil {
			return err
		}
		if g, err := wire.ParseGenesis(entry); err != nil {
			return err
		} else if err := flags.CheckTimed(ctx, c, g.Table.Clock); err != nil {
			return err
		}
		if _, err := c.CreateTable(ctx, entry); err != nil {
			return err
		}
		made := newTableOf(hash)
		fmt.Fprintf(e.Err, "code %s\n", made.Code)
		return e.Say(made, "%s\n", hash)
	}
}

func listCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	var filter client.TableFilter
	f.StringVar(&filter.ID, "id", "", "only tables whose id begins with this")
	f.StringVar((*string)(&filter.State), "state", "", "only tables in this state: waiting (for seats that have not come), playing, paused, stopped, over, foul")
	f.Offer("state", "waiting", "playing", "paused", "stopped", "over", "foul")
	f.StringVar(&filter.Player, "player", "", "only tables at which this `name` or verifier key has a seat")
	f.StringVar(&filter.Game, "game", "", "only tables of this game")
	competition := f.String("event", "", "only tables of this event")
	f.IntVar(&filter.Round, "round", 0, "only tables of this round")
	return func(ctx context.Context, e command.Env) error {
		c, err := s.Dial(ctx, e)
		if err != nil {
			return err
		}
		if *competition != "" {
			id, err := flags.EventNamed(ctx, c, *competition)
			if err != nil {
				return err
			}
			filter.Event = id.String()
		}
		t := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
		e.Out = t
		found := false
		for row, err := range flags.ListTables(ctx, c, filter) {
			if err != nil {
				return errors.Join(err, t.Flush())
			}
			found = true
			_ = e.Say(row, "%s\n", listRow(row))
		}
		if !found {
			fmt.Fprintln(e.Err, "no such table")
		}
		return t.Flush()
	}
}

// listRow returns a line of the list, with tabs between columns. The server chose its words.
func listRow(t client.Summary) string {
	game, _, _ := strings.Cut(t.Game, "/")
	if t.Standing == nil {
		return fmt.Sprintf("%s\t%s\tthe server cannot play this game", t.ID, plain.Text(game))
	}
	var names, waits []string
	for i, seat := range t.Seats {
		names = append(names, sitting.SeatLetter(i)+" "+plain.Text(seat.Name))
	}
	for _, duty := range t.Owing {
		var who []string
		for _, seat := range duty.Seats {
			who = append(who, seatName(names, seat))
		}
		waits = append(waits, strings.Join(who, " or ")+" to "+sitting.InWords(duty.Kind))
	}
	deal := fmt.Sprintf("deal %d of %d", t.Deal, t.Deals)
	switch {
	case t.Deal == 0:
		deal = "not begun"
	case t.Deal > t.Deals: // some deals were thrown in
		deal = fmt.Sprintf("deal %d", t.Deal)
	}
	text := fmt.Sprintf("%s\t%s\t%s\t%s\t%s", t.ID, plain.Text(game), plain.Text(string(t.State)), deal, strings.Join(names, ", "))
	if len(waits) > 0 {
		text += "\twaiting for " + strings.Join(waits, ", and for ")
	}
	return text
}

func seatName(names []string, seat int) string {
	if seat < 0 || seat >= len(names) {
		return "a seat that it does not have"
	}
	return names[seat]
}

// watchCommand replays a growing table, so that it prints what was proved and not what the server
// says.
func watchCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	w := watching{out: f.Out}
	lang := flags.LanguageOf(f)
	f.BoolVar(&w.once, "once", false, "print what there is now, and stop")
	f.BoolVar(&w.json, "json", false, "print a JSON object for each entry, with the moves as they were signed")
	return func(ctx context.Context, e command.Env) error {
		c, id, err := s.FindTable(ctx, e, f.Arg(0))
		if err != nil {
			return err
		}
		w.teller, w.lang = report.NewTeller(flags.Catalogue(), lang.Reports()), lang.Tag()
		return w.watch(ctx, c, id)
	}
}

// watching reports on a table in the words of a report.
type watching struct {
	out    io.Writer
	once   bool
	json   bool
	lang   string
	teller *report.Teller
	clock  *sitting.ClockTeller // for a table with a clock
	timed  wire.Hash            // the head at which clocks were reported last
}

func (w *watching) watch(ctx context.Context, c *client.Client, id wire.Hash) error {
	wait := time.Duration(0)
	for n := 0; ; {
		more, err := sitting.TellEntries(ctx, c, w.teller, id, n, wait, w.printEntry)
		if err != nil {
			return err
		}
		n += more
		state := w.teller.State()
		timed := !state.Genesis().Clock.IsNone() && !w.json && !state.IsOver() && state.Foul() == nil && (!w.once || more == 0)
		if timed {
			if err := w.tellClock(ctx, c, id, state); err != nil {
				return err
			}
		}
		if state.IsOver() || state.Foul() != nil || w.once && more == 0 {
			return w.end(state)
		}
		switch wait = 25 * time.Second; {
		case w.once:
			wait = 0
		case timed:
			wait = time.Duration(max(state.Genesis().Clock.Tick, 1)) * time.Second
		}
	}
}

// tellClock reports the time of the awaited seats, as the server's marks show it.
func (w *watching) tellClock(ctx context.Context, c *client.Client, id wire.Hash, s *table.State) error {
	d, err := c.Clock(ctx, id)
	if err != nil {
		return err
	}
	if w.clock == nil {
		w.clock = sitting.NewClockTeller(w.lang, s, sitting.NoSeat, func(text string) { fmt.Fprintln(w.out, text) })
	}
	var clocks []timing.Clock
	for _, seat := range d.Seats {
		one := timing.Clock{Seat: table.Seat(seat.Seat), Limited: seat.Left != nil}
		if one.Limited {
			one.Left = *seat.Left
		}
		if seat.Seat >= 0 && seat.Seat < s.Seats() {
			clocks = append(clocks, one)
		}
	}
	moved := w.timed != s.Head()
	w.timed = s.Head()
	w.clock.Take(s.Head(), clocks)
	if line := w.clock.Line(); moved && line != "" {
		fmt.Fprintln(w.out, line)
	}
	return nil
}

func (w *watching) printEntry(e *wire.Entry, step report.Step) error {
	if w.json {
		return json.NewEncoder(w.out).Encode(struct {
			report.Step
			Move json.RawMessage `json:"move,omitempty"`
		}{step, e.Message.Move()})
	}
	return w.teller.Text(w.out, step)
}

// end reports how the table stands; for programs the last step does.
func (w *watching) end(s *table.State) error {
	if w.json {
		return nil
	}
	return printEnd(w.out, s)
}

func printEnd(w io.Writer, s *table.State) error {
	if f := s.Foul(); f != nil {
		fmt.Fprintf(w, "ended: %v\n", f)
		return nil
	}
	if result, over := s.Result(); over {
		fmt.Fprintf(w, "over: %s\n", scores(s, result))
		return nil
	}
	if seat, stopped := s.GoneSeat(); stopped {
		fmt.Fprintf(w, "stopped: %s has left\n", s.SeatName(seat))
	}
	for _, who := range sitting.AwaitedDuties(s) {
		fmt.Fprintf(w, "waiting for %s\n", who)
	}
	return nil
}

func scores(s *table.State, result []int) string {
	text := ""
	for seat, n := range result {
		if seat > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %+d", s.SeatName(table.Seat(seat)), n)
	}
	return text
}
