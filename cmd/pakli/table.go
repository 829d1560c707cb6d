package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

func runTable(ctx context.Context, e env, args []string) (int, error) {
	list := []command{
		{"create", "create a table", runCreate},
		{"list", "list the tables of a server", runList},
		{"watch", "follow a table until it is over", runWatch},
		{"record", "write the finished deals of a tarokk table down", runRecord},
	}
	return dispatch(ctx, e, list, "pakli table", args), nil
}

// runCreate posts a genesis entry and prints the table's id.
func runCreate(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table create", "")
	var s server
	var t terms
	var secret passphrase
	s.register(f)
	t.register(f)
	secret.register(f)
	organiser := f.String("organiser", "organiser.seat", "the organiser's seat file; made if it does not exist")
	var seats []string
	f.Func("seat", "verifier key of a seat, or its .pub file, in the order of play; repeat for each", func(arg string) error {
		v, err := seatKey(arg)
		seats = append(seats, v)
		return err
	})
	if err := parse(f, args, 0); err != nil {
		return exitUsage, err
	}
	phrase, err := secret.read()
	if err != nil {
		return exitFail, err
	}
	id, err := openOrCreate(*organiser, "organiser", phrase)
	if err != nil {
		return exitFail, err
	}
	defer id.Close()
	entry, hash, err := t.genesis(id.Signer(), id.VerifierKey(), seats)
	if err != nil {
		return exitUsage, err
	}
	c, err := s.dial(ctx, e)
	if err != nil {
		return exitFail, err
	}
	if _, err := c.Create(ctx, entry); err != nil {
		return exitFail, err
	}
	fmt.Fprintln(e.out, hash)
	return exitDone, nil
}

func runList(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table list", "")
	var s server
	s.register(f)
	if err := parse(f, args, 0); err != nil {
		return exitUsage, err
	}
	c, err := s.dial(ctx, e)
	if err != nil {
		return exitFail, err
	}
	for after := (*uint64)(nil); ; {
		page, err := c.Tables(ctx, after, 100)
		if err != nil {
			return exitFail, err
		}
		for _, t := range page.Tables {
			fmt.Fprintf(e.out, "%s  entry %d  %q  %q\n", t.ID, t.Index, t.Game, t.Suite)
		}
		if after = page.Next; after == nil {
			return exitDone, nil
		}
	}
}

// runWatch replays a table as it grows, so that what it prints is what was
// proved and not what the server says.
func runWatch(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table watch", "ID")
	var s server
	s.register(f)
	once := f.Bool("once", false, "print what there is and stop")
	if err := parse(f, args, 1); err != nil {
		return exitUsage, err
	}
	id, err := wire.ParseHash(f.Arg(0))
	if err != nil {
		return exitUsage, usageError{err}
	}
	c, err := s.dial(ctx, e)
	if err != nil {
		return exitFail, err
	}
	return exitDone, watch(ctx, e.out, c, id, *once)
}

func watch(ctx context.Context, w io.Writer, c *client.Client, id wire.Hash, once bool) error {
	var state *table.State
	wait := time.Duration(0)
	for n := 0; ; {
		list, err := c.Messages(ctx, id, n, wait)
		if err != nil {
			return err
		}
		for _, m := range list {
			n++
			parcel, err := c.Complete(ctx, []byte(m.Entry))
			if err != nil {
				return err
			}
			if state, err = watchEntry(w, state, m.Index, parcel); err != nil {
				return err
			}
		}
		if state == nil {
			return fmt.Errorf("the log shows no table %s", id)
		}
		if len(state.Duties()) == 0 || once && len(list) == 0 {
			return printEnd(w, state)
		}
		if wait = 25 * time.Second; once {
			wait = 0
		}
	}
}

// watchEntry applies and prints one entry.
func watchEntry(w io.Writer, s *table.State, index uint64, parcel []byte) (*table.State, error) {
	e, err := wire.Parse(parcel)
	if err != nil {
		return s, fmt.Errorf("entry %d: %w", index, err)
	}
	if s == nil {
		s, err = table.Open(e, catalogue())
		if err == nil {
			fmt.Fprintf(w, "%6d  table: %s, %d seats, %d deals\n", index, s.Genesis().Game, s.Seats(), s.Genesis().Deals)
		}
		return s, err
	}
	next, err := s.Apply(e, nil)
	var fault *table.Fault
	if errors.As(err, &fault) {
		fmt.Fprintf(w, "%6d  %v\n", index, fault)
		if fault.Class == table.Foul {
			return s.End(fault), nil
		}
		return s, nil
	}
	if err != nil {
		return s, err
	}
	fmt.Fprintf(w, "%6d  %s: %s%s\n", index, s.SeatName(table.Seat(e.Message.Seat)), e.Message.Kind, moveText(e.Message))
	return next, nil
}

func moveText(m *wire.Message) string {
	var body wire.MoveBody
	if m.Kind != wire.KindMove || wire.DecodeBody(m.Body, &body) != nil {
		return ""
	}
	return " " + string(body.Move)
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
	for _, d := range s.Duties() {
		var names []string
		for _, seat := range d.Seats {
			names = append(names, s.SeatName(seat))
		}
		fmt.Fprintf(w, "waiting for %s to %s\n", strings.Join(names, " or "), d.Kind)
	}
	return nil
}
