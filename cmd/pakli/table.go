package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/clock"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/report"
)

func runTable(ctx context.Context, e env, args []string) (int, error) {
	list := []command{
		{"create", "create a table", runCreate},
		{"offer", "offer a table that others join, and begin it", runOffer},
		{"join", "join an open table by its code or link", runJoin},
		{"list", "list the tables of a server", runList},
		{"watch", "follow a table until it is over", runWatch},
		{"record", "write the finished deals of a table down", runRecord},
		{"forget", "erase a seat's card secret of a table that is over", runForget},
	}
	return dispatch(ctx, e, append(list, actCommands()...), "pakli table", args), nil
}

// runCreate posts a genesis entry and prints the table's id.
func runCreate(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table create", "")
	var s serverFlags
	var t terms
	var secret passphrase
	s.addFlags(f)
	t.addFlags(f)
	secret.addFlags(f)
	organiser := f.String("organiser", "organiser.seat", "the organiser's seat `file`; made if it does not exist")
	var seats []string
	f.Func("seat", "verifier `key` of a seat, or its .pub file, in the order of play; repeat for each", func(arg string) error {
		v, err := seatKey(arg)
		seats = append(seats, v)
		return err
	})
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	if len(seats) == 0 {
		return exitUsage, wrongUsage("--seat is missing: give the .pub file of each player, in the order of play")
	}
	id, err := openOrCreate(*organiser, secret)
	if err != nil {
		return exitFail, err
	}
	defer id.Close()
	entry, hash, err := t.signGenesis(id.Signer(), id.VerifierKey(), seats)
	if err != nil {
		return exitUsage, err
	}
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return exitFail, err
	}
	if _, err := c.CreateTable(ctx, entry); err != nil {
		return exitFail, err
	}
	fmt.Fprintln(e.out, hash)
	fmt.Fprintf(e.err, "code %s\n", hash.Code()[:wire.MinCode])
	return exitDone, nil
}

func runList(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table list", "")
	var s serverFlags
	s.addFlags(f)
	var filter client.TableFilter
	f.StringVar(&filter.ID, "id", "", "only tables whose id begins with this")
	f.StringVar((*string)(&filter.State), "state", "", "only tables in this state: waiting (for seats that have not come), playing, paused, stopped, over, foul")
	f.StringVar(&filter.Player, "player", "", "only tables where this name, or verifier key, has a seat")
	f.StringVar(&filter.Game, "game", "", "only tables of this game")
	competition := f.String("event", "", "only tables of this event")
	f.IntVar(&filter.Round, "round", 0, "only tables of this round")
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return exitFail, err
	}
	if *competition != "" {
		id, err := eventNamed(ctx, c, *competition)
		if err != nil {
			return exitFail, err
		}
		filter.Event = id.String()
	}
	t := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	found := false
	for row, err := range listTables(ctx, c, filter) {
		if err != nil {
			return exitFail, errors.Join(err, t.Flush())
		}
		found = true
		fmt.Fprintln(t, listRow(row))
	}
	if !found {
		fmt.Fprintln(e.err, "no such table")
	}
	return exitDone, t.Flush()
}

// listRow is a line of the list, with tabs between columns. The server chose its words.
func listRow(t client.Summary) string {
	game, _, _ := strings.Cut(t.Game, "/")
	if t.Standing == nil {
		return fmt.Sprintf("%s\t%s\tthe server cannot play this game", t.ID, plain.Text(game))
	}
	var names, waits []string
	for i, seat := range t.Seats {
		names = append(names, seatLetter(i)+" "+plain.Text(seat.Name))
	}
	for _, duty := range t.Owing {
		var who []string
		for _, seat := range duty.Seats {
			who = append(who, seatName(names, seat))
		}
		waits = append(waits, strings.Join(who, " or ")+" to "+inWords(duty.Kind))
	}
	deal := fmt.Sprintf("deal %d of %d", t.Deal, t.Deals)
	switch {
	case t.Deal == 0:
		deal = "not begun"
	case t.Deal > t.Deals: // some were thrown in
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

// runWatch replays a table as it grows, so that what it prints is what was
// proved and not what the server says.
func runWatch(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table watch", "ID")
	var s serverFlags
	s.addFlags(f)
	w := watching{out: e.out}
	lang := f.String("lang", "en", "language: "+strings.Join(report.Languages(), ", "))
	f.BoolVar(&w.once, "once", false, "print what there is and stop")
	f.BoolVar(&w.json, "json", false, "print each entry as a JSON object, with the moves as they were signed")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	language, known := report.LanguageOf(*lang)
	if !known {
		return exitUsage, wrongUsage("--lang %s: want one of %s", *lang, strings.Join(report.Languages(), ", "))
	}
	c, id, err := s.findTable(ctx, e, f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	w.teller = report.NewTeller(catalogue(), language)
	return exitDone, w.watch(ctx, c, id)
}

// watching tells of a table in the words of a report.
type watching struct {
	out    io.Writer
	once   bool
	json   bool
	teller *report.Teller
}

func (w *watching) watch(ctx context.Context, c *client.Client, id wire.Hash) error {
	w.teller.Marks = func(mark wire.Hash) (clock.Mark, error) { return c.Mark(ctx, mark) }
	wait := time.Duration(0)
	for n := 0; ; {
		list, err := c.Messages(ctx, id, n, wait)
		if err != nil {
			return err
		}
		for _, m := range list {
			n++
			parcel, err := c.CompleteEntry(ctx, []byte(m.Entry))
			if err != nil {
				return err
			}
			if err := w.entry(m.Index, parcel); err != nil {
				return err
			}
		}
		state := w.teller.State()
		if state == nil {
			return fmt.Errorf("the log has no table %s", id)
		}
		if state.IsOver() || state.Foul() != nil || w.once && len(list) == 0 {
			return w.end(state)
		}
		if wait = 25 * time.Second; w.once {
			wait = 0
		}
	}
}

// entry applies and prints one entry.
func (w *watching) entry(index uint64, parcel []byte) error {
	e, err := wire.Parse(parcel)
	if err != nil {
		return fmt.Errorf("entry %d: %w", index, err)
	}
	step, err := w.teller.TellNext(index, e)
	if err != nil {
		return err
	}
	if w.json {
		return json.NewEncoder(w.out).Encode(struct {
			report.Step
			Move json.RawMessage `json:"move,omitempty"`
		}{step, e.Message.Move()})
	}
	return w.teller.Text(w.out, step)
}

// end says how it stands; to programs the last step does.
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
	for _, who := range awaitedDuties(s) {
		fmt.Fprintf(w, "waiting for %s\n", who)
	}
	return nil
}

// awaitedDuties says who owes what.
func awaitedDuties(s *table.State) (list []string) {
	for _, d := range s.Duties() {
		var names []string
		for _, seat := range d.Seats {
			names = append(names, s.SeatName(seat))
		}
		list = append(list, fmt.Sprintf("%s to %s", strings.Join(names, " or "), inWords(d.Kind)))
	}
	return list
}

// inWords is what a seat owes, in words.
func inWords(k wire.Kind) string {
	switch k {
	case table.Key:
		return "come"
	case table.Show:
		return "show cards"
	case table.Disclose:
		return "disclose locks"
	case table.Beacon:
		return "reveal a value for a proof"
	case table.Answer:
		return "answer what was asked of its shuffle"
	}
	return plain.Text(string(k))
}
